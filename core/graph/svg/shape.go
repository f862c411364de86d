package svg

import (
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
)

// A layout has two axes: edges run along the main axis, and cross is
// perpendicular to it. Only shapes and the final drawing know which of the
// two is horizontal.
type point struct{ main, cross float64 }

// Distances inside a node, in pixels.
const (
	nodePad    = 12.0
	nodeTop    = 8.0
	labelLine  = 17.0
	smallLine  = 14.0
	portRow    = 20.0
	portGap    = 18.0
	portMargin = 5.0
	maxDetail  = 12
)

// shape is the texts and sizes of a node.
type shape struct {
	label, kind   string
	detail        []string
	lines         []string // the lines of the label
	width, height float64
	head          float64 // height of the part with label and detail
	headTop       float64 // the offset of the head
	in, out       []float64
	whole         float64 // the position on the cross axis where edges without a port end
}

func shapeOf(n *graph.Node, dir graph.Direction) shape {
	s := shape{label: graph.Clean(n.Name()), kind: shorten(graph.OneLine(n.Kind))}
	lines := strings.Split(s.label, "\n")
	if len(lines) > maxDetail {
		lines = append(lines[:maxDetail], "…")
	}
	for _, l := range lines {
		s.lines = append(s.lines, shorten(l))
	}
	for _, d := range n.Detail {
		s.detail = append(s.detail, breakLine(shorten(graph.OneLine(d)))...)
		if len(s.detail) > maxDetail {
			s.detail = append(s.detail[:maxDetail], "…")
			break
		}
	}
	for _, l := range s.lines {
		s.width = max(s.width, textWidth(l, labelSize)*1.06)
	}
	small := s.detail
	if s.kind != "" {
		small = append([]string{s.kind}, small...)
	}
	for _, l := range small {
		s.width = max(s.width, textWidth(l, smallSize))
	}
	s.width = max(s.width+2*nodePad, 48)
	s.head = 2*nodeTop + labelLine*float64(len(s.lines)) + smallLine*float64(len(small))
	if dir == graph.Right {
		s.portsBeside(n)
	} else {
		s.portsAround(n)
	}
	return s
}

// portsBeside puts inputs on the left and outputs on the right, in rows under
// the head.
func (s *shape) portsBeside(n *graph.Node) {
	rows := max(len(n.In), len(n.Out))
	s.height = s.head
	s.whole = s.head / 2
	if rows == 0 {
		return
	}
	left, right := 0.0, 0.0
	for _, p := range n.In {
		left = max(left, portWidth(p))
	}
	for _, p := range n.Out {
		right = max(right, portWidth(p))
	}
	s.width = max(s.width, left+right+portGap+2*nodePad)
	s.height += portRow*float64(rows) + 2*portMargin
	at := func(i int) float64 { return s.head + portMargin + portRow*(float64(i)+0.5) }
	for i := range n.In {
		s.in = append(s.in, at(i))
	}
	for i := range n.Out {
		s.out = append(s.out, at(i))
	}
}

// portsAround puts inputs in a row above the head and outputs below it.
func (s *shape) portsAround(n *graph.Node) {
	row := func(ports []graph.Port) (width float64) {
		for _, p := range ports {
			width += portWidth(p) + portGap
		}
		return width
	}
	s.width = max(s.width, row(n.In)+nodePad, row(n.Out)+nodePad)
	place := func(ports []graph.Port) (at []float64) {
		x := (s.width - row(ports)) / 2
		for _, p := range ports {
			w := portWidth(p) + portGap
			at = append(at, x+w/2)
			x += w
		}
		return at
	}
	s.in, s.out = place(n.In), place(n.Out)
	s.height = s.head
	if len(n.In) > 0 {
		s.headTop = portRow
		s.height += portRow
	}
	if len(n.Out) > 0 {
		s.height += portRow
	}
	s.whole = s.width / 2
}

func portWidth(p graph.Port) float64 { return textWidth(shorten(graph.OneLine(p.Name)), smallSize) }
