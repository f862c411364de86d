package svg

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/graph"
)

// TestLabelHidesNothing checks that if there is space, a label is placed next to its line and covers no line.
func TestLabelHidesNothing(t *testing.T) {
	for _, dir := range []graph.Direction{graph.Right, graph.Down} {
		g := &graph.Graph{Direction: dir, Nodes: []*graph.Node{{ID: "a"}, {ID: "b"}}, Edges: []*graph.Edge{{From: "a", To: "b", Label: "runs"}}}
		w := &writer{layout: newLayout(g), top: margin}
		s := w.space()
		width := textWidth("runs", smallSize)
		line := w.path(0)
		middle := point{(line[0].main + line[len(line)-1].main) / 2, line[0].cross}
		x, y := s.find(0, width, smallLine, dir, func(float64) (float64, float64) { return w.screen(middle) })
		if cost := w.space().cost(rect{x - width/2, y - smallLine/2, width, smallLine}, 0); cost != 0 {
			t.Errorf("direction %d: the label at %.0f, %.0f hides %d; want 0", dir, x, y, cost)
		}
	}
}

// TestLabelHidesLeast checks that a label between lines without enough space covers its own line rather than
// another one, and never a box.
func TestLabelHidesLeast(t *testing.T) {
	s := &space{map[[2]int][]rect{}, map[[2]int][]onLine{}}
	for x := 0.0; x < 200; x += onLineGap {
		for edge, y := range []float64{40, 49, 58} {
			c := squareOf(x, y)
			s.lines[c] = append(s.lines[c], onLine{x, y, edge})
		}
	}
	along := func(t float64) (float64, float64) { return 200 * t, 49 }
	x, y := s.find(1, 30, smallLine, graph.Right, along)
	if x != 100 || y != 49 {
		t.Errorf("the first label is at %.0f, %.0f; want x = 100 and y = 49", x, y)
	}
	if x, y = s.find(1, 30, smallLine, graph.Right, along); x == 100 || y != 49 {
		t.Errorf("the second label is at %.0f, %.0f, on the first; want x other than 100 and y = 49", x, y)
	}
}

// TestBreakLine: small lines are broken between words, and no word is lost.
func TestBreakLine(t *testing.T) {
	for text, want := range map[string][]string{
		"":         {""},
		"one line": {"one line"},
		"pentode run heat.pipe --policy heat.pinsight": {"pentode run heat.pipe --policy", "heat.pinsight"},
		strings.Repeat("w", 50) + " x":                 {strings.Repeat("w", 50), "x"},
	} {
		if got := breakLine(text); !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %v", text, got, want)
		}
	}
}

// TestWidth checks that if a picture has a width, as many layers are on a row as fit.
func TestWidth(t *testing.T) {
	g := chain(12)
	free := newLayout(g).box[0]
	g.Width = 500
	rows := newLayout(g).box[0]
	if free.main < 1000 || rows.main > 650 || rows.cross < 2*free.cross {
		t.Errorf("without a width %.0f by %.0f, with one of 500 %.0f by %.0f", free.main, free.cross, rows.main, rows.cross)
	}
}
