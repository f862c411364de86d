package graph

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteMermaid writes the graph as a Mermaid flowchart. Mermaid has no ports,
// so their names are written on the edges. The ids of nodes are numbers,
// because words such as `end` break a flowchart.
func (g *Graph) WriteMermaid(w io.Writer) error {
	out := &mermaidWriter{bufio.NewWriter(w), g.Index()}
	if g.Title != "" {
		title, err := json.Marshal(OneLine(g.Title)) // a JSON string is a YAML string
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "---\ntitle: %s\n---\n", title)
	}
	if g.Direction == Down {
		out.WriteString("flowchart TB\n")
	} else {
		out.WriteString("flowchart LR\n")
	}
	out.level(-1, "  ")
	for _, a := range out.x.Edges {
		out.edge(a)
	}
	return out.Flush()
}

type mermaidWriter struct {
	*bufio.Writer
	x *Index
}

// level writes the direct contents of a group; nest limits its recursion.
func (w *mermaidWriter) level(group int, indent string) {
	for _, i := range w.x.nodeIn.of(group + 1) {
		n := w.x.Nodes[i]
		fmt.Fprintf(w, "%sn%d[\"%s", indent, i, mermaidText(n.Name()))
		if n.Kind != "" {
			fmt.Fprintf(w, "<br/><i>%s</i>", mermaidText(n.Kind))
		}
		for _, d := range n.Detail {
			fmt.Fprintf(w, "<br/><small>%s</small>", mermaidText(d))
		}
		w.WriteString("\"]\n")
	}
	for _, k := range w.x.GroupsIn(group) {
		fmt.Fprintf(w, "%ssubgraph g%d[\"%s\"]\n", indent, k, mermaidText(w.x.Groups[k].Name()))
		w.level(k, indent+"  ")
		fmt.Fprintf(w, "%send\n", indent)
	}
}

var mermaidArrows = [...]string{Solid: "-->", Dashed: "-.->", Dotted: "-.->", Thick: "==>"}

func (w *mermaidWriter) edge(a Arc) {
	arrow := mermaidArrows[Solid]
	if s := a.Edge.Style; s > Solid && int(s) < len(mermaidArrows) {
		arrow = mermaidArrows[s]
	}
	fmt.Fprintf(w, "  n%d %s", a.From, arrow)
	if text := edgeText(a.Edge); text != "" {
		fmt.Fprintf(w, "|\"%s\"|", mermaidText(text))
	}
	fmt.Fprintf(w, " n%d\n", a.To)
}

// edgeText returns the ports and the label of an edge.
func edgeText(e *Edge) string {
	text := ""
	switch {
	case e.FromPort != "" && e.ToPort != "":
		text = e.FromPort + " → " + e.ToPort
	case e.FromPort != "":
		text = e.FromPort + " →"
	case e.ToPort != "":
		text = "→ " + e.ToPort
	}
	if e.Label != "" && text != "" {
		return text + "\n" + e.Label
	}
	return text + e.Label
}

// A backquote would begin Markdown, a number sign an entity.
var mermaidEscapes = strings.NewReplacer(
	"#", "#35;", "&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;",
	"`", "#96;", `\`, "#92;", "\n", "<br/>",
)

func mermaidText(s string) string {
	if s = Clean(s); s == "" {
		return " "
	}
	return mermaidEscapes.Replace(s)
}
