package flow

import "fmt"

// A Plan is a graph with everything decided: clusters opened, every port's
// type and frequency, every edge's capacity, an order of processes.
type Plan struct {
	Nodes []PlanNode
	Edges []PlanEdge
	Order []int      // nodes, producers before consumers
	Parts [][]string // names of processes that hang together; more than one part is a warning

	clusters map[string]*openCluster
}

// A PlanNode is one process of a plan.
type PlanNode struct {
	Node
	Type *Type      // nil when unknown
	In   []PlanPort // connected ports, and declared ones without a pattern, in order of declaration and connection
	Out  []PlanPort
	Rate Freq // steps in proportion to the other processes of its part

	byName [2]map[string]int // of ports the pipeline chose: inputs, outputs
	tags   map[string]int    // class of each flow-dependent type
}

// A PlanPort is one port of a plan.
type PlanPort struct {
	Port
	Group     string // what the pipeline chose for the first part of a pattern
	Edges     []int
	Increment int64 // output: how far its stamp advances with each datum
	attempts  int   // connections that name it, good or bad
	declared  string
	flowType  int // class of ports that share a type, or -1
}

// A PlanEdge is one edge of a plan.
type PlanEdge struct {
	From, To         PortRef
	FromNode, ToNode int
	FromPort, ToPort int // indices into Out and In
	Type             string
	Capacity         int // 0: without limit
	Blocking         bool
	Connection       int // index into Graph.Connections
	Place            string
}

// Check reports everything that is wrong with a graph, without making any
// process. Problems come in the order of the graph.
func Check(g *Graph, r *Registry) []Problem {
	_, list := Resolve(g, r)
	return list
}

// Resolve decides everything about a graph. The plan is complete only when
// there is no problem of severity Error.
func Resolve(g *Graph, r *Registry) (*Plan, []Problem) {
	c := &checker{graph: g, reg: r, plan: &Plan{}}
	if len(g.Processes) == 0 {
		c.report(Problem{Code: NoProcesses, Message: "the pipeline has no processes", Help: "add one: process NAME :: TYPE", Connection: -1})
		return c.plan, c.list
	}
	c.open()
	if len(c.plan.Nodes) == 0 && !Errors(c.list) {
		c.report(Problem{Code: NoProcesses, Message: "the pipeline has only clusters without processes", Connection: -1})
		return c.plan, c.list
	}
	c.connect()
	c.settle()
	c.required()
	c.sort()
	c.parts()
	c.frequencies()
	c.keys()
	c.edges()
	return c.plan, c.list
}

// A checker carries one Resolve from step to step.
type checker struct {
	graph *Graph
	reg   *Registry
	plan  *Plan
	list  []Problem

	index map[string]int // process name to node
	links []link         // connections with clusters opened
	class classes

	tooFast bool             // a frequency too large was reported
	clashed map[PortRef]bool // inputs whose frequencies were reported
	endless map[string]bool  // clusters that contain themselves
}

// A link is a connection between processes that are no clusters.
type link struct {
	Connection
	source int // index into Graph.Connections, or -1 for one inside a cluster
}

// suggest names what a misspelt name may have meant. It looks at every name,
// so a graph full of mistakes gets it for the first ones only.
func (c *checker) suggest(name string, names func() []string, listed string) string {
	if len(c.list) > 100 {
		return ""
	}
	return didYouMean(name, names(), listed)
}

func (c *checker) report(p Problem) { c.list = append(c.list, p) }

// atNode is a problem of a process.
func atNode(n *Node, code Code, format string, args ...any) Problem {
	return Problem{Code: code, Message: fmt.Sprintf(format, args...), Process: n.Name, Place: n.Place, Connection: -1}
}

// atLink is a problem of one end of a connection.
func atLink(l *link, output bool, code Code, format string, args ...any) Problem {
	ref := l.To
	if output {
		ref = l.From
	}
	return Problem{Code: code, Message: fmt.Sprintf(format, args...), Process: ref.Process, Port: ref.Port, Output: output, Place: l.Place, Connection: l.source}
}

func (c *checker) names() []string {
	names := make([]string, 0, len(c.index))
	for i := range c.plan.Nodes {
		names = append(names, c.plan.Nodes[i].Name)
	}
	return names
}

// port finds or makes the plan's port for a name that the type allows.
func (n *PlanNode) port(name string, output bool) (int, bool) {
	ports, decls, side := &n.In, n.Type.In, 0
	if output {
		ports, decls, side = &n.Out, n.Type.Out, 1
	}
	// Ports without a pattern stand first, and there are few of them.
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
	*ports = append(*ports, planPort(*p, group, n.Type.pattern(name, output)))
	if n.byName[side] == nil {
		n.byName[side] = map[string]int{}
	}
	n.byName[side][name] = len(*ports) - 1
	return len(*ports) - 1, true
}

func planPort(p Port, group, declared string) PlanPort {
	return PlanPort{Port: p, Group: group, declared: declared, flowType: -1}
}

// pattern is the declared name behind a port's name.
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
