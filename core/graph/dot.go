package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteDOT writes the graph for Graphviz.
func (g *Graph) WriteDOT(w io.Writer) error {
	out := &dotWriter{Writer: bufio.NewWriter(w), x: g.Index(), right: g.Direction == Right}
	out.graph(g)
	return out.Flush()
}

type dotWriter struct {
	*bufio.Writer
	x     *Index
	right bool
}

func (w *dotWriter) graph(g *Graph) {
	w.WriteString("digraph {\n")
	if g.Title != "" {
		fmt.Fprintf(w, "  label=%s; labelloc=t;\n", dotString(g.Title))
	}
	if w.right {
		w.WriteString("  rankdir=LR;\n")
	}
	w.WriteString("  node [shape=box, style=rounded, fontname=\"Helvetica\"];\n")
	w.WriteString("  edge [fontname=\"Helvetica\", fontsize=10];\n")
	w.level(-1, "  ")
	for _, a := range w.x.Edges {
		w.edge(a)
	}
	w.WriteString("}\n")
}

// level writes the direct contents of a group; nest limits its recursion.
func (w *dotWriter) level(group int, indent string) {
	for _, n := range w.x.nodeIn.of(group + 1) {
		w.node(w.x.Nodes[n], indent)
	}
	for _, k := range w.x.GroupsIn(group) {
		fmt.Fprintf(w, "%ssubgraph cluster_%d {\n", indent, k)
		fmt.Fprintf(w, "%s  label=%s;\n", indent, dotString(w.x.Groups[k].Name()))
		w.level(k, indent+"  ")
		fmt.Fprintf(w, "%s}\n", indent)
	}
}

func (w *dotWriter) node(n *Node, indent string) {
	w.WriteString(indent)
	w.WriteString(dotString(n.ID))
	if len(n.In)+len(n.Out) > 0 {
		fmt.Fprintf(w, " [shape=plain, label=<%s>];\n", w.table(n))
		return
	}
	text := n.Name()
	if n.Kind != "" {
		text += "\n" + n.Kind
	}
	for _, d := range n.Detail {
		text += "\n" + d
	}
	if text != n.ID {
		fmt.Fprintf(w, " [label=%s]", dotString(text))
	}
	if n.Wrong {
		w.WriteString(` [color="red" style="dashed"]`)
	}
	w.WriteString(";\n")
}

// table draws a node with ports: its name, then its ports on both sides, or
// above and below if edges run down.
func (w *dotWriter) table(n *Node) string {
	var b strings.Builder
	rows := max(len(n.In), len(n.Out))
	span := 2
	if !w.right {
		span = max(rows, 1)
	}
	head := func() {
		fmt.Fprintf(&b, `<tr><td colspan="%d"><b>%s</b>`, span, dotHTML(n.Name()))
		if n.Kind != "" {
			fmt.Fprintf(&b, `<br/><font point-size="10">%s</font>`, dotHTML(n.Kind))
		}
		for _, d := range n.Detail {
			fmt.Fprintf(&b, `<br/><font point-size="10">%s</font>`, dotHTML(d))
		}
		b.WriteString("</td></tr>")
	}
	cell := func(side byte, ports []Port, i int, align string) {
		if i < len(ports) {
			fmt.Fprintf(&b, `<td port="%c%d"%s>%s</td>`, side, i, align, dotHTML(ports[i].Name))
		} else {
			b.WriteString("<td></td>")
		}
	}
	row := func(side byte, ports []Port) {
		if len(ports) == 0 {
			return
		}
		b.WriteString("<tr>")
		for i := range span {
			cell(side, ports, i, "")
		}
		b.WriteString("</tr>")
	}
	b.WriteString(`<table border="0" cellborder="1" cellspacing="0" cellpadding="4"`)
	if n.Wrong {
		b.WriteString(` color="red"`)
	}
	b.WriteByte('>')
	if w.right {
		head()
		for i := range rows {
			b.WriteString("<tr>")
			cell('i', n.In, i, ` align="left"`)
			cell('o', n.Out, i, ` align="right"`)
			b.WriteString("</tr>")
		}
	} else {
		row('i', n.In)
		head()
		row('o', n.Out)
	}
	b.WriteString("</table>")
	return b.String()
}

var dotStyles = [...]string{Dashed: "dashed", Dotted: "dotted", Thick: "bold"}

func (w *dotWriter) edge(a Arc) {
	w.WriteString("  ")
	w.WriteString(dotString(a.Edge.From))
	leave, arrive := "e", "w"
	if !w.right {
		leave, arrive = "s", "n"
	}
	if i := w.x.OutPort(a); i >= 0 {
		fmt.Fprintf(w, ":o%d:%s", i, leave)
	}
	w.WriteString(" -> ")
	w.WriteString(dotString(a.Edge.To))
	if i := w.x.InPort(a); i >= 0 {
		fmt.Fprintf(w, ":i%d:%s", i, arrive)
	}
	var attrs []string
	if a.Edge.Label != "" {
		attrs = append(attrs, "label="+dotString(a.Edge.Label))
	}
	if s := a.Edge.Style; s > Solid && int(s) < len(dotStyles) {
		attrs = append(attrs, "style="+dotStyles[s])
	}
	if len(attrs) > 0 {
		fmt.Fprintf(w, " [%s]", strings.Join(attrs, ", "))
	}
	w.WriteString(";\n")
}

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func dotString(s string) string { return `"` + dotEscapes.Replace(Clean(s)) + `"` }

var dotHTMLEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "<br/>")

func dotHTML(s string) string {
	if s == "" {
		return " " // Graphviz rejects an empty element
	}
	return dotHTMLEscapes.Replace(Clean(s))
}
