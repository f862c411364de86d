package graph

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// of builds a graph from words like "a>b". Nodes are declared in order of
// appearance.
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

// order returns the ids of the nodes in the order of topo.
func order(g *Graph) []string {
	x := g.Index()
	var ids []string
	for _, n := range x.topo() {
		ids = append(ids, x.Nodes[n].ID)
	}
	return ids
}

func TestOrder(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"a b c":               "a b c",
		"c>a b":               "c a b",
		"z a>z b>a":           "b a z",
		"a>b>c>a d":           "d",
		"a>a b":               "b",
		"x>a>b>c>d>a b>a":     "x",
		"e d c>x b>x a":       "e d c b x a",
		"a>b>c>a d>e>d c>d f": "f",
	} {
		if got := strings.Join(order(of(in)), " "); got != want {
			t.Errorf("%s: order %s, want %s", in, got, want)
		}
	}
}

// TestOrderLaws checks that the order respects every edge, and that it
// contains every node if the graph has no cycle.
func TestOrderLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		forward := rapid.Bool().Draw(t, "forward")
		g := &Graph{}
		for i := range rapid.IntRange(1, 24).Draw(t, "nodes") {
			g.Nodes = append(g.Nodes, &Node{ID: fmt.Sprint("n", i)})
		}
		for range rapid.IntRange(0, 40).Draw(t, "edges") {
			from, to := rapid.IntRange(0, len(g.Nodes)-1).Draw(t, "from"), rapid.IntRange(0, len(g.Nodes)-1).Draw(t, "to")
			if forward && from <= to {
				continue
			}
			g.Edges = append(g.Edges, &Edge{From: g.Nodes[from].ID, To: g.Nodes[to].ID})
		}
		at := map[string]int{}
		for i, id := range order(g) {
			at[id] = i
		}
		if forward && len(at) != len(g.Nodes) {
			t.Fatalf("%d of %d nodes are in the order, want %v", len(at), len(g.Nodes), len(g.Nodes))
		}
		for _, e := range g.Edges {
			if to, there := at[e.To]; there && at[e.From] >= to {
				t.Fatalf("%s is after %s", e.From, e.To)
			}
		}
	})
}
