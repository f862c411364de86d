package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/origin"
)

// TestDifferences: settings are compared by key, so their order does not matter.
func TestDifferences(t *testing.T) {
	set := func(text string) (list []origin.Entry) {
		for word := range strings.FieldsSeq(text) {
			key, value, _ := strings.Cut(word, "=")
			list = append(list, origin.Entry{Key: strings.TrimPrefix(key, "?"), Value: value, Implicit: strings.HasPrefix(key, "?")})
		}
		return list
	}
	for _, c := range []struct{ left, right, want string }{
		{"a=1 b=2", "a=1 b=2", ""},
		{"a=1 b=2 c=3", "c=3 a=1 b=2", ""},
		{"a=1 b=2 c=3", "new=0 a=1 b=4 c=3", "+ new = 0|- b = 2|+ b = 4|"},
		{"gone=0 a=1 b=2 also=1", "b=3 a=1", "- b = 2|+ b = 3|- gone = 0|- also = 1|"},
		{"?a=1 b=1", "b=1 ?c=1", ""},
		{"?a=1", "a=2", "- a = 1|+ a = 2|"},
	} {
		got := strings.ReplaceAll(strings.Join(differences(slices.Values(set(c.left)), slices.Values(set(c.right))), ""), "\n", "|")
		if got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.left, c.right, got, c.want)
		}
	}
}

// TestDifferencesKeepLittle: comparing two equal sides does not keep their settings in memory.
func TestDifferencesKeepLittle(t *testing.T) {
	var all []origin.Entry
	for i := range 10_000 {
		all = append(all, origin.Entry{Key: fmt.Sprint("key", i), Value: "1"})
	}
	if n := testing.AllocsPerRun(1, func() {
		if d := differences(slices.Values(all), slices.Values(all)); len(d) != 0 {
			t.Errorf("%v; want 0", d)
		}
	}); n > 100 {
		t.Errorf("%.0f allocations for two sides of %d equal settings, want at most 100", n, len(all))
	}
}
