package svg

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/internal/need"
	"pgregory.net/rapid"
)

// TestLayoutLaws: no two nodes overlap, a group's box contains exactly its own
// nodes and groups, sibling groups do not overlap, and every edge is one line
// from its source to its target.
func TestLayoutLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		if err := Write(io.Discard, g); err != nil {
			t.Fatal(err)
		}
		l := newLayout(g)
		node := func(i int) rect {
			size := l.levels[l.x.Group[i]+1].items[l.item[i]].size
			return rect{l.cells[i].main, l.cells[i].cross, size.main, size.cross}
		}
		before, _ := l.padding()
		group := func(i int) rect {
			o, b := l.origin[i+1], l.box[i+1]
			return rect{o.main - before.main, o.cross - before.cross, b.main, b.cross}
		}
		for i := range l.x.Nodes {
			for j := range i {
				if node(i).overlaps(node(j)) {
					t.Fatalf("nodes %s %v and %s %v overlap", l.x.Nodes[i].ID, node(i), l.x.Nodes[j].ID, node(j))
				}
			}
			around := map[int]bool{}
			for p := l.x.Group[i]; p >= 0; p = l.x.Parent[p] {
				around[p] = true
			}
			for j := range l.x.Groups {
				if around[j] && !contains(group(j), node(i)) {
					t.Fatalf("node %s is not inside its group %s", l.x.Nodes[i].ID, l.x.Groups[j].ID)
				}
				if !around[j] && group(j).overlaps(node(i)) {
					t.Fatalf("node %s lies in group %s", l.x.Nodes[i].ID, l.x.Groups[j].ID)
				}
			}
		}
		for i := range l.x.Groups {
			for j := range i {
				if l.x.Parent[i] == l.x.Parent[j] && group(i).overlaps(group(j)) {
					t.Fatalf("groups %s and %s overlap", l.x.Groups[i].ID, l.x.Groups[j].ID)
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

// checkRoutes checks that the parts of every edge meet at the borders of
// groups.
func checkRoutes(t *rapid.T, l *layout) {
	w := &writer{layout: l}
	near := func(a, b point) bool { return math.Abs(a.main-b.main)+math.Abs(a.cross-b.cross) < 0.01 }
	for i, a := range l.x.Edges {
		first := l.cells[a.From]
		first.main += l.levels[l.x.Group[a.From]+1].items[l.item[a.From]].size.main
		if p := l.x.OutPort(a); p >= 0 {
			first.cross += l.shapes[a.From].out[p]
		} else {
			first.cross += l.shapes[a.From].whole
		}
		last := l.cells[a.To]
		if p := l.x.InPort(a); p >= 0 {
			last.cross += l.shapes[a.To].in[p]
		} else {
			last.cross += l.shapes[a.To].whole
		}
		knots := w.path(i)
		if !near(knots[0].point, first) || !near(knots[len(knots)-1].point, last) {
			t.Fatalf("edge %s > %s runs from %v to %v, want %v to %v", a.Edge.From, a.Edge.To, knots[0].point, knots[len(knots)-1].point, first, last)
		}
		at := 0
		for _, s := range l.routes[i] {
			if at > 0 && !near(knots[at-1].point, knots[at].point) {
				t.Fatalf("edge %s > %s breaks at a border: %v, %v", a.Edge.From, a.Edge.To, knots[at-1].point, knots[at].point)
			}
			at += len(l.levels[s.level].links[s.link].knots)
		}
	}
}

// TestLarge checks a graph with so many nodes that long edges get no bends.
func TestLarge(t *testing.T) {
	g := chain(largeGraph + 1000)
	if err := Write(io.Discard, g); err != nil {
		t.Fatal(err)
	}
	if !newLayout(g).simple {
		t.Error("long edges have bends")
	}
}

// TestLargeIsStraight: even in a large graph, a node is placed next to its
// predecessor if there is room, so that edges neither climb nor cross.
func TestLargeIsStraight(t *testing.T) {
	g := &graph.Graph{Nodes: []*graph.Node{{ID: "root"}}}
	n := largeGraph / 2
	for i := range n {
		a, b := fmt.Sprint("a", i), fmt.Sprint("b", i)
		g.Nodes = append(g.Nodes, &graph.Node{ID: a, Detail: []string{"one", "two", "three"}}, &graph.Node{ID: b})
		g.Edges = append(g.Edges, &graph.Edge{From: "root", To: a}, &graph.Edge{From: a, To: b})
	}
	l := newLayout(g)
	if !l.simple {
		t.Fatal("the graph is not a large one")
	}
	steep := 0
	for i := 1; i < len(l.x.Nodes); i += 2 {
		if math.Abs(l.cells[i].cross+l.shapes[i].whole-l.cells[i+1].cross-l.shapes[i+1].whole) > l.shapes[i].height {
			steep++
		}
	}
	if steep > 0 {
		t.Errorf("%d of %d edges are steep, want at most 0", steep, n)
	}
}

// TestOverlaps: adjacent boxes have no point in common.
func TestOverlaps(t *testing.T) {
	box := rect{10, 10, 10, 10}
	for other, want := range map[rect]bool{
		{20, 10, 5, 10}: false, {5, 10, 5, 10}: false, {10, 20, 10, 5}: false, {10, 5, 10, 5}: false,
		{19, 19, 5, 5}: true, {5, 5, 6, 6}: true, {12, 12, 1, 1}: true,
	} {
		if box.overlaps(other) != want || other.overlaps(box) != want {
			t.Errorf("%v and %v: want %v", box, other, want)
		}
	}
}

// TestDense checks a chain with links between all pairs of nodes, which would
// need millions of bends.
func TestDense(t *testing.T) {
	need.Slow(t)
	g := chain(3000)
	r := rand.New(rand.NewPCG(3, 4))
	for range 9000 {
		g.Edges = append(g.Edges, &graph.Edge{From: g.Nodes[r.IntN(3000)].ID, To: g.Nodes[r.IntN(3000)].ID})
	}
	l := newLayout(g)
	if n := len(l.levels[0].items); n > len(g.Nodes)+2*len(g.Edges) {
		t.Errorf("%d items for %d nodes, want at most %v", n, len(g.Nodes), len(g.Nodes)+2*len(g.Edges))
	}
	if err := Write(io.Discard, g); err != nil {
		t.Fatal(err)
	}
}

// TestRows: a long pipeline gets several rows of similar length, nothing
// overlaps, and a link to the next row runs between the two rows.
func TestRows(t *testing.T) {
	g := chain(40)
	g.Edges = append(g.Edges,
		&graph.Edge{From: g.Nodes[2].ID, To: g.Nodes[35].ID, Label: "far"},
		&graph.Edge{From: g.Nodes[30].ID, To: g.Nodes[4].ID, Label: "back"})
	l := newLayout(g)
	if l.box[0].main > longPart || l.box[0].cross < 200 {
		t.Errorf("the picture is %.0f by %.0f, want l.box[0].main at most %v and l.box[0].cross at least 200", l.box[0].main, l.box[0].cross, longPart)
	}
	w := &writer{layout: l}
	for i := range l.x.Nodes {
		a := rect{l.cells[i].main, l.cells[i].cross, l.shapes[i].width, l.shapes[i].height}
		if a.x < 0 || a.y < 0 || a.x+a.width > l.box[0].main || a.y+a.height > l.box[0].cross {
			t.Errorf("node %d lies outside, want a.x at least 0, a.y at least 0, a.x + a.width at most %v and a.y + a.height at most %v", i, l.box[0].main, l.box[0].cross)
		}
		for j := range i {
			if a.overlaps(rect{l.cells[j].main, l.cells[j].cross, l.shapes[j].width, l.shapes[j].height}) {
				t.Errorf("nodes %d and %d overlap", i, j)
			}
		}
		for e := range l.x.Edges { // the straight pieces between rows
			for k, knots := 0, w.path(e); k+1 < len(knots); k++ {
				p, q := knots[k], knots[k+1]
				if p.bulge == 0 && p.cross == q.cross && q.main < p.main-1 && a.overlaps(rect{q.main, p.cross, p.main - q.main, 0.1}) {
					t.Errorf("edge %d runs through node %d", e, i)
				}
			}
		}
	}
}

func drawGraph(t *rapid.T) *graph.Graph {
	g := &graph.Graph{Direction: graph.Direction(rapid.IntRange(0, 1).Draw(t, "direction"))}
	n := rapid.IntRange(0, 24).Draw(t, "nodes")
	id := func(i int) string { return fmt.Sprintf("n%d", i) }
	ports := func(name string) (ports []graph.Port) {
		for i := range rapid.IntRange(0, 3).Draw(t, name) {
			ports = append(ports, graph.Port{Name: fmt.Sprintf("p%d", i)})
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
		g.Groups = append(g.Groups, &graph.Group{ID: fmt.Sprintf("g%d", i), Parent: group("parent")})
	}
	for i := range n {
		g.Nodes = append(g.Nodes, &graph.Node{ID: id(i), Group: group("group"), In: ports("in"), Out: ports("out"), Kind: rapid.StringN(0, 3, -1).Draw(t, "kind")})
	}
	for range rapid.IntRange(0, 40).Draw(t, "edges") {
		g.Edges = append(g.Edges, &graph.Edge{
			From: id(rapid.IntRange(0, n).Draw(t, "from")), FromPort: rapid.SampledFrom([]string{"", "p0", "p1", "p2"}).Draw(t, "out port"),
			To: id(rapid.IntRange(0, n).Draw(t, "to")), ToPort: rapid.SampledFrom([]string{"", "p0", "p1", "p2"}).Draw(t, "in port"),
			Label: rapid.SampledFrom([]string{"", "", "40"}).Draw(t, "label"),
		})
	}
	return g
}

func chain(n int) *graph.Graph {
	g := &graph.Graph{}
	for i := range n {
		g.Nodes = append(g.Nodes, &graph.Node{ID: fmt.Sprintf("n%d", i)})
		if i > 0 {
			g.Edges = append(g.Edges, &graph.Edge{From: fmt.Sprintf("n%d", i-1), To: fmt.Sprintf("n%d", i)})
		}
	}
	return g
}
