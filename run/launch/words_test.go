package launch

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// oddWords are arguments that a shell would change.
var oddWords = []string{
	"two words", "it's", `say "hi"`, "$HOME", "`id`", "$(id)", "a\nb", "\ttab\\", "*", "~", "!x", "", "#no", "a=b", "ü€", `\n`, "'", "--", "-e", ";&|<>",
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
		err  string
	}{
		{in: ""},
		{in: " \t\n"},
		{in: "paradyndPVM", want: []string{"paradyndPVM"}},
		{in: " a  b\tc\n", want: []string{"a", "b", "c"}},
		{in: `'a b' "c d" e\ f`, want: []string{"a b", "c d", "e f"}},
		{in: `a'b'"c"d`, want: []string{"abcd"}},
		{in: `'' ""`, want: []string{"", ""}},
		{in: `"\$ \" \\ \a"`, want: []string{`$ " \ \a`}},
		{in: "a\\\nb \"c\\\nd\"", want: []string{"ab", "cd"}},
		{in: `$HOME * ; # ~ |`, want: []string{"$HOME", "*", ";", "#", "~", "|"}},
		{in: `'$x\'`, want: []string{`$x\`}},
		{in: `a 'b`, err: "the single quote `'` is never closed"},
		{in: `a "b\"`, err: "the double quote `\"` is never closed"},
		{in: `a \`, err: "the backslash at the end has nothing to quote"},
	} {
		got, err := Split(c.in)
		if msg := errText(err); msg != c.err || !slices.Equal(got, c.want) {
			t.Errorf("Split(%q) = %q, %q; want %q, %q", c.in, got, msg, c.want, c.err)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Split and the shell read back what QuoteAll writes.
func TestQuoteSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.String()).Draw(t, "words")
		got, err := Split(QuoteAll(words))
		if err != nil || !slices.Equal(got, words) && len(words) > 0 {
			t.Fatalf("%q became %q, %v", words, got, err)
		}
	})
	text := "printf '%s\\0' " + QuoteAll(oddWords)
	out, err := exec.Command("sh", "-c", text).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, oddWords) {
		t.Errorf("the shell read %q, want %v", got, oddWords)
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a b", `'a"b' "c'd"`, `a\ b\`, "\"\\\n\"", "'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, err := Split(s)
		if err != nil {
			return
		}
		again, err := Split(QuoteAll(words))
		if err != nil || !slices.Equal(again, words) {
			t.Fatalf("%q: %q became %q, %v", s, words, again, err)
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	const command = `paradynd -p 2000 --title "a daemon" 'it is' x\ y`
	b.SetBytes(int64(len(command)))
	for b.Loop() {
		if _, err := Split(command); err != nil {
			b.Fatal(err)
		}
	}
}
