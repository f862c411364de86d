package coil

import (
	"fmt"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
)

// graph shows which file includes which, and the target that results.
func (m *Model) graph() *graph.Graph {
	g := &graph.Graph{Direction: graph.Down}
	t := m.Target()
	node := &graph.Node{ID: "target", Kind: "target", Label: fmt.Sprintf("%s %s %d", t.PU, t.Architecture, t.Mode)}
	for _, s := range []string{"Target.Features", "ABI.Name", "Memory.Endianness", "Linker.OutputFormat"} {
		section, key, _ := cutKey(s)
		if have := m.Lookup(section, key); have != nil {
			node.Detail = append(node.Detail, s+" = "+have.shown())
		}
	}
	g.Nodes = append(g.Nodes, node)
	seen := map[string]bool{}
	var walk func(*include) string
	walk = func(n *include) string {
		id := n.frame.File.Path()
		if seen[id] {
			return id
		}
		seen[id] = true
		g.Nodes = append(g.Nodes, &graph.Node{ID: id, Label: filepath.Base(id), Kind: "file", At: n.frame.File.Span(0, 0), Detail: []string{quantity.Count(n.keys, "setting", "settings")}})
		for _, c := range n.includes {
			g.Edges = append(g.Edges, &graph.Edge{From: id, To: walk(c), Label: "includes"})
		}
		return id
	}
	g.Edges = append(g.Edges, &graph.Edge{From: "target", To: walk(m.root), Label: "described by"})
	return g
}
