package token_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

const (
	word token.Kind = iota + 1
	blank
	newline
	comment
)

// scan is a minimal scanner: words, blanks, line breaks, `#` comments.
func scan(text string) *token.List {
	words := token.NewSet("a-zA-Z0-9_")
	c := token.NewCursor(source.NewFile("t", text), 4)
	for c.More() {
		switch b := c.Peek(0); {
		case b == '\n':
			c.Take(1, newline)
		case b == ' ' || b == '\t':
			c.Blanks("")
			c.Emit(blank)
		case b == '#':
			c.Until('\n')
			c.Emit(comment)
		case words[b]:
			c.While(words)
			c.Emit(word)
		default:
			c.Take(1, token.Bad)
		}
	}
	return c.Done()
}

func TestLossless(t *testing.T) {
	for _, text := range []string{"", "a b\n", "# only", "?!\x00\xff a\n\n\t# x\n"} {
		if got := scan(text).Text(); got != text {
			t.Errorf("%q became %q, want %v", text, got, text)
		}
	}
}

// TestGrow: a text with far more tokens than estimated is not stored twice.
func TestGrow(t *testing.T) {
	tokens := make([]token.Token, 1000)
	for _, c := range []struct{ done, total, least, most int }{
		{1000, 10_000, 10_000, 10_000},     // so far a token for each byte: room for all
		{3000, 30_000, 10_900, 11_000},     // so far one token for three bytes: the same ratio, and a tenth more
		{1_000_000, 1_000_001, 1125, 1125}, // near the end: an eighth more, for a wrong guess
	} {
		got := token.Grow(tokens, c.done, c.total)
		if len(got) != 1000 || cap(got) < c.least || cap(got) > c.most {
			t.Errorf("after %d of %d bytes: len %d, cap %d", c.done, c.total, len(got), cap(got))
		}
	}
}

func TestDoneKeepsWhatIsLeft(t *testing.T) {
	c := token.NewCursor(source.NewFile("t", "abc rest"), 4)
	c.Take(3, word)
	if got := c.Done(); got.Text() != "abc rest" || got.Kind(1) != token.Bad {
		t.Errorf("%q, last kind %d; want got.Text() = %q and got.Kind(1) = %v", got.Text(), got.Kind(1), "abc rest", token.Bad)
	}
}

// TestAttachMany: the time for a long comment does not grow quadratically.
func TestAttachMany(t *testing.T) {
	const n = 200_000
	l := scan(strings.Repeat("# line\n", n) + "word\n")
	got := l.Attach(token.Roles{Comment: comment, Blank: blank, Newline: newline}, 2*n, 2*n+1)
	if len(got.Before) != n || got.Before[0] != 0 || got.Before[n-1] != 2*n-2 {
		t.Errorf("%d comments, the first at %d; want len(got.Before) = %v, got.Before[0] = 0 and got.Before[n-1] = %v", len(got.Before), got.Before[0], n, 2*n-2)
	}
}

func TestAttach(t *testing.T) {
	l := scan("# far\n\n# above 1\n  # above 2\nfirst # suffix\n# of second\nsecond\n# after\n")
	find := func(w string) int {
		for i := range l.Tokens {
			if l.At(i) == w {
				return i
			}
		}
		t.Fatalf("no %s", w)
		return 0
	}
	text := func(ids []int) string {
		var s []string
		for _, i := range ids {
			s = append(s, l.At(i))
		}
		return strings.Join(s, "|")
	}
	roles := token.Roles{Comment: comment, Blank: blank, Newline: newline}
	for _, c := range []struct{ word, want string }{
		{"first", "# above 1|# above 2 / # suffix / "},
		{"second", "# of second /  / # after"},
	} {
		i := find(c.word)
		got := l.Attach(roles, i, i+1)
		if s := fmt.Sprintf("%s / %s / %s", text(got.Before), text(got.Suffix), text(got.After)); s != c.want {
			t.Errorf("%s: %q, want %q", c.word, s, c.want)
		}
	}
}

// TestTrim removes the bytes of a set from both ends of a piece, and does not look
// at neighbouring bytes.
func TestTrim(t *testing.T) {
	blank := token.NewSet(" \t")
	const text = " a  b c  \t"
	for _, c := range []struct {
		start, end int32
		want       string
	}{
		{0, 10, "a  b c"}, {1, 6, "a  b"}, {1, 4, "a"}, {2, 4, ""}, {2, 5, "b"}, {4, 5, "b"}, {3, 3, ""}, {6, 7, "c"}, {0, 1, ""},
	} {
		got := token.Text{Start: c.start, End: c.end}.Trim(text, blank)
		if text[got.Start:got.End] != c.want || got.Empty() != (c.want == "") || got.Start < c.start || got.End > c.end {
			t.Errorf("%q is trimmed to %v, want %q", text[c.start:c.end], got, c.want)
		}
	}
}

// TestPlaces: the places of tokens. An index outside of the list has the end of
// the text as its place.
func TestPlaces(t *testing.T) {
	l := scan("ab cd")
	for i, want := range map[int]token.Kind{-1: token.Bad, 0: word, 1: blank, 2: word, 3: token.Bad} {
		if got := l.Kind(i); got != want {
			t.Errorf("token %d is of kind %d, want %d", i, got, want)
		}
	}
	if s := l.Span(2); s.Text() != "cd" || l.Len() != 3 {
		t.Errorf("the last of %d tokens is %q, want s.Text() = %q and l.Len() = 3", l.Len(), s.Text(), "cd")
	}
	for _, c := range []struct {
		first, end int
		start      int
		text       string
	}{
		{0, 3, 0, "ab cd"}, {0, 1, 0, "ab"}, {1, 3, 2, " cd"}, {1, 1, 2, ""}, {2, 1, 3, ""}, {3, 3, 5, ""}, {3, 4, 5, ""},
	} {
		if s := l.Between(c.first, c.end); s.Text() != c.text || s.Start != c.start {
			t.Errorf("tokens %d to %d: %q at %d, want %q at %d", c.first, c.end, s.Text(), s.Start, c.text, c.start)
		}
	}
}

// TestTree: the pieces of a tree and their places.
func TestTree(t *testing.T) {
	tree := token.NewTree(scan("ab cd"))
	x := token.Text{Start: 3, End: 5}
	if tree.Of(x) != "cd" || tree.Span(x).String() != "t:1:4" || tree.RangeSpan(token.Range{First: 0, End: 2}).Text() != "ab " {
		t.Errorf("%q at %s, range %q; want %q at %s, range %q", tree.Of(x), tree.Span(x), tree.RangeSpan(token.Range{First: 0, End: 2}).Text(), "cd", "t:1:4", "ab ")
	}
	tree.Report(&diag.Code{ID: "t/x"}, tree.Span(x), "wrong")
	if p := tree.Problems(); len(p) != 1 || p[0].Span.File != tree.File() || tree.Tokens().Len() != 3 {
		t.Errorf("problems %v of %d tokens; want one problem in the file of the tree, and 3 tokens", p, tree.Tokens().Len())
	}
}
