package graph

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestLayoutLaws: no two nodes overlap, a group's box holds exactly what
// belongs to it, sibling groups do not overlap, and every edge is one line
// from its source to its target.
func TestLayoutLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		if err := g.WriteSVG(io.Discard); err != nil {
			t.Fatal(err)
		}
		l := newLayout(g)
		node := func(i int) rect {
			size := l.levels[l.x.group[i]+1].items[l.item[i]].size
			return rect{l.cells[i].main, l.cells[i].cross, size.main, size.cross}
		}
		before, _ := l.padding()
		group := func(i int) rect {
			o, b := l.origin[i+1], l.box[i+1]
			return rect{o.main - before.main, o.cross - before.cross, b.main, b.cross}
		}
		for i := range l.x.nodes {
			for j := range i {
				if node(i).overlaps(node(j)) {
					t.Fatalf("nodes %s %v and %s %v overlap", l.x.nodes[i].ID, node(i), l.x.nodes[j].ID, node(j))
				}
			}
			around := map[int]bool{}
			for p := l.x.group[i]; p >= 0; p = l.x.parent[p] {
				around[p] = true
			}
			for j := range l.x.groups {
				if around[j] && !contains(group(j), node(i)) {
					t.Fatalf("node %s is not inside its group %s", l.x.nodes[i].ID, l.x.groups[j].ID)
				}
				if !around[j] && group(j).overlaps(node(i)) {
					t.Fatalf("node %s lies in group %s", l.x.nodes[i].ID, l.x.groups[j].ID)
				}
			}
		}
		for i := range l.x.groups {
			for j := range i {
				if l.x.parent[i] == l.x.parent[j] && group(i).overlaps(group(j)) {
					t.Fatalf("groups %s and %s overlap", l.x.groups[i].ID, l.x.groups[j].ID)
				}
			}
		}
		checkRoutes(t, l)
	})
}

func contains(a, b rect) bool {
	const slack = 0.001
	return a.x <= b.x+slack && a.y <= b.y+slack && a.x+a.width >= b.x+b.width-slack && a.y+a.height >= b.y+b.height-slack
}

// checkRoutes follows every edge over the borders it crosses.
func checkRoutes(t *rapid.T, l *layout) {
	w := &svgWriter{layout: l}
	near := func(a, b point) bool { return math.Abs(a.main-b.main)+math.Abs(a.cross-b.cross) < 0.01 }
	for i, a := range l.x.edges {
		first := l.cells[a.from]
		first.main += l.levels[l.x.group[a.from]+1].items[l.item[a.from]].size.main
		if p := l.x.outPort(a); p >= 0 {
			first.cross += l.shapes[a.from].out[p]
		} else {
			first.cross += l.shapes[a.from].whole
		}
		last := l.cells[a.to]
		if p := l.x.inPort(a); p >= 0 {
			last.cross += l.shapes[a.to].in[p]
		} else {
			last.cross += l.shapes[a.to].whole
		}
		knots := w.path(i)
		if !near(knots[0].point, first) || !near(knots[len(knots)-1].point, last) {
			t.Fatalf("edge %s > %s runs from %v to %v, want %v to %v", a.edge.From, a.edge.To, knots[0].point, knots[len(knots)-1].point, first, last)
		}
		at := 0
		for _, s := range l.routes[i] {
			if at > 0 && !near(knots[at-1].point, knots[at].point) {
				t.Fatalf("edge %s > %s breaks at a border: %v, %v", a.edge.From, a.edge.To, knots[at-1].point, knots[at].point)
			}
			at += len(l.levels[s.level].links[s.link].knots)
		}
	}
}

func TestDeepGroups(t *testing.T) {
	g := &Graph{Edges: []*Edge{{From: "in", To: "out"}}}
	parent := ""
	for i := range 5000 {
		id := fmt.Sprint("g", i)
		g.Groups = append(g.Groups, &Group{ID: id, Parent: parent})
		parent = id
	}
	g.Nodes = []*Node{{ID: "in", Group: parent}, {ID: "out"}}
	for _, f := range Formats() {
		if err := g.Write(io.Discard, f); err != nil {
			t.Error(err)
		}
	}
	for _, d := range g.index().depth {
		if d >= maxDepth {
			t.Fatalf("a group lies %d deep", d)
		}
	}
}

// TestLargeSVG draws more nodes than get the full layout.
func TestLargeSVG(t *testing.T) {
	g := network(largeGraph+1000, 2)
	written(t, g, SVG)
	if !newLayout(g).simple {
		t.Error("long edges have bends")
	}
}

// TestDenseSVG draws a chain with links from everywhere to everywhere, which
// would need millions of bends.
func TestDenseSVG(t *testing.T) {
	g := chain(3000)
	r := rand.New(rand.NewPCG(3, 4))
	for range 9000 {
		g.Edges = append(g.Edges, &Edge{From: g.Nodes[r.IntN(3000)].ID, To: g.Nodes[r.IntN(3000)].ID})
	}
	l := newLayout(g)
	if n := len(l.levels[0].items); n > len(g.Nodes)+2*len(g.Edges) {
		t.Errorf("%d items for %d nodes", n, len(g.Nodes))
	}
	written(t, g, SVG)
}

// network is a random pipeline: every node leads to some of the next ones, and
// now and then far ahead or back.
func network(n, degree int) *Graph {
	r := rand.New(rand.NewPCG(1, 2))
	g := &Graph{}
	id := func(i int) string { return fmt.Sprintf("process%d", i) }
	for i := range n {
		g.Nodes = append(g.Nodes, &Node{ID: id(i), Kind: fmt.Sprint("kind", i%5), In: []Port{{Name: "in"}}, Out: []Port{{Name: "out"}}})
		for range r.IntN(degree + 1) {
			to := i + 1 + r.IntN(40)
			if r.IntN(100) == 0 {
				to = r.IntN(n)
			}
			if to < n {
				g.Edges = append(g.Edges, &Edge{From: id(i), FromPort: "out", To: id(to), ToPort: "in"})
			}
		}
	}
	return g
}

func BenchmarkSVG2000(b *testing.B) {
	g := network(2000, 2)
	for b.Loop() {
		g.WriteSVG(io.Discard)
	}
}

func BenchmarkSVG100000(b *testing.B) {
	g := network(100_000, 2)
	for b.Loop() {
		g.WriteSVG(io.Discard)
	}
}

func BenchmarkWrite100000(b *testing.B) {
	g := network(100_000, 2)
	for _, f := range []Format{DOT, Mermaid, Text} {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				g.Write(io.Discard, f)
			}
		})
	}
}

func BenchmarkOrder100000(b *testing.B) {
	g := network(100_000, 2)
	for name, f := range map[string]func(){
		"TopoSort":   func() { g.TopoSort() },
		"Cycle":      func() { g.Cycle() },
		"Components": func() { g.Components() },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
}
