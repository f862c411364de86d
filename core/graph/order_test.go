package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// of builds a graph from words like "a>b": nodes are declared as they appear.
func of(words string) *Graph {
	g := &Graph{}
	seen := map[string]bool{}
	for _, word := range strings.Fields(words) {
		ids := strings.Split(word, ">")
		for _, id := range ids {
			if !seen[id] {
				seen[id] = true
				g.Nodes = append(g.Nodes, &Node{ID: id})
			}
		}
		for i := 1; i < len(ids); i++ {
			g.Edges = append(g.Edges, &Edge{From: ids[i-1], To: ids[i]})
		}
	}
	return g
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

func TestOrders(t *testing.T) {
	for _, c := range []struct{ in, order, cycle, parts string }{
		{"", "", "", ""},
		{"a b c", "a b c", "", "a|b|c"},
		{"c>a b", "c a b", "", "c a|b"},
		{"z a>z b>a", "b a z", "", "z a b"},
		{"a>b>c>a d", "d", "a b c", "a b c|d"},
		{"a>a b", "b", "a", "a|b"},
		{"x>a>b>c>d>a b>a", "x", "a b", "x a b c d"},
		{"a>b>c>a d>e>d c>d", "", "d e", "a b c d e"},
	} {
		t.Run(c.in, func(t *testing.T) {
			g := of(c.in)
			order, ok := g.TopoSort()
			if got := strings.Join(order, " "); got != c.order || ok != (c.cycle == "") {
				t.Errorf("order %s %v, want %s", got, ok, c.order)
			}
			if got := strings.Join(rotated(g.Cycle()), " "); got != c.cycle {
				t.Errorf("cycle %s, want %s", got, c.cycle)
			}
			var parts []string
			for _, p := range g.Components() {
				parts = append(parts, strings.Join(p, " "))
			}
			if got := strings.Join(parts, "|"); got != c.parts {
				t.Errorf("parts %s, want %s", got, c.parts)
			}
		})
	}
}

// rotated begins a cycle at its smallest id.
func rotated(ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	i := slices.Index(ids, slices.Min(ids))
	return append(append([]string(nil), ids[i:]...), ids[:i]...)
}

func drawGraph(t *rapid.T) *Graph {
	g := &Graph{Direction: Direction(rapid.IntRange(0, 1).Draw(t, "direction"))}
	n := rapid.IntRange(0, 24).Draw(t, "nodes")
	id := func(i int) string { return fmt.Sprintf("n%d", i) }
	ports := func(name string) (ports []Port) {
		for i := range rapid.IntRange(0, 3).Draw(t, name) {
			ports = append(ports, Port{Name: fmt.Sprintf("p%d", i)})
		}
		return ports
	}
	groups := rapid.IntRange(0, 5).Draw(t, "groups")
	group := func(name string) string {
		if i := rapid.IntRange(-2, groups).Draw(t, name); i >= 0 {
			return fmt.Sprintf("g%d", i)
		}
		return ""
	}
	for i := range groups {
		g.Groups = append(g.Groups, &Group{ID: fmt.Sprintf("g%d", i), Parent: group("parent")})
	}
	for i := range n {
		g.Nodes = append(g.Nodes, &Node{ID: id(i), Group: group("group"), In: ports("in"), Out: ports("out"), Kind: rapid.StringN(0, 3, -1).Draw(t, "kind")})
	}
	for range rapid.IntRange(0, 40).Draw(t, "edges") {
		g.Edges = append(g.Edges, &Edge{
			From: id(rapid.IntRange(0, n).Draw(t, "from")), FromPort: rapid.SampledFrom([]string{"", "p0", "p1", "p2"}).Draw(t, "out port"),
			To: id(rapid.IntRange(0, n).Draw(t, "to")), ToPort: rapid.SampledFrom([]string{"", "p0", "p1", "p2"}).Draw(t, "in port"),
			Label: rapid.SampledFrom([]string{"", "", "40"}).Draw(t, "label"),
		})
	}
	return g
}

// TestOrderLaws: an order respects every edge, and there is a cycle exactly
// where there is no order; the cycle consists of edges.
func TestOrderLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		order, ok := g.TopoSort()
		cycle := g.Cycle()
		if ok != (cycle == nil) {
			t.Fatalf("order %v %v, but cycle %v", order, ok, cycle)
		}
		at := map[string]int{}
		for i, id := range order {
			at[id] = i
		}
		edges := map[[2]string]bool{}
		for _, e := range g.Edges {
			edges[[2]string{e.From, e.To}] = true
			if ok && at[e.From] >= at[e.To] {
				t.Fatalf("%s is after %s in %v", e.From, e.To, order)
			}
		}
		for i, id := range cycle {
			if next := cycle[(i+1)%len(cycle)]; !edges[[2]string{id, next}] {
				t.Fatalf("no edge %s > %s in cycle %v", id, next, cycle)
			}
		}
		total := 0
		for _, p := range g.Components() {
			total += len(p)
		}
		if want := len(g.arcs().nodes); total != want || ok && len(order) != want {
			t.Fatalf("%d nodes in components, %d in order, want %d", total, len(order), want)
		}
	})
}

func TestOrderIsStable(t *testing.T) {
	order, _ := of("e d c>x b>x a").TopoSort()
	if diff := cmp.Diff([]string{"e", "d", "c", "b", "x", "a"}, order); diff != "" {
		t.Error(diff)
	}
}
