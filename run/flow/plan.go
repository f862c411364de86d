package flow

import (
	"cmp"
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// A Plan is a graph with everything decided: clusters opened, every port's
// type and frequency, every edge's capacity, an order of processes.
type Plan struct {
	Nodes []PlanNode
	Edges []PlanEdge
	Order []int      // nodes, producers before consumers
	Parts [][]string // names of processes that are connected with each other; more than one part is a warning

	whole     *Plan // of a part: what it was cut from
	from      []int // of a part: the node of the whole that each node is, or is the end of an edge from
	clusters  map[string]*openCluster
	providers map[string]*Provider
}

// A PlanNode is one process of a plan.
type PlanNode struct {
	Node
	Type *Type      // nil when unknown
	In   []PlanPort // connected ports, and declared ones without a pattern, in order of declaration and connection
	Out  []PlanPort
	Rate Freq // steps in proportion to the other processes of its part

	link   bool              // an end of an edge between sites
	helper bool              // deals to or gathers from copies of a process
	copyOf string            // the process that it is a copy of, or helps; "": it is none
	byName [2]map[string]int // of ports the pipeline chose: inputs, outputs
	tags   map[string]int    // class of each flow-dependent type
}

// process is the name of the process in the pipeline.
func (n *PlanNode) process() string { return cmp.Or(n.copyOf, n.Name) }

// A PlanPort is one port of a plan.
//
// What the pipeline has a say in is its own and stands before what its type declares.
type PlanPort struct {
	*Port
	Name      string
	Type      string
	Flags     Flags
	Freq      Freq
	Group     string // what the pipeline chose for the first part of a pattern
	Edges     []int
	Increment int64  // output: how far its stamp advances with each datum
	Facts     *Facts // output: what is known of its data; nil: nothing
	attempts  int    // connections that name it, good or bad
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
	Compress         bool // where it leads to another site
	inner            bool // between a copy of a process and its helper
	Connection       int  // index into Graph.Connections, or -1 for one inside a cluster
	Span             source.Span

	named []end // ports of clusters that rules may name it by
	index int   // in the plan of all sites: names its data in a trace
}

// String names both ends.
func (e *PlanEdge) String() string { return e.From.String() + " → " + e.To.String() }

// number gives the edges their indices.
func (p *Plan) number() {
	for i := range p.Edges {
		p.Edges[i].index = i
	}
}

func (e *PlanEdge) link() link {
	return link{Connection: Connection{From: e.From, To: e.To, Span: e.Span}, source: e.Connection}
}

// Check reports everything that is wrong with a graph, without making any
// process. Problems come in the order of the graph.
func Check(g *Graph, r *Registry) problem.List {
	_, list := Resolve(g, r)
	return list
}

// Resolve decides everything about a graph. The plan is complete only when
// the list has no errors.
func Resolve(g *Graph, r *Registry) (*Plan, problem.List) {
	c := &checker{graph: g, reg: r, plan: &Plan{}}
	if r != nil {
		c.plan.providers = r.providers
	}
	if len(g.Processes) == 0 {
		c.list = problem.List{{Kind: NoProcesses, Message: "the pipeline has no processes", Expected: "add one: process NAME :: TYPE"}}
		return c.plan, c.list
	}
	c.open()
	if len(c.plan.Nodes) == 0 && !c.list.HasErrors() {
		c.list = append(c.list, &problem.Problem{Kind: NoProcesses, Message: "the pipeline has only clusters without processes"})
		return c.plan, c.list
	}
	c.connect()
	c.settle()
	c.passed()
	c.required()
	c.sort()
	c.parts()
	c.frequencies()
	c.keys()
	c.facts()
	c.edges()
	c.drops()
	c.sites()
	c.plan.number()
	return c.plan, c.list
}

// A checker carries one Resolve from step to step.
type checker struct {
	graph *Graph
	reg   *Registry
	plan  *Plan
	list  problem.List

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
	source int   // index into Graph.Connections, or -1 for one inside a cluster
	named  []end // ports of clusters that it went through, the outer ones first
}

// An end is one side of a connection as a pipeline names it.
type end struct {
	PortRef
	output bool
}

// maxSuggestions is the number of problems after which misspelt names get no
// suggestion: each one looks at every name.
const maxSuggestions = 100

// suggest completes a problem with the name that was probably intended.
func (c *checker) suggest(p *problem.Problem, name string, names func() []string, listed string) {
	if len(c.list) <= maxSuggestions+1 {
		suggest(p, name, names(), listed)
	}
}

// atNode reports a problem of a process.
func (c *checker) atNode(n *Node, kind problem.Kind, format string, args ...any) *problem.Problem {
	p := newProblem(n, kind, format, args...)
	c.list = append(c.list, p)
	return p
}

// atKey reports a problem of a key of a process: at its setting, where it has one.
func (c *checker) atKey(n *Node, key string, kind problem.Kind, format string, args ...any) *problem.Problem {
	p := c.atNode(n, kind, format, args...)
	p.Subject.Key, p.Span = key, cmp.Or(n.Config[key].Span, n.Span)
	return p
}

// atLink reports a problem of one end of a connection.
func (c *checker) atLink(l *link, output bool, kind problem.Kind, format string, args ...any) *problem.Problem {
	ref := l.To
	if output {
		ref = l.From
	}
	p := &problem.Problem{
		Kind: kind, Span: l.Span, Message: fmt.Sprintf(format, args...),
		Subject: problem.Subject{Name: ref.Process, Port: ref.Port, Output: output},
	}
	c.list = append(c.list, p)
	return p
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
