package graph

import (
	"fmt"
	"strings"
	"testing"
)

func text(t testing.TB, g *Graph) string {
	t.Helper()
	var b strings.Builder
	if err := g.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func chain(n int) *Graph {
	g := &Graph{}
	for i := range n {
		g.Nodes = append(g.Nodes, &Node{ID: fmt.Sprintf("n%d", i)})
		if i > 0 {
			g.Edges = append(g.Edges, &Edge{From: fmt.Sprintf("n%d", i-1), To: fmt.Sprintf("n%d", i)})
		}
	}
	return g
}

func TestEscapes(t *testing.T) {
	const odd = "q\"<]>\n`#&\\"
	for _, c := range []struct {
		name string
		f    func(string) string
		want string
	}{
		{"dot string", dotString, `"q\"<]>\n` + "`" + `#&\\"`},
		{"dot html", dotHTML, "q&quot;&lt;]&gt;<br/>`#&amp;\\"},
		{"mermaid", mermaidText, "q#quot;#lt;]#gt;<br/>#96;#35;#amp;#92;"},
		{"line", OneLine, "q\"<]> `#&\\"},
	} {
		if got := c.f(odd); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	for in, want := range map[string]string{"a\r\nb\rc": "a\nb\nc", "\x1b[31m": "\ufffd[31m", "x\u202ey": "xy", "\xff": "\ufffd", "ä→": "ä→"} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestTextStaysSmall draws a chain so long that indenting all of it would need
// gigabytes.
func TestTextStaysSmall(t *testing.T) {
	g := chain(50_000)
	got := text(t, g)
	if len(got) > 200*len(g.Nodes) {
		t.Errorf("%d bytes for %d nodes, want at most %v", len(got), len(g.Nodes), 200*len(g.Nodes))
	}
	for _, id := range []string{"n1\n", "n49999\n"} {
		if !strings.Contains(got, id) {
			t.Errorf("%q is missing", id)
		}
	}
}

// TestTextSameLabel checks that nodes with the same label in different groups are
// shown by their IDs.
func TestTextSameLabel(t *testing.T) {
	g := &Graph{
		Nodes:  []*Node{{ID: "in"}, {ID: "a/c", Label: "c", Group: "a"}, {ID: "a/mul", Label: "mul", Group: "a"}, {ID: "b/mul", Label: "mul", Group: "b"}},
		Edges:  []*Edge{{From: "in", To: "a/mul", ToPort: "x"}, {From: "in", To: "b/mul", ToPort: "x"}, {From: "a/c", To: "a/mul", ToPort: "y"}},
		Groups: []*Group{{ID: "a"}, {ID: "b"}},
	}
	got := text(t, g)
	for _, want := range []string{"→ a/mul.x\n", "→ b/mul.x\n", "→ mul.y\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestClean: characters that a picture cannot have are replaced, characters that
// change the direction of text are removed, and their neighbours stay.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"\u2029a\u202ab\u202ec\u202fd":   "\u2029abc\u202fd",
		"\u2065a\u2066b\u2069c\u206ad":   "\u2065abc\u206ad",
		"\x1fa b\x7ec\x7fd\u009fe\u00a0": "\ufffda b~c\ufffdd\ufffde\u00a0",
		"\ufffda\ufffeb\uffffc\xff":      "\ufffda\ufffdb\ufffdc\ufffd",
		"one\r\ntwo":                     "one\ntwo",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := OneLine("one\ntwo"); got != "one two" {
		t.Errorf("%q, want %q", got, "one two")
	}
}

// TestTextNamesPorts: an edge with a port on only one side is shown with that port.
func TestTextNamesPorts(t *testing.T) {
	for _, e := range []*Edge{{From: "n0", To: "n1", FromPort: "out"}, {From: "n0", To: "n1", ToPort: "in"}} {
		g := chain(2)
		g.Edges = []*Edge{e}
		if got := text(t, g); !strings.Contains(got, e.FromPort+e.ToPort) {
			t.Errorf("no port `%s` in\n%s", e.FromPort+e.ToPort, got)
		}
	}
}
