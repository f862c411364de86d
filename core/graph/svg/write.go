// Package svg draws graphs.
//
// The layout is part of this package, so drawing needs no other program. Each
// group is laid out separately, innermost first, and is then one box in the
// enclosing group. So boxes never overlap, and a group's nodes stay together.
// Edges that leave a group pass a point on its border.
//
//	graph.Index ──levels──▶ rank ─▶ bend ─▶ sweep ─▶ place ─▶ route ──▶ SVG
package svg

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
)

// Write writes a graph as a complete picture with light and dark colours, which
// follow the preference set in the reader's browser.
func Write(w io.Writer, g *graph.Graph) error {
	out := newWriter(w, g)
	out.picture(g)
	return out.Flush()
}

// WriteInline writes a graph as an element for a page that includes StyleSheet.
// The attribute data-node is the number of a node in the graph, and data-edge
// is the number of an edge. The element has no title.
func WriteInline(w io.Writer, g *graph.Graph) error {
	out := newWriter(w, g)
	out.inline = true
	out.picture(g)
	return out.Flush()
}

const (
	margin    = 24.0
	titleRoom = 34.0
	maxTitle  = 240 // characters
	arrow     = 7.0
	dot       = 3.0 // radius of a port
	radius    = 7.0 // of a box's corners
	sheet     = 4.0 // distance from the node of a closed group to the sheet drawn under it
)

type writer struct {
	*bufio.Writer
	*layout
	inline bool
	kinds  map[string]int // the number of each kind's colour
	top    float64        // the top of the contents
}

func newWriter(w io.Writer, g *graph.Graph) *writer {
	return &writer{Writer: bufio.NewWriter(w), layout: newLayout(g), kinds: make(map[string]int)}
}

func (w *writer) picture(g *graph.Graph) {
	title := graph.OneLine(g.Title)
	if r := []rune(title); len(r) > maxTitle {
		title = string(r[:maxTitle-1]) + "…"
	}
	if w.inline {
		title = ""
	}
	width, height := w.xy(w.box[0])
	empty := len(w.x.Nodes)+len(w.x.Groups) == 0
	if empty {
		width, height = 120, 20
	}
	w.top = margin
	if title != "" {
		w.top += titleRoom
		width = max(width, textWidth(title, titleSize)*1.06)
	}
	signs, needed, below := w.legend(g.Lines, width)
	width = max(width, needed) + 2*margin
	foot := w.top + height
	height = foot + below + margin
	w.open(title, width, height)
	if empty {
		fmt.Fprintf(w, `<text class="small" x="%s" y="%s">nothing to draw</text>`+"\n", num(margin), num(w.top+14))
	}
	w.groups(-1)
	for i := range w.x.Edges {
		w.edge(i)
	}
	w.groupLabels()
	for i := range w.x.Nodes {
		w.node(i)
	}
	w.edgeLabels()
	w.drawLegend(signs, foot)
	w.WriteString("</svg>\n")
}

