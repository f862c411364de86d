package pipe

import (
	"maps"
	"strconv"
	"strings"
)

// Replicas returns the number of copies in which the process runs, at least 1.
func (n *Node) Replicas() int {
	k, err := strconv.Atoi(strings.TrimSpace(n.Config[ReplicasKey].Value))
	if err != nil {
		return 1
	}
	return max(1, min(k, maxReplicas))
}

// maxReplicas limits the copies of a process.
const maxReplicas = 1024

// WithReplicas returns the plan with the copies of replicated processes. A process with n
// replicas becomes n processes, `name#1` and so on, which take turns.
//
//	producer ─▶ deal ─┬▶ name#1 ─┬▶ gather ─▶ consumers
//	                  └▶ name#2 ─┘
//
// If the process names several sites, its copies are distributed among them. The
// dealer is then on the site from which its data come, and the gatherer on the site
// to which they go.
//
// Only stateless processes are replicated. Such a process takes one datum from each input
// and gives one to each output in every step, so the order of the data is kept if they are
// dealt and gathered in turn. The functions deal and gather make the two helper processes.
func (p *Plan) WithReplicas(deal, gather func() Process) *Plan {
	spread := p
	for i := range p.Nodes {
		if n := p.Nodes[i].Replicas(); n > 1 {
			if spread == p {
				c := *p
				c.Nodes, c.Edges, c.Order = append([]PlanNode(nil), p.Nodes...), append([]PlanEdge(nil), p.Edges...), append([]int(nil), p.Order...)
				spread = &c
			}
			spread.replicate(i, n, deal, gather)
		}
	}
	return spread
}

// replicate replaces the process with index at by n copies of it.
func (p *Plan) replicate(at, n int, deal, gather func() Process) {
	one := p.Nodes[at]
	sites := one.Sites()
	helpAt := func(neighbour int) string { // returns the site on which the helper next to this neighbour runs
		if len(sites) == 1 {
			return sites[0]
		}
		return p.Nodes[neighbour].Site()
	}
	copies := make([]int, n)
	for i := range copies {
		c := one
		c.Config = maps.Clone(one.Config)
		c.Config[SiteKey] = Setting{Value: sites[i%len(sites)]}
		c.Name, c.copyOf = one.Name+"#"+strconv.Itoa(i+1), one.Name
		c.In, c.Out = unconnected(one.In), unconnected(one.Out)
		if copies[i] = at; i > 0 { // the first copy has the place of the original in the list
			copies[i] = p.add(c)
		} else {
			p.Nodes[at] = c
		}
	}
	for port := range one.In {
		for _, e := range one.In[port].Edges {
			dealer := p.add(helperNode(&one, helpAt(p.Edges[e].FromNode), one.In[port].Type, "deal", n, deal))
			edge := p.Edges[e]
			p.Edges[e].ToNode, p.Edges[e].ToPort = dealer, 0
			p.Nodes[dealer].In[0].Edges = []int{e}
			edge.FromNode = dealer
			for i, c := range copies {
				edge.FromPort, edge.ToNode = i, c
				p.join(edge, &p.Nodes[dealer].Out[i], &p.Nodes[c].In[port])
			}
		}
	}
	for port := range one.Out {
		out := &one.Out[port]
		if len(out.Edges) == 0 {
			continue
		}
		gatherer := p.add(helperNode(&one, helpAt(p.Edges[out.Edges[0]].ToNode), out.Type, "gather", n, gather))
		end := &p.Nodes[gatherer].Out[0]
		end.Increment, end.Edges, end.Flags = out.Increment, out.Edges, out.Flags
		edge := p.Edges[out.Edges[0]]
		for _, e := range out.Edges {
			p.Edges[e].FromNode, p.Edges[e].FromPort = gatherer, 0
		}
		edge.ToNode, edge.FromPort, edge.Blocking, edge.Capacity = gatherer, port, true, DefaultCapacity
		for i, c := range copies {
			edge.FromNode, edge.ToPort = c, i
			p.join(edge, &p.Nodes[c].Out[port], &p.Nodes[gatherer].In[i])
		}
	}
}

func (p *Plan) add(n PlanNode) int {
	p.Nodes = append(p.Nodes, n)
	p.Order = append(p.Order, len(p.Nodes)-1)
	return len(p.Nodes) - 1
}

// join adds an edge between a helper and a copy.
func (p *Plan) join(e PlanEdge, from, to *PlanPort) {
	e.Inner, e.Index = true, len(p.Edges)
	from.Edges, to.Edges = append(from.Edges, len(p.Edges)), append(to.Edges, len(p.Edges))
	p.Edges = append(p.Edges, e)
}

// helperNode returns the node that deals data to the n copies of a process, or gathers their
// results.
func helperNode(of *PlanNode, site, typ, what string, n int, make func() Process) PlanNode {
	h := PlanNode{Node: Node{Name: of.Name + " " + what, Type: what, Span: of.Span, Config: Set(SiteKey, site)}, Helper: true, copyOf: of.Name}
	one := []PlanPort{planPort(&Port{Name: "data", Type: typ, Flags: Required}, "", "data")}
	var many []PlanPort
	for i := range n {
		port := Port{Name: strconv.Itoa(i + 1), Type: typ, Flags: Required}
		many = append(many, planPort(&port, "", port.Name))
	}
	if h.In, h.Out = one, many; what == "gather" {
		h.In, h.Out = many, one
	}
	h.Type = &Type{Name: what, Level: CheckNone, New: make}
	return h
}
