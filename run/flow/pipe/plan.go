package pipe

import (
	"cmp"

	"github.com/pentode-dev/pentode/core/source"
)

// A Plan is what Resolve makes of a graph. Clusters are replaced by their processes, and the
// type and frequency of every port, the capacity of every edge and the order of the processes
// are decided.
type Plan struct {
	Nodes []PlanNode
	Edges []PlanEdge
	Order []int      // indices of nodes, producers before consumers
	Parts [][]string // names of the processes of each part; the processes of a part are connected, and more than one part causes a warning

	whole     *Plan // for the plan of one site: the plan that it was cut from
	from      []int // for the plan of one site: for each node, its index in whole; for the end of an edge between sites, the index of the edge's producer
	clusters  map[string]*openCluster
	providers map[string]*Provider
}

// A PlanNode is one process of a plan.
type PlanNode struct {
	Node
	Type *Type      // nil if the type is unknown
	In   []PlanPort // declared ports except patterns, then connected ports of patterns in order of connection
	Out  []PlanPort
	Rate Freq // number of steps, relative to the other processes of its part

	Link   bool              // the process is one end of an edge between sites
	Helper bool              // the process deals data to copies of a process, or gathers their data
	copyOf string            // for a copy or a helper: name of the process that is copied; else ""
	byName [2]map[string]int // indices of the ports whose names the pipeline chose, for inputs and outputs
	tags   map[string]int    // class of ports, by the flow-dependent type they share
}

// Original returns the name that the process has in the pipeline: a copy has the name of the
// copied process.
func (n *PlanNode) Original() string { return cmp.Or(n.copyOf, n.Name) }

// A PlanPort is one port of a plan.
//
// The embedded Port has the declaration. The members of the same name replace it, because the
// pipeline can influence them.
type PlanPort struct {
	*Port
	Name      string
	Type      string
	Flags     Flags
	Freq      Freq
	Group     string // text that the pipeline chose for the first variable of a pattern
	Edges     []int
	Increment int64  // for an output: by how much its stamp advances with each datum
	Facts     *Facts // for an output: what is known about its data; nil: nothing
	attempts  int    // number of connections that name the port, including invalid ones
	declared  string
	flowType  int // number of the class of ports that share their type, or -1
}

// A PlanEdge is one edge of a plan.
type PlanEdge struct {
	From, To         PortRef
	FromNode, ToNode int
	FromPort, ToPort int // indices into Out of FromNode and In of ToNode; -1: unknown port
	Type             string
	Capacity         int // 0: unlimited
	Blocking         bool
	Compress         bool // compress the data if the edge leads to another site
	Inner            bool // the edge is between a copy of a process and its helper
	Connection       int  // index into Graph.Connections, or -1 for a connection inside a cluster
	Span             source.Span

	named []end // ports of clusters through which the edge passes; rules may use their names
	Index int   // index of the edge in the plan of all sites, which identifies it in a trace
}

// String returns the names of both ports.
func (e *PlanEdge) String() string { return e.From.String() + " → " + e.To.String() }

func (e *PlanEdge) link() link {
	return link{Connection: Connection{From: e.From, To: e.To, Span: e.Span}, source: e.Connection}
}

// port returns the index of the port with this name. If the type allows the name, port adds the
// port if necessary.
func (n *PlanNode) port(name string, output bool) (int, bool) {
	ports, decls, side := &n.In, n.Type.In, 0
	if output {
		ports, decls, side = &n.Out, n.Type.Out, 1
	}
	// Declared ports without a pattern come first, and there are few of them.
	for i := range min(len(*ports), len(decls)) {
		if (*ports)[i].Name == name {
			return i, true
		}
	}
	if i, ok := n.byName[side][name]; ok {
		return i, true
	}
	var p *Port
	var group string
	if output {
		p, group = n.Type.FindOut(name)
	} else {
		p, group = n.Type.FindIn(name)
	}
	if p == nil {
		return -1, false
	}
	*ports = append(*ports, planPort(p, group, n.Type.pattern(name, output)))
	if n.byName[side] == nil {
		n.byName[side] = map[string]int{}
	}
	n.byName[side][name] = len(*ports) - 1
	return len(*ports) - 1, true
}

func planPort(p *Port, group, declared string) PlanPort {
	return PlanPort{Port: p, Name: p.Name, Type: p.Type, Flags: p.Flags, Freq: p.Freq, Group: group, declared: declared, flowType: -1}
}

// pattern returns the declared name, possibly a pattern, that a port's name matches.
func (t *Type) pattern(name string, output bool) string {
	ports := t.In
	if output {
		ports = t.Out
	}
	for i := range ports {
		if ports[i].Name == name {
			return name
		}
	}
	for i := range ports {
		if ports[i].Pattern() {
			if _, ok := ports[i].match(name); ok {
				return ports[i].Name
			}
		}
	}
	return name
}

// An openCluster is a cluster of the graph that was replaced by its processes.
type openCluster struct {
	Node
	typ *Type
}

// Given returns what is known about the data of an edge.
func (p *Plan) Given(e *PlanEdge) Facts {
	if e.FromPort < 0 {
		return Facts{}
	}
	if known := p.Nodes[e.FromNode].Out[e.FromPort].Facts; known != nil {
		return *known
	}
	return Facts{}
}