// open begins the picture with its size and, unless it is inline, its styles
// and title.
func (w *writer) open(title string, width, height float64) {
	role := "img"
	if w.inline {
		role = "group" // a role that lets users select the nodes inside
	}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="pentode-graph" role="%s" width="%s" height="%s" viewBox="0 0 %[2]s %[3]s">`, role, num(width), num(height))
	w.WriteString("\n")
	if w.inline {
		return
	}
	if title != "" {
		fmt.Fprintf(w, "<title>%s</title>\n", xmlText(title))
	}
	w.WriteString("<style>\n" + StyleSheet + "</style>\n")
	fmt.Fprintf(w, `<rect class="page" width="%s" height="%s"/>`+"\n", num(width), num(height))
	if title != "" {
		fmt.Fprintf(w, `<text class="title" x="%s" y="%s">%s</text>`+"\n", num(margin), num(margin+titleSize), xmlText(title))
	}
}

// data returns the attribute that identifies a node or an edge in an inline
// picture.
func (w *writer) data(what string, number int) string {
	if !w.inline {
		return ""
	}
	return fmt.Sprintf(` data-%s="%d"`, what, number)
}

// xy converts main and cross to x and y.
func (l *layout) xy(p point) (x, y float64) {
	if l.dir == graph.Down {
		return p.cross, p.main
	}
	return p.main, p.cross
}

// screen is xy relative to the whole picture.
func (w *writer) screen(p point) (x, y float64) {
	x, y = w.xy(p)
	return x + margin, y + w.top
}

// groups draws the groups in a group, with outer groups under inner ones. nest
// limits its recursion.
func (w *writer) groups(in int) {
	before, _ := w.padding()
	for _, g := range w.x.GroupsIn(in) {
		at := w.origin[g+1]
		x, y := w.screen(point{at.main - before.main, at.cross - before.cross})
		width, height := w.xy(w.box[g+1])
		fmt.Fprintf(w, `<rect class="group" x="%s" y="%s" width="%s" height="%s" rx="10"/>`+"\n", num(x), num(y), num(width), num(height))
		w.groups(g)
	}
}

// groupLabels draws the labels after the edges, which may pass under them.
func (w *writer) groupLabels() {
	before, _ := w.padding()
	for g, group := range w.x.Groups {
		at := w.origin[g+1]
		x, y := w.screen(point{at.main - before.main, at.cross - before.cross})
		fmt.Fprintf(w, `<text class="grouplabel" x="%s" y="%s">%s</text>`+"\n", num(x+groupPad-4), num(y+19), xmlText(shorten(graph.OneLine(group.Name()))))
	}
}

var edgeLooks = [...]string{graph.Dashed: " dashed", graph.Dotted: " dotted", graph.Thick: " thick"}

func (w *writer) edge(number int) {
	knots := w.path(number)
	e := w.x.Edges[number].Edge
	look := ""
	if e.Style > graph.Solid && int(e.Style) < len(edgeLooks) {
		look = edgeLooks[e.Style]
	}
	tip := knots[len(knots)-1].point
	if w.x.InPort(w.x.Edges[number]) >= 0 {
		tip.main -= dot
	}
	for i := max(len(knots)-2, 0); i < len(knots); i++ {
		knots[i].main = min(knots[i].main, tip.main-arrow+1)
	}
	fmt.Fprintf(w, `<path class="edge%s"%s d="%s"/>`, look, w.data("edge", number), w.curve(knots))
	ax, ay := w.screen(tip)
	bx, by := w.screen(point{tip.main - arrow, tip.cross - arrow*0.55})
	cx, cy := w.screen(point{tip.main - arrow, tip.cross + arrow*0.55})
	fmt.Fprintf(w, `<path class="arrow"%s d="M%s %sL%s %sL%s %sZ"/>`+"\n", w.data("edge", number), num(ax), num(ay), num(bx), num(by), num(cx), num(cy))
}

// path joins the parts of an edge to one list of knots in the whole picture.
func (w *writer) path(number int) []knot {
	var all []knot
	for _, s := range w.routes[number] {
		at := w.origin[s.level]
		for _, k := range w.levels[s.level].links[s.link].knots {
			k.main += at.main
			k.cross += at.cross
			all = append(all, k)
		}
	}
	return all
}

// curve writes knots as path data. Adjacent knots at the same place are written
// once.
func (w *writer) curve(knots []knot) string {
	var b strings.Builder
	put := func(op string, points ...point) {
		b.WriteString(op)
		for i, p := range points {
			if i > 0 {
				b.WriteByte(' ')
			}
			x, y := w.screen(p)
			b.WriteString(num(x))
			b.WriteByte(' ')
			b.WriteString(num(y))
		}
	}
	put("M", knots[0].point)
	for i := 1; i < len(knots); i++ {
		p, q := knots[i-1], knots[i]
		half := (q.main - p.main) / 2
		switch {
		case p.bulge != 0:
			put("C", point{p.main + p.bulge, p.cross}, point{q.main + p.bulge, q.cross}, q.point)
		case math.Abs(p.cross-q.cross) < 0.05:
			if math.Abs(p.main-q.main) >= 0.05 {
				put("L", q.point)
			}
		default:
			put("C", point{p.main + half, p.cross}, point{q.main - half, q.cross}, q.point)
		}
	}
	return b.String()
}

// num writes a coordinate with at most one decimal.
func num(f float64) string {
	s := strconv.FormatFloat(math.Round(f*10)/10, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func xmlText(s string) string { return xmlEscapes.Replace(s) }
