package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// TestMarks checks where nodes begin and end for libyaml, outer nodes first, and finds each node again by its span. The wanted numbers come from
// libyaml, except for collections at the end of the text: their last line is added by the reader.
func TestMarks(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: 1\nb: 2\n", "0-11 0-1 3-4 5-6 8-9"},
		{"a:\n  b: 1\nc: 2\n", "0-16 0-1 5-10 5-6 8-9 10-11 13-14"},
		{"a:\n  b: 1\n# c\n", "0-15 0-1 5-14 5-6 8-9"},
		{"a:\n  b: 1", "0-10 0-1 5-10 5-6 8-9"},
		{"a: &x !t 1\n", "0-12 0-1 3-10"},
		{"a: !t &x\n  b: 1\nc: 3\n", "0-22 0-1 3-16 11-12 14-15 16-17 19-20"},
		{"a: |\n  x\n\n\nb: 1\n", "0-17 0-1 3-11 11-12 14-15"},
		{"a: |\n  x\r\n\r\nb: 1\n", "0-18 0-1 3-12 12-13 15-16"},
		{"a: |\n  x\n   \n \n", "0-16 0-1 3-15"},
		{"a: >\n  x\n", "0-10 0-1 3-9"},
		{"{a: , b: [], c: }\n", "0-17 1-2 4-4 6-7 9-11 13-14 16-16"},
		{"a:\nb:\n", "0-7 0-1 2-2 3-4 5-5"},
		{"a: !t\nb: &x\n", "0-13 0-1 3-5 6-7 9-11"},
		{"- a\n- b: 1\n  c: 2\n- d\n", "0-23 2-3 6-18 6-7 9-10 13-14 16-17 20-21"},
		{"  - a\n  - b\n", "2-12 4-5 10-11"},
		{"- - a\n  - b\n- c\n", "0-17 2-12 4-5 10-11 14-15"},
	} {
		tree := syntax.Parse(source.NewFile("a.yml", c.text))
		var got []string
		var walk func(n *syntax.Node)
		walk = func(n *syntax.Node) {
			start, end := tree.Marks(n)
			got = append(got, fmt.Sprintf("%d-%d", start, end))
			if tree.NodeAt(tree.NodeSpan(n)) != n {
				t.Errorf("%q: the node at %d is not found by its place", c.text, n.Text.Start)
			}
			for _, e := range n.Entries {
				if e.Key != nil {
					walk(e.Key)
				}
				walk(e.Value)
			}
		}
		walk(tree.Root)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, s, c.want)
		}
		if n := tree.NodeAt(source.Span{File: tree.File(), Start: 1, End: 99}); n != nil {
			t.Errorf("%q: a node is at a place where none is", c.text)
		}
	}
}
