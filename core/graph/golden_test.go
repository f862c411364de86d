package graph_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/internal/golden"
)

// writers are the functions for all formats, by the extension of their golden files.
var writers = map[string]func(io.Writer, *graph.Graph) error{
	"dot":     func(w io.Writer, g *graph.Graph) error { return g.WriteDOT(w) },
	"mermaid": func(w io.Writer, g *graph.Graph) error { return g.WriteMermaid(w) },
	"svg":     svg.Write,
	"text":    func(w io.Writer, g *graph.Graph) error { return g.WriteText(w) },
}

func written(t testing.TB, write func(io.Writer, *graph.Graph) error, g *graph.Graph) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	down := pipeline()
	down.Direction = graph.Down
	for name, g := range map[string]*graph.Graph{"pipeline": pipeline(), "down": down, "includes": includes(), "hostile": hostile(), "long": long(), "empty": {}} {
		for f, write := range writers {
			t.Run(name+"/"+f, func(t *testing.T) {
				path := filepath.Join("testdata", name+"."+f)
				got := written(t, write, g)
				if golden.Updating() {
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

// TestInline: an inline element is the picture without its title and styles, and its nodes and
// edges have attributes that identify them.
func TestInline(t *testing.T) {
	g := pipeline()
	got := written(t, svg.WriteInline, g)
	for i := range g.Nodes {
		if want := fmt.Sprintf(`data-node="%d"`, i); strings.Count(got, want) != 1 {
			t.Errorf("%s is there %d times", want, strings.Count(got, want))
		}
	}
	for i := range g.Edges {
		if want := fmt.Sprintf(`data-edge="%d"`, i); !strings.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(got, "<style") || strings.Contains(written(t, svg.Write, g), "data-node") {
		t.Error("the element has styles, or the picture attributes for a page")
	}
}

// full is a writer that fails, as on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestWriteErrors: every format returns the error of its writer.
func TestWriteErrors(t *testing.T) {
	for f, write := range writers {
		if err := write(full{}, pipeline()); err == nil || err.Error() != "no space left" {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := svg.WriteInline(full{}, pipeline()); err == nil {
		t.Error("the error of an element is lost")
	}
}

func TestUnknownFormat(t *testing.T) {
	err := new(graph.Graph).Write(io.Discard, "png")
	want := "there is no graph format `png`: use one of dot, mermaid, text"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestSVGIsXML reads the pictures with a strict parser.
func TestSVGIsXML(t *testing.T) {
	for _, g := range []*graph.Graph{pipeline(), includes(), hostile(), {}} {
		d := xml.NewDecoder(strings.NewReader(written(t, svg.Write, g)))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%.20q: %v", g.Title, err)
			}
		}
	}
}

// TestDeepGroups nests groups deeper than any writer supports.
func TestDeepGroups(t *testing.T) {
	g := &graph.Graph{Edges: []*graph.Edge{{From: "in", To: "out"}}}
	g.Groups = []*graph.Group{{ID: "g40", Parent: "g39"}} // the first group in the list is not the outermost
	parent := ""
	for i := range 5000 {
		id := fmt.Sprint("g", i)
		if i != 40 {
			g.Groups = append(g.Groups, &graph.Group{ID: id, Parent: parent})
		}
		parent = id
	}
	g.Nodes = []*graph.Node{{ID: "in", Group: parent}, {ID: "out"}}
	for _, write := range writers {
		written(t, write, g)
	}
	if deepest := slices.Max(g.Index().Depth); deepest != 31 {
		t.Errorf("a group lies %d deep, want 31 outside of it", deepest)
	}
}

// network returns a random pipeline. Every node is connected to some of the next nodes, and a
// few to nodes far ahead or back.
func network(n, degree int) *graph.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	g := &graph.Graph{}
	id := func(i int) string { return fmt.Sprintf("process%d", i) }
	for i := range n {
		g.Nodes = append(g.Nodes, &graph.Node{ID: id(i), Kind: fmt.Sprint("kind", i%5), In: []graph.Port{{Name: "in"}}, Out: []graph.Port{{Name: "out"}}})
		for range r.IntN(degree + 1) {
			to := i + 1 + r.IntN(40)
			if r.IntN(100) == 0 {
				to = r.IntN(n)
			}
			if to < n {
				g.Edges = append(g.Edges, &graph.Edge{From: id(i), FromPort: "out", To: id(to), ToPort: "in"})
			}
		}
	}
	return g
}

func BenchmarkSVG2000(b *testing.B) {
	g := network(2000, 2)
	for b.Loop() {
		svg.Write(io.Discard, g)
	}
}

func BenchmarkSVG100000(b *testing.B) {
	g := network(100_000, 2)
	for b.Loop() {
		svg.Write(io.Discard, g)
	}
}

func BenchmarkWrite100000(b *testing.B) {
	g := network(100_000, 2)
	for _, f := range []graph.Format{graph.DOT, graph.Mermaid, graph.Text} {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				g.Write(io.Discard, f)
			}
		})
	}
}

// TestLegendStaysSmall: if there are many kinds of nodes, the legend names some and counts the
// others.
func TestLegendStaysSmall(t *testing.T) {
	for n, want := range map[int]string{16: "", 17: "and 1 more kinds", 30: "and 14 more kinds"} {
		g := &graph.Graph{}
		for i := range n {
			g.Nodes = append(g.Nodes, &graph.Node{ID: fmt.Sprint("n", i), Kind: fmt.Sprint("kind", i)})
		}
		got := written(t, svg.Write, g)
		if !strings.Contains(got, want) || want == "" && strings.Contains(got, "more kinds") {
			t.Errorf("of %d kinds the legend does not say %q", n, want)
		}
	}
}
