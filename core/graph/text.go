package graph

import (
	"bufio"
	"io"
	"sort"
	"strings"

	"github.com/mattn/go-runewidth"
)

// WriteText writes the graph for a terminal: as a tree where it is only nodes
// and edges, as a list of connections where it has ports or groups.
func (g *Graph) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	x := g.index()
	if g.Title != "" {
		out.WriteString(line(g.Title))
		out.WriteString("\n\n")
	}
	switch {
	case len(x.nodes)+len(x.groups) == 0:
		out.WriteString("nothing to draw\n")
	case x.flat():
		(&treeWriter{Writer: out, x: x}).forest()
	default:
		(&listWriter{Writer: out, x: x, rank: x.ranks()}).level(-1, "")
	}
	return out.Flush()
}

// flat reports whether nothing but nodes and edges needs to be shown.
func (x *index) flat() bool {
	if len(x.groups) > 0 {
		return false
	}
	for _, n := range x.nodes {
		if len(n.In)+len(n.Out) > 0 {
			return false
		}
	}
	for _, a := range x.edges {
		if a.edge.FromPort != "" || a.edge.ToPort != "" {
			return false
		}
	}
	return true
}

// ranks numbers the nodes in the order they are read: sources first, what
// hangs on a cycle last.
func (x *index) ranks() []int {
	rank := make([]int, len(x.nodes))
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
	x    *index
	rank []int
	top  []int          // the rank at which each group is shown
	same map[string]int // how many nodes have this label
}

// level writes what lies directly in a group; nest bounds its recursion.
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
	for _, k := range w.x.kids.of(group + 1) {
		entries = append(entries, entry{w.top[k], k, true})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].rank < entries[j].rank })
	for _, e := range entries {
		if !e.group {
			w.node(e.number, indent)
			continue
		}
		w.WriteString(indent + "[" + line(w.x.groups[e.number].label()) + "]\n")
		w.level(e.number, indent+"  ")
	}
}

// rankGroups shows a group where its first node would stand.
func (w *listWriter) rankGroups() {
	w.top = make([]int, len(w.x.groups))
	for i := range w.top {
		w.top[i] = len(w.rank)
	}
	for n, group := range w.x.group {
		for ; group >= 0; group = w.x.parent[group] {
			w.top[group] = min(w.top[group], w.rank[n])
		}
	}
}

func (w *listWriter) countLabels() {
	w.same = make(map[string]int, len(w.x.nodes))
	for _, n := range w.x.nodes {
		w.same[n.label()]++
	}
}

// target names the end of an edge: by its label, or by its ID where another
// node has that label too and the group does not tell them apart.
func (w *listWriter) target(from, to int) string {
	n := w.x.nodes[to]
	if w.same[n.label()] > 1 && w.x.group[from] != w.x.group[to] {
		return n.ID
	}
	return n.label()
}

// node writes a node's name, then one line for each edge that leaves it and
// for each port that nothing is connected to.
func (w *listWriter) node(i int, indent string) {
	n := w.x.nodes[i]
	w.WriteString(indent + line(n.label()))
	if n.Kind != "" {
		w.WriteString("  " + line(n.Kind))
	}
	w.WriteString("\n")
	for _, d := range n.Detail {
		w.WriteString(indent + "    " + line(d) + "\n")
	}
	var rows [][3]string
	used := make(map[string]bool)
	for _, e := range w.x.in.of(i) {
		used[w.x.edges[e].edge.ToPort] = true
	}
	for _, p := range n.In {
		if !used[p.Name] {
			rows = append(rows, [3]string{line(p.Name), "← nothing", line(p.Type)})
		}
	}
	clear(used)
	for _, e := range w.x.out.of(i) {
		edge := w.x.edges[e].edge
		used[edge.FromPort] = true
		to := "→ " + line(w.target(i, w.x.edges[e].to))
		if edge.ToPort != "" {
			to += "." + line(edge.ToPort)
		}
		rows = append(rows, [3]string{line(edge.FromPort), to, line(edge.Label)})
	}
	for _, p := range n.Out {
		if !used[p.Name] {
			rows = append(rows, [3]string{line(p.Name), "→ nothing", line(p.Type)})
		}
	}
	w.columns(rows, indent+"    ")
}

// columns writes rows with their columns aligned, without trailing spaces.
func (w *listWriter) columns(rows [][3]string, indent string) {
	cells := runewidth.Condition{} // the same on every machine, whatever its locale
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
