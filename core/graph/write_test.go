package graph

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func written(t testing.TB, g *Graph, f Format) string {
	t.Helper()
	var b strings.Builder
	if err := g.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostile has every character that means something in some format.
func hostile() *Graph {
	odd := "a \"b\" 'c' <d> [e] {f} |g| #h; `i` \\j &k\nl\x00\xff\u202em"
	return &Graph{
		Title: odd,
		Nodes: []*Node{
			{ID: odd, Kind: odd, Group: odd, Detail: []string{odd}, Out: []Port{{odd, odd}}},
			{ID: "end", Label: odd, Group: odd},
			nil,
			{ID: `trailing\`},
		},
		Edges:  []*Edge{{From: odd, FromPort: odd, To: "end", ToPort: odd, Label: odd, Style: 99}, nil, {From: "end", To: `trailing\`}},
		Groups: []*Group{{ID: odd, Parent: "other"}, nil, {ID: "other", Parent: odd}},
	}
}

func TestGolden(t *testing.T) {
	for name, g := range map[string]*Graph{"pipeline": pipeline(), "includes": includes(), "hostile": hostile(), "empty": {}} {
		for _, f := range Formats() {
			t.Run(name+"/"+string(f), func(t *testing.T) {
				path := filepath.Join("testdata", name+"."+string(f))
				got := written(t, g, f)
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("differs from %s (-want +got), -update rewrites it:\n%s", path, diff)
				}
			})
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	err := new(Graph).Write(io.Discard, "png")
	want := "there is no graph format `png`: use one of dot, mermaid, svg, text"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestSVGIsXML reads the pictures with a strict reader.
func TestSVGIsXML(t *testing.T) {
	for _, g := range []*Graph{pipeline(), includes(), hostile(), {}} {
		d := xml.NewDecoder(strings.NewReader(written(t, g, SVG)))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%.20q: %v", g.Title, err)
			}
		}
	}
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
		{"line", line, "q\"<]> `#&\\"},
		{"xml", xmlText, "q&quot;&lt;]&gt;\n`#&amp;\\"},
	} {
		if got := c.f(odd); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	for in, want := range map[string]string{"a\r\nb\rc": "a\nb\nc", "\x1b[31m": "\ufffd[31m", "x\u202ey": "xy", "\xff": "\ufffd", "ä→": "ä→"} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestTextStaysSmall draws a chain so long that full indentation would need
// gigabytes.
func TestTextStaysSmall(t *testing.T) {
	g := chain(50_000)
	text := written(t, g, Text)
	if len(text) > 200*len(g.Nodes) {
		t.Errorf("%d bytes for %d nodes", len(text), len(g.Nodes))
	}
	for _, id := range []string{"n1\n", "n49999\n"} {
		if !strings.Contains(text, id) {
			t.Errorf("%q is missing", id)
		}
	}
}

// TestTextSameLabel tells nodes apart that have one label in several groups.
func TestTextSameLabel(t *testing.T) {
	g := &Graph{
		Nodes:  []*Node{{ID: "in"}, {ID: "a/c", Label: "c", Group: "a"}, {ID: "a/mul", Label: "mul", Group: "a"}, {ID: "b/mul", Label: "mul", Group: "b"}},
		Edges:  []*Edge{{From: "in", To: "a/mul", ToPort: "x"}, {From: "in", To: "b/mul", ToPort: "x"}, {From: "a/c", To: "a/mul", ToPort: "y"}},
		Groups: []*Group{{ID: "a"}, {ID: "b"}},
	}
	got := written(t, g, Text)
	for _, want := range []string{"→ a/mul.x\n", "→ b/mul.x\n", "→ mul.y\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
