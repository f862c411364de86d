package svg

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/graph"
)

// Measures of the legend, in pixels.
const (
	legendGap     = 22.0 // between the picture and its legend
	legendRow     = 20.0
	legendSign    = 26.0 // a box or a piece of line
	legendBetween = 18.0
	legendWidth   = 560.0 // for a narrow picture
	legendKinds   = 16
)

// legendEntry is one line of the legend.
type legendEntry struct {
	class string // of a box, or of a line
	line  bool
	text  string
	x, y  float64
}

// legend lists the colours of the nodes and the styles of the lines that the
// picture has. It returns its size.
func (w *writer) legend(lines map[graph.Style]string, room float64) (list []legendEntry, width, height float64) {
	kinds, more := 0, 0
	for _, n := range w.x.Nodes {
		if _, known := w.kinds[n.Kind]; n.Kind == "" || known {
			continue
		}
		class := fmt.Sprintf("node k%d", w.colour(n.Kind))
		if kinds++; kinds > legendKinds {
			more++
			continue
		}
		list = append(list, legendEntry{class: class, text: shorten(graph.OneLine(n.Kind))})
	}
	if more > 0 {
		list = append(list, legendEntry{text: fmt.Sprintf("and %d more kinds", more)})
	}
	if slices.ContainsFunc(w.x.Nodes, func(n *graph.Node) bool { return n.Wrong }) {
		list = append(list, legendEntry{class: "node k0 wrong", text: "not known"})
	}
	used := map[graph.Style]bool{}
	for _, e := range w.x.Edges {
		used[e.Edge.Style] = true
	}
	for s := graph.Solid; s <= graph.Thick; s++ {
		if text := lines[s]; text != "" && used[s] {
			list = append(list, legendEntry{class: "edge" + edgeLooks[s], line: true, text: text})
		}
	}
	room = max(room, legendWidth)
	x, y := 0.0, 0.0
	for i := range list {
		s := &list[i]
		need := textWidth(s.text, smallSize)
		if s.class != "" {
			need += legendSign + 6
		}
		if x > 0 && x+need > room {
			x, y = 0, y+legendRow
		}
		s.x, s.y = x, y
		x += need + legendBetween
		width = max(width, s.x+need)
	}
	if len(list) > 0 {
		height = legendGap + y + legendRow
	}
	return list, width, height
}

func (w *writer) drawLegend(list []legendEntry, top float64) {
	if len(list) == 0 {
		return
	}
	w.WriteString(`<g class="legend">` + "\n")
	for _, s := range list {
		x, y := margin+s.x, top+legendGap+s.y
		text := x
		switch {
		case s.line:
			fmt.Fprintf(w, `<path class="%s" d="M%s %sL%s %[3]s"/>`, s.class, num(x), num(y+9), num(x+legendSign))
			text += legendSign + 6
		case s.class != "":
			fmt.Fprintf(w, `<g class="%s"><rect class="whole" x="%s" y="%s" width="%s" height="14" rx="4"/></g>`, s.class, num(x), num(y+2), num(legendSign))
			text += legendSign + 6
		}
		fmt.Fprintf(w, `<text class="key" x="%s" y="%s">%s</text>`+"\n", num(text), num(y+13), xmlText(s.text))
	}
	w.WriteString("</g>\n")
}
