package pipe

import "github.com/pentode-dev/pentode/core/problem"

// Check returns all problems of a graph, in the order of the graph. It makes no process.
func Check(g *Graph, r *Registry) problem.List {
	_, list := Resolve(g, r)
	return list
}

// Resolve makes the plan of a graph and reports the problems of the graph. The plan is complete
// only if no problem is an error.
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
	c.assignTypes()
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
	for i := range c.plan.Edges {
		c.plan.Edges[i].Index = i
	}
	return c.plan, c.list
}
