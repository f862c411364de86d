package pipe

import "github.com/pentode-dev/pentode/internal/leaf/disjoint"

// A Layout has the information about a plan that a change of settings needs. All lists are indexed
// by node.
type Layout struct {
	Part  []int    // number of the part that the process belongs to; the processes of a part are connected
	Clock []int    // number of the clock that the process follows; processes with the same clock step at a known ratio
	Steps []uint64 // number of steps in one period of the clock; after each period, all its processes are back in step
}

func (p *Plan) Layout() *Layout {
	if p.whole != nil {
		return p.whole.Layout().of(p.from)
	}
	l := &Layout{
		Part:  p.joined(func(*PlanEdge) bool { return true }),
		Clock: p.joined(p.ratesKnown),
		Steps: make([]uint64, len(p.Nodes)),
	}
	type measure struct {
		den, whole int64 // common denominator of the rates, and greatest common divisor of their numerators
		even       bool
	}
	clocks := map[int]*measure{}
	for i := range p.Nodes {
		c := clocks[l.Clock[i]]
		if c == nil {
			c = &measure{den: 1, even: true}
			clocks[l.Clock[i]] = c
		}
		den, ok := lcm(c.den, p.Nodes[i].Rate.Norm().Den)
		if c.even = c.even && ok; ok {
			c.den = den
		}
	}
	each := func(i int) int64 {
		rate, c := p.Nodes[i].Rate.Norm(), clocks[l.Clock[i]]
		n, ok := mul64(rate.Num, c.den/rate.Den)
		c.even = c.even && ok
		return n
	}
	for i := range p.Nodes {
		if c := clocks[l.Clock[i]]; c.even {
			c.whole = gcd(each(i), c.whole)
		}
	}
	for i := range p.Nodes {
		l.Steps[i] = 1
		if c := clocks[l.Clock[i]]; c.even {
			l.Steps[i] = uint64(each(i) / c.whole)
		}
	}
	return l
}

// of returns the layout of a part of the plan. nodes are the indices of its nodes in the whole
// plan.
func (l *Layout) of(nodes []int) *Layout {
	own := &Layout{}
	for _, i := range nodes {
		own.Part, own.Clock, own.Steps = append(own.Part, l.Part[i]), append(own.Clock, l.Clock[i]), append(own.Steps, l.Steps[i])
	}
	return own
}

// PartsOf returns the numbers of the parts of the whole pipeline that these changes affect.
func (p *Plan) PartsOf(changes []Change) map[int]bool {
	if p.whole != nil {
		return p.whole.PartsOf(changes)
	}
	part := p.Layout().Part
	parts := map[int]bool{}
	for _, c := range changes {
		for i := range p.Nodes {
			if p.Nodes[i].Original() == c.Process {
				parts[part[i]] = true
			}
		}
	}
	return parts
}

// ratesKnown reports whether the frequencies at both ends of an edge are known, so that its two
// processes step at a known ratio.
func (p *Plan) ratesKnown(e *PlanEdge) bool {
	return p.Nodes[e.FromNode].Out[e.FromPort].Freq.Known() && p.Nodes[e.ToNode].In[e.ToPort].Freq.Known()
}

// joined numbers the nodes. Nodes that are connected by edges for which kind returns true get the
// same number.
func (p *Plan) joined(kind func(*PlanEdge) bool) []int {
	u := disjoint.New(len(p.Nodes))
	for i := range p.Edges {
		if e := &p.Edges[i]; kind(e) {
			u.Join(e.FromNode, e.ToNode)
		}
	}
	for i := range u {
		u[i] = u.Root(i)
	}
	return u
}
