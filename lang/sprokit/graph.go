package sprokit

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// graph draws the pipeline: processes with their ports, edges with their capacity, and sites and clusters as groups. Connections that are not
// allowed are dotted.
func (m *Model) graph() *graph.Graph {
	g := &graph.Graph{Lines: map[graph.Style]string{
		graph.Solid: "waits when full", graph.Dashed: "drops when full", graph.Dotted: "cannot be connected", graph.Thick: "port of the cluster",
	}}
	if m.unbounded {
		for i := range m.Processes {
			g.Nodes = append(g.Nodes, &graph.Node{ID: m.Processes[i].Name, Kind: m.Processes[i].Type})
		}
		return g
	}
	plan, _ := m.Plan()
	outer := ""
	if m.Cluster != nil {
		outer = m.Cluster.Name
		g.Groups = append(g.Groups, &graph.Group{ID: outer, Label: outer})
	}
	m.groups(g, "", outer)
	d := drawing{graph: g, nodes: map[string]*graph.Node{}}
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		node := &graph.Node{ID: n.Name, Label: n.Name[strings.LastIndexByte(n.Name, '/')+1:], Kind: n.Node.Type, Group: outer, At: n.Span, Settings: n.Name + ":", Wrong: n.Type == nil}
		if i := strings.LastIndexByte(n.Name, '/'); i >= 0 {
			node.Group = n.Name[:i]
		}
		for j := range n.In {
			if p := &n.In[j]; len(p.Edges) > 0 || p.Flags&pipe.Required != 0 {
				node.In = append(node.In, graph.Port{Name: p.Name, Type: p.Type})
			}
		}
		for j := range n.Out {
			if p := &n.Out[j]; len(p.Edges) > 0 || p.Flags&pipe.Required != 0 {
				node.Out = append(node.Out, graph.Port{Name: p.Name, Type: p.Type})
			}
		}
		d.add(node)
	}
	drawn := map[int]bool{}
	usual := usualCapacity(plan)
	if usual >= 0 {
		g.Lines[graph.Solid] += "; holds " + capacity(usual) + " unless a number is shown"
	} else {
		g.Lines[graph.Solid] += "; the number is its capacity"
	}
	for i := range plan.Edges {
		e := &plan.Edges[i]
		drawn[e.Connection] = true
		edge := &graph.Edge{From: e.From.Process, FromPort: e.From.Port, To: e.To.Process, ToPort: e.To.Port}
		if e.Capacity != usual || !e.Blocking {
			edge.Label = holds(e)
		}
		if e.Connection >= 0 {
			edge.At = m.Connections[e.Connection].head()
		}
		if !e.Blocking {
			edge.Style = graph.Dashed
		}
		d.connect(edge)
	}
	for i := range m.Connections {
		if c := &m.Connections[i]; !drawn[i] {
			d.connect(&graph.Edge{From: c.From.Process, FromPort: c.From.Port, To: c.To.Process, ToPort: c.To.Port, Style: graph.Dotted})
		}
	}
	if m.Cluster == nil {
		drawSites(g, plan)
	}
	m.clusterPorts(&d)
	return g
}

// usualCapacity returns the capacity that more than half of the edges have, or -1. The legend shows it, so that it need not be written on every
// line.
func usualCapacity(plan *pipe.Plan) int {
	count := map[int]int{}
	for i := range plan.Edges {
		c := plan.Edges[i].Capacity
		if count[c]++; 2*count[c] > len(plan.Edges) {
			return c
		}
	}
	return -1
}

// holds describes how much data an edge can hold.
func holds(e *pipe.PlanEdge) string {
	if e.Blocking {
		return capacity(e.Capacity)
	}
	return capacity(e.Capacity) + " drops"
}

func capacity(n int) string {
	if n == 0 {
		return "∞"
	}
	return strconv.Itoa(n)
}

// groups adds the instances of clusters as nested groups.
func (m *Model) groups(g *graph.Graph, prefix, parent string) {
	for i := range m.Processes {
		p := &m.Processes[i]
		inside := p.Inside
		t, known := m.Registry.Lookup(p.Type)
		if inside == nil && (!known || t.Cluster == nil) {
			continue
		}
		id := prefix + p.Name
		g.Groups = append(g.Groups, &graph.Group{ID: id, Label: p.Name + " :: " + p.Type, Parent: parent})
		if inside != nil {
			inside.groups(g, id+"/", id)
		}
	}
}

// drawSites draws a group around the processes and whole clusters that run on one site. If a cluster spans several sites, the name of the site is
// written on each process instead.
func drawSites(g *graph.Graph, plan *pipe.Plan) {
	if len(plan.Sites()) < 2 {
		return
	}
	onOne := map[string]string{} // the site of each top-level process or cluster; empty if it spans several
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		name, _, _ := strings.Cut(n.Name, "/")
		if site, seen := onOne[name]; !seen {
			onOne[name] = siteGroup(n)
		} else if site != siteGroup(n) {
			onOne[name] = ""
		}
	}
	clusters := g.Groups
	drawn := map[string]bool{}
	for i := range plan.Nodes {
		n, node := &plan.Nodes[i], g.Nodes[i]
		name, _, inside := strings.Cut(n.Name, "/")
		switch {
		case onOne[name] == "":
			node.Detail = append(node.Detail, siteGroup(n))
			continue
		case !inside:
			node.Group = onOne[name]
		}
		if id := onOne[name]; !drawn[id] {
			drawn[id] = true
			g.Groups = append(g.Groups, &graph.Group{ID: id, Label: id})
		}
	}
	for _, c := range clusters {
		if c.Parent == "" {
			c.Parent = onOne[c.ID]
		}
	}
}

// siteGroup returns the name of the group for the sites of a process. It cannot be the name of a process, because names have no blanks.
func siteGroup(n *pipe.PlanNode) string { return "site " + strings.Join(n.Sites(), ", ") }

// clusterPorts draws the ports of a cluster file.
func (m *Model) clusterPorts(d *drawing) {
	if m.Cluster == nil {
		return
	}
	for _, in := range m.Cluster.In {
		id := "in " + in.Port
		d.add(&graph.Node{ID: id, Label: in.Port, Kind: "input"})
		for _, p := range in.Inner {
			d.connect(&graph.Edge{From: id, To: p.Process, ToPort: p.Port, Style: graph.Thick})
		}
	}
	for _, out := range m.Cluster.Out {
		id := "out " + out.Port
		d.add(&graph.Node{ID: id, Label: out.Port, Kind: "output"})
		for _, p := range out.Inner {
			d.connect(&graph.Edge{From: p.Process, FromPort: p.Port, To: id, Style: graph.Thick})
		}
	}
}

// drawing draws the ports that edges use on every node, also on processes of unknown types.
type drawing struct {
	graph *graph.Graph
	nodes map[string]*graph.Node
}

func (d *drawing) add(n *graph.Node) {
	d.nodes[n.ID] = n
	d.graph.Nodes = append(d.graph.Nodes, n)
}

func (d *drawing) connect(e *graph.Edge) {
	if n := d.nodes[e.From]; n != nil {
		addPort(&n.Out, e.FromPort)
	}
	if n := d.nodes[e.To]; n != nil {
		addPort(&n.In, e.ToPort)
	}
	d.graph.Edges = append(d.graph.Edges, e)
}

func addPort(ports *[]graph.Port, name string) {
	if name == "" {
		return
	}
	for i := range *ports {
		if (*ports)[i].Name == name {
			return
		}
	}
	*ports = append(*ports, graph.Port{Name: name})
}
