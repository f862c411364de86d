package graph

import (
	"bufio"
	"io"
	"sort"
	"strings"

	"github.com/mattn/go-runewidth"
)

// WriteText writes the graph for a terminal: as a tree if it has only nodes and
// edges, as a list of connections if it has ports or groups.
func (g *Graph) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	x := g.Index()
	if g.Title != "" {
		out.WriteString(OneLine(g.Title))
		out.WriteString("\n\n")
	}
	switch {
	case len(x.Nodes)+len(x.Groups) == 0:
		out.WriteString("nothing to draw\n")
	case x.flat():
		(&treeWriter{Writer: out, x: x}).forest()
	default:
		(&listWriter{Writer: out, x: x, rank: x.ranks()}).level(-1, "")
	}
	return out.Flush()
}

// flat reports whether the graph has only nodes and edges to show, no ports or
// groups.
func (x *Index) flat() bool {
	if len(x.Groups) > 0 {
		return false
	}
	for _, n := range x.Nodes {
		if len(n.In)+len(n.Out) > 0 {
			return false
		}
	}
	for _, a := range x.Edges {
		if a.Edge.FromPort != "" || a.Edge.ToPort != "" {
			return false
		}
	}
	return true
}

// ranks numbers the nodes in reading order: sources first, nodes that depend on
// a cycle last.
func (x *Index) ranks() []int {
	rank := make([]int, len(x.Nodes))
	for i := range rank {
		rank[i] = -1
	}
	order := x.topo()
	for i, n := range order {
		rank[n] = i
	}
	next := len(order)
	for i := range rank {
		if rank[i] < 0 {
			rank[i] = next
			next++
		}
	}
	return rank
}

type listWriter struct {
	*bufio.Writer
	x    *Index
	rank []int
	top  []int          // the rank of the first node in each group
	same map[string]int // how many nodes have each label
}

// level writes the direct contents of a group; nest limits its recursion.
func (w *listWriter) level(group int, indent string) {
	if w.top == nil {
		w.rankGroups()
		w.countLabels()
	}
	type entry struct {
		rank, number int
		group        bool
	}
	var entries []entry
	for _, n := range w.x.nodeIn.of(group + 1) {
		entries = append(entries, entry{w.rank[n], n, false})
	}
	for _, k := range w.x.GroupsIn(group) {
		entries = append(entries, entry{w.top[k], k, true})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].rank < entries[j].rank })
	for _, e := range entries {
		if !e.group {
			w.node(e.number, indent)
			continue
		}
		w.WriteString(indent + "[" + OneLine(w.x.Groups[e.number].Name()) + "]\n")
		w.level(e.number, indent+"  ")
	}
}

// rankGroups ranks each group by its first node.
func (w *listWriter) rankGroups() {
	w.top = make([]int, len(w.x.Groups))
	for i := range w.top {
		w.top[i] = len(w.rank)
	}
	for n, group := range w.x.Group {
		for ; group >= 0; group = w.x.Parent[group] {
			w.top[group] = min(w.top[group], w.rank[n])
		}
	}
}

func (w *listWriter) countLabels() {
	w.same = make(map[string]int, len(w.x.Nodes))
	for _, n := range w.x.Nodes {
		w.same[n.Name()]++
	}
}

// target returns the name of an edge's end: its label, or its ID if a node in
// another group has the same label.
func (w *listWriter) target(from, to int) string {
	n := w.x.Nodes[to]
	if w.same[n.Name()] > 1 && w.x.Group[from] != w.x.Group[to] {
		return n.ID
	}
	return n.Name()
}

// node writes a node's name, then one line for each outgoing edge and for each
// unconnected port.
func (w *listWriter) node(i int, indent string) {
	n := w.x.Nodes[i]
	w.WriteString(indent + OneLine(n.Name()))
	if n.Kind != "" {
		w.WriteString("  " + OneLine(n.Kind))
	}
	w.WriteString("\n")
	for _, d := range n.Detail {
		w.WriteString(indent + "    " + OneLine(d) + "\n")
	}
	var rows [][3]string
	used := make(map[string]bool)
	for _, e := range w.x.in.of(i) {
		used[w.x.Edges[e].Edge.ToPort] = true
	}
	for _, p := range n.In {
		if !used[p.Name] {
			rows = append(rows, [3]string{OneLine(p.Name), "← nothing", OneLine(p.Type)})
		}
	}
	clear(used)
	for _, e := range w.x.out.of(i) {
		edge := w.x.Edges[e].Edge
		used[edge.FromPort] = true
		to := "→ " + OneLine(w.target(i, w.x.Edges[e].To))
		if edge.ToPort != "" {
			to += "." + OneLine(edge.ToPort)
		}
		rows = append(rows, [3]string{OneLine(edge.FromPort), to, OneLine(edge.Label)})
	}
	for _, p := range n.Out {
		if !used[p.Name] {
			rows = append(rows, [3]string{OneLine(p.Name), "→ nothing", OneLine(p.Type)})
		}
	}
	w.columns(rows, indent+"    ")
}

// columns writes rows with their columns aligned, without trailing spaces.
func (w *listWriter) columns(rows [][3]string, indent string) {
	cells := runewidth.Condition{} // a zero Condition gives the same result on every machine, whatever its locale
	var width [3]int
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], min(cells.StringWidth(cell), 40))
		}
	}
	for _, row := range rows {
		text := indent
		for i, cell := range row {
			if width[i] > 0 {
				text += cells.FillRight(cell, width[i]) + "  "
			}
		}
		w.WriteString(strings.TrimRight(text, " ") + "\n")
	}
}
