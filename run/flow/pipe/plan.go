package pipe

import (
	"cmp"

	"github.com/pentode-dev/pentode/core/source"
)

// A Plan is a graph with everything decided: clusters expanded, the type and frequency of every
// port, the capacity of every edge, and the order of the processes.
type Plan struct {
	Nodes []PlanNode
	Edges []PlanEdge
	Order []int      // nodes, producers before consumers
	Parts [][]string // names of processes that are connected with each other; more than one part is a warning

	whole     *Plan // of a part: the plan it was cut from
	from      []int // of a part: the node of the whole for each node; for the end of an edge, the node the edge comes from
	clusters  map[string]*openCluster
	providers map[string]*Provider
}

// A PlanNode is one process of a plan.
type PlanNode struct {
	Node
	Type *Type      // nil if unknown
	In   []PlanPort // connected ports, and declared ports that are no patterns, in order of declaration and connection
	Out  []PlanPort
	Rate Freq // steps relative to the other processes of its part

	Link   bool              // an end of an edge between sites
	Helper bool              // deals to or gathers from copies of a process
	copyOf string            // the process that it is a copy of, or helps; "": neither
	byName [2]map[string]int // indices of ports named by the pipeline: inputs, outputs
	tags   map[string]int    // class of each flow-dependent type
}

// Original returns the name of the process in the pipeline.
func (n *PlanNode) Original() string { return cmp.Or(n.copyOf, n.Name) }

// A PlanPort is one port of a plan.
//
// Its own members are what the pipeline can influence; they shadow what the type declares.
type PlanPort struct {
	*Port
	Name      string
	Type      string
	Flags     Flags
	Freq      Freq
	Group     string // what the pipeline chose for the first variable of a pattern
	Edges     []int
	Increment int64  // output: how far its stamp advances with each datum
	Facts     *Facts // output: what is known about its data; nil: nothing
	attempts  int    // connections that name it, valid or not
	declared  string
	flowType  int // class of ports that share a type, or -1
}

// A PlanEdge is one edge of a plan.
type PlanEdge struct {
	From, To         PortRef
	FromNode, ToNode int
	FromPort, ToPort int // indices into Out and In
	Type             string
	Capacity         int // 0: unlimited
	Blocking         bool
	Compress         bool // if it leads to another site
	Inner            bool // between a copy of a process and its helper
	Connection       int  // index into Graph.Connections, or -1 for a connection inside a cluster
	Span             source.Span

	named []end // ports of clusters by which rules may name it
	Index int   // index in the plan of all sites: names its data in a trace
}

// String returns the names of both ends.
func (e *PlanEdge) String() string { return e.From.String() + " → " + e.To.String() }

func (e *PlanEdge) link() link {
	return link{Connection: Connection{From: e.From, To: e.To, Span: e.Span}, source: e.Connection}
}

// port finds or makes the plan's port for a name that the type allows.
func (n *PlanNode) port(name string, output bool) (int, bool) {
	ports, decls, side := &n.In, n.Type.In, 0
	if output {
		ports, decls, side = &n.Out, n.Type.Out, 1
	}
	// Ports that are no patterns come first, and there are few of them.
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

// pattern returns the declared name that a port's name fits.
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

// An openCluster is a cluster of the graph whose processes are in the plan.
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
