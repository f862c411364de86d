package graph

import (
	"bufio"
	"strings"
)

// treeDepth is how deep the tree is indented. Deeper nodes continue at the
// margin, so that a long chain stays readable and its size does not grow
// quadratically.
const treeDepth = 24

type treeWriter struct {
	*bufio.Writer
	x     *Index
	state []byte
	later []int // nodes that are too deep; they are written next, at the margin
	stems []string
}

const (
	unseen byte = iota
	onPath
	shown
	postponed
)

func (w *treeWriter) forest() {
	w.state = make([]byte, len(w.x.Nodes))
	for i := range w.x.Nodes {
		if len(w.x.in.of(i)) == 0 {
			w.tree(i)
		}
	}
	for i := range w.x.Nodes { // nodes in cycles that cannot be reached from any root
		if w.state[i] == unseen {
			w.tree(i)
		}
	}
}

// tree writes a node with everything below it, and then the nodes that continue
// at the margin.
func (w *treeWriter) tree(root int) {
	w.later = append(w.later[:0], root)
	for i := 0; i < len(w.later); i++ {
		n := w.later[i]
		w.WriteString(describe(w.x.Nodes[n]) + "\n")
		w.stems = w.stems[:0]
		w.below(n)
	}
}

func (w *treeWriter) below(n int) {
	w.state[n] = onPath
	out := w.x.out.of(n)
	for i, e := range out {
		branch, stem := "├─ ", "│  "
		if i == len(out)-1 {
			branch, stem = "└─ ", "   "
		}
		to := w.x.Edges[e].To
		kids := len(w.x.out.of(to)) > 0
		text := OneLine(w.x.Nodes[to].Name())
		if w.state[to] == unseen {
			text = describe(w.x.Nodes[to])
		}
		if label := w.x.Edges[e].Edge.Label; label != "" {
			text += "  [" + OneLine(label) + "]"
		}
		descend := false
		switch {
		case w.state[to] == onPath:
			text += "  (cycle)"
		case w.state[to] == postponed:
			text += "  (below)"
		case w.state[to] == shown && kids:
			text += "  (above)"
		case w.state[to] == unseen && kids && len(w.stems) == treeDepth:
			text += "  (below)"
			w.state[to] = postponed
			w.later = append(w.later, to)
		case w.state[to] == unseen:
			descend = true
		}
		for _, s := range w.stems {
			w.WriteString(s)
		}
		w.WriteString(branch + text + "\n")
		if descend {
			w.stems = append(w.stems, stem)
			w.below(to)
			w.stems = w.stems[:len(w.stems)-1]
		}
	}
	w.state[n] = shown
}

// describe describes a node on one line.
func describe(n *Node) string {
	text := OneLine(n.Name())
	if n.Kind != "" {
		text += "  " + OneLine(n.Kind)
	}
	if len(n.Detail) > 0 {
		text += "  " + OneLine(strings.Join(n.Detail, ", "))
	}
	return text
}
