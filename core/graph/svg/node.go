package svg

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
)

// colours is the number of different node colours.
const colours = 8

// colour returns the number of a kind's colour. Kinds get colours in order of
// appearance; 0 means no colour.
func (w *writer) colour(kind string) int {
	if kind == "" {
		return 0
	}
	c, ok := w.kinds[kind]
	if !ok {
		c = len(w.kinds)%colours + 1
		w.kinds[kind] = c
	}
	return c
}

// class returns the CSS classes of a node.
func (w *writer) class(n *graph.Node) string {
	class := fmt.Sprintf("node k%d", w.colour(n.Kind))
	if n.Wrong {
		class += " wrong"
	}
	if n.Closed {
		class += " closed"
	}
	return class
}

func (w *writer) node(number int) {
	n, s := w.x.Nodes[number], &w.shapes[number]
	x, y := w.screen(w.cells[number])
	fmt.Fprintf(w, `<g class="%s"%s>`, w.class(n), w.data("node", number))
	if tip := tooltip(n, s); tip != "" {
		fmt.Fprintf(w, "<title>%s</title>", xmlText(tip))
	}
	if n.Closed { // draw a second sheet under the node
		fmt.Fprintf(w, `<rect class="whole" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, num(x+sheet), num(y+sheet), num(s.width), num(s.height), num(radius))
	}
	if len(s.in)+len(s.out) == 0 {
		fmt.Fprintf(w, `<rect class="whole" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, num(x), num(y), num(s.width), num(s.height), num(radius))
	} else {
		fmt.Fprintf(w, `<rect class="body" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, num(x), num(y), num(s.width), num(s.height), num(radius))
		w.head(x, y, s)
		fmt.Fprintf(w, `<rect class="outline" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, num(x), num(y), num(s.width), num(s.height), num(radius))
	}
	w.headText(x+s.width/2, y+s.headTop+nodeTop, s)
	w.ports(n, s, x, y)
	w.WriteString("</g>\n")
}

// head draws the area under the label. It has the node's round corners where it
// touches them.
func (w *writer) head(x, y float64, s *shape) {
	top, bottom := radius, radius
	if s.headTop > 0 {
		top = 0
	}
	if s.headTop+s.head < s.height {
		bottom = 0
	}
	r, b := num(x+s.width), num(y+s.headTop+s.head)
	fmt.Fprintf(w, `<path class="head" d="M%s %sa%s %[3]s 0 0 1 %[3]s -%[3]sL%s %sa%[3]s %[3]s 0 0 1 %[3]s %[3]s`, num(x), num(y+s.headTop+top), num(top), num(x+s.width-top), num(y+s.headTop))
	fmt.Fprintf(w, `L%s %sa%s %[3]s 0 0 1 -%[3]s %[3]sL%s %sa%[3]s %[3]s 0 0 1 -%[3]s -%[3]sZ"/>`, r, num(y+s.headTop+s.head-bottom), num(bottom), num(x+bottom), b)
}

func (w *writer) headText(middle, y float64, s *shape) {
	for _, l := range s.lines {
		fmt.Fprintf(w, `<text class="label" x="%s" y="%s">%s</text>`, num(middle), num(y+13), xmlText(l))
		y += labelLine
	}
	if s.kind != "" {
		fmt.Fprintf(w, `<text class="kind" x="%s" y="%s">%s</text>`, num(middle), num(y+11), xmlText(s.kind))
		y += smallLine
	}
	for _, l := range s.detail {
		fmt.Fprintf(w, `<text class="small" x="%s" y="%s">%s</text>`, num(middle), num(y+11), xmlText(l))
		y += smallLine
	}
}

func (w *writer) ports(n *graph.Node, s *shape, x, y float64) {
	if w.dir == graph.Down {
		for i, p := range n.In {
			w.port(p, "port middle", x+s.in[i], y, x+s.in[i], y+14)
		}
		for i, p := range n.Out {
			w.port(p, "port middle", x+s.out[i], y+s.height, x+s.out[i], y+s.height-7)
		}
		return
	}
	for i, p := range n.In {
		w.port(p, "port", x, y+s.in[i], x+nodePad-2, y+s.in[i]+4)
	}
	for i, p := range n.Out {
		w.port(p, "port end", x+s.width, y+s.out[i], x+s.width-nodePad+2, y+s.out[i]+4)
	}
}

func (w *writer) port(p graph.Port, class string, dotX, dotY, textX, textY float64) {
	fmt.Fprintf(w, `<circle class="dot" cx="%s" cy="%s" r="%s"/>`, num(dotX), num(dotY), num(dot))
	fmt.Fprintf(w, `<text class="%s" x="%s" y="%s">`, class, num(textX), num(textY))
	if p.Type != "" {
		fmt.Fprintf(w, "<title>%s</title>", xmlText(graph.OneLine(p.Name)+": "+graph.OneLine(p.Type)))
	}
	fmt.Fprintf(w, "%s</text>", xmlText(shorten(graph.OneLine(p.Name))))
}

// tooltip returns the whole text of a node if the drawn text is cut.
func tooltip(n *graph.Node, s *shape) string {
	drawn := strings.Join(append(append([]string(nil), s.lines...), append([]string{s.kind}, s.detail...)...), "\n")
	full := graph.Clean(n.Name()) + "\n" + graph.OneLine(n.Kind)
	for _, d := range n.Detail {
		full += "\n" + graph.OneLine(d)
	}
	if words(drawn) == words(full) { // compare words, because a line may be broken between them
		return ""
	}
	return full
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }
