package paradyn

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/launch"
)

// maxCommand is how many characters of a command a node shows.
const maxCommand = 47

// graph shows the order in which a run starts, with a box for each host.
func (m *Model) graph() *graph.Graph {
	g := &graph.Graph{Lines: map[graph.Style]string{graph.Solid: "starts before", graph.Dashed: "starts before, on request"}}
	plan, _, err := m.plan()
	if err != nil {
		return m.pclGraph(g)
	}
	hosts, settings := map[string]bool{}, m.settings()
	for _, n := range plan.Nodes {
		if !hosts[n.Host] {
			hosts[n.Host] = true
			g.Groups = append(g.Groups, &graph.Group{ID: "host " + n.Host, Label: n.Host})
		}
		node := &graph.Node{ID: n.ID, Kind: string(n.Kind), Group: "host " + n.Host, At: n.Span, Settings: settings[n.Span], Detail: []string{problem.Clip(launch.QuoteAll(n.Argv), maxCommand)}}
		style := graph.Solid
		if n.OnRequest {
			node.Detail = append(node.Detail, "on request")
			style = graph.Dashed
		}
		for _, s := range n.Settings {
			node.Detail = append(node.Detail, problem.Clip(s.String(), maxCommand), "  "+s.Span.String())
		}
		g.Nodes = append(g.Nodes, node)
		for _, before := range n.After {
			g.Edges = append(g.Edges, &graph.Edge{From: before.ID, To: n.ID, Style: style, Label: string(before.Until)})
		}
	}
	return g
}

// settings returns the prefix that the keys of a block's settings share, by
// the place of the block's head.
func (m *Model) settings() map[source.Span]string {
	heads := map[source.Span]string{}
	for kind, blocks := range m.kinds {
		for i, b := range blocks {
			heads[b.Head] = fmt.Sprintf("%s[%d].", kind, i)
		}
	}
	return heads
}

// pclGraph draws the named blocks of PCL.
func (m *Model) pclGraph(g *graph.Graph) *graph.Graph {
	for kind, blocks := range m.kinds {
		for _, b := range blocks {
			id := kind + " " + b.Text("name")
			g.Nodes = append(g.Nodes, &graph.Node{ID: id, Label: b.Text("name"), Kind: kind, Detail: []string{strings.TrimSpace(problem.Clip(b.Text("command"), problem.Short))}})
			if d := b.Text(daemon); d != "" {
				g.Edges = append(g.Edges, &graph.Edge{From: daemon + " " + d, To: id})
			}
		}
	}
	return g
}
