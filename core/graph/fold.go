package graph

import (
	"fmt"
	"strings"
)

// Fold returns the picture with some outermost groups closed. A closed group becomes one node. If the group
// has a single node inside, it shows that node's kind and details; otherwise it shows how many nodes of each
// kind are inside. Edges that look the same and now have the same ends are joined.
func (g *Graph) Fold(closed func(*Group) bool) *Graph {
	x := g.Index()
	top := make([]int, len(x.Groups))
	for i := range x.Groups {
		for top[i] = i; x.Parent[top[i]] >= 0; {
			top[i] = x.Parent[top[i]]
		}
	}
	folds := func(group int) bool { return group >= 0 && closed(x.Groups[top[group]]) }

	out := &Graph{Title: g.Title, Direction: g.Direction, Width: g.Width, Lines: g.Lines}
	for i, group := range x.Groups {
		if !folds(i) {
			out.Groups = append(out.Groups, group)
		}
	}
	taken := make(map[string]bool)
	for _, n := range x.Nodes {
		taken[n.ID] = true
	}
	parts := make(map[int]*part)
	names := make([]string, len(x.Nodes)) // the nodes' names in the new picture
	for i, n := range x.Nodes {
		names[i] = n.ID
		if !folds(x.Group[i]) {
			out.Nodes = append(out.Nodes, n)
			continue
		}
		of := top[x.Group[i]]
		p := parts[of]
		if p == nil {
			group := x.Groups[of]
			id := group.ID
			for taken[id] {
				id += "/"
			}
			p = &part{node: &Node{ID: id, Label: group.Name(), Closed: true}, count: make(map[string]int)}
			parts[of] = p
			out.Nodes = append(out.Nodes, p.node)
		}
		p.take(n)
		names[i] = p.node.ID
	}
	for _, p := range parts {
		p.describe()
	}
	out.Edges = foldEdges(x, names)
	return out
}

// part is a closed group, which becomes one node.
type part struct {
	node  *Node
	last  *Node    // the last node added
	kinds []string // in order of first appearance
	count map[string]int
}

func (p *part) take(n *Node) {
	if p.count[n.Kind] == 0 {
		p.kinds = append(p.kinds, n.Kind)
	}
	p.count[n.Kind]++
	p.last = n
	p.node.Wrong = p.node.Wrong || n.Wrong
}

// maxKinds is how many kinds the node of a closed group lists.
const maxKinds = 6

func (p *part) describe() {
	if len(p.kinds) == 1 && p.count[p.last.Kind] == 1 {
		p.node.Kind, p.node.Detail = p.last.Kind, p.last.Detail
		return
	}
	rest := 0
	for i, kind := range p.kinds {
		if i >= maxKinds {
			rest += p.count[kind]
			continue
		}
		p.node.Detail = append(p.node.Detail, strings.TrimSuffix(fmt.Sprintf("%d × %s", p.count[kind], kind), " × "))
	}
	if rest > 0 {
		p.node.Detail = append(p.node.Detail, fmt.Sprintf("%d others", rest))
	}
}

// foldEdges returns the edges between nodes with different names. An edge inside a closed group is not shown.
func foldEdges(x *Index, names []string) []*Edge {
	var out []*Edge
	same := make(map[Edge]*Edge)
	for _, a := range x.Edges {
		e := *a.Edge
		e.From, e.To = names[a.From], names[a.To]
		moved := false
		if e.From != a.Edge.From {
			e.FromPort, moved = "", true
		}
		if e.To != a.Edge.To {
			e.ToPort, moved = "", true
		}
		if !moved {
			out = append(out, a.Edge)
			continue
		}
		if e.From == e.To {
			continue
		}
		key := Edge{From: e.From, FromPort: e.FromPort, To: e.To, ToPort: e.ToPort, Style: e.Style}
		if first := same[key]; first != nil {
			if first.Label != e.Label {
				first.Label = "" // remove the label: it would apply only to some of the joined edges
			}
			continue
		}
		same[key] = &e
		out = append(out, &e)
	}
	return out
}
