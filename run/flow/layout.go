package flow

import "github.com/pentode-dev/pentode/core/disjoint"

// A layout is what a change of settings needs to know about a plan. All lists
// are by node.
type layout struct {
	part  []int    // processes that are connected have the same
	clock []int    // processes whose steps stand in a known proportion have the same
	steps []uint64 // in one period of the clock, after which all rates come out even
}

func (p *Plan) layout() *layout {
	if p.whole != nil {
		return p.whole.layout().of(p.from)
	}
	l := &layout{
		part:  p.joined(func(*PlanEdge) bool { return true }),
		clock: p.joined(p.ratesKnown),
		steps: make([]uint64, len(p.Nodes)),
	}
	type measure struct {
		den, whole int64 // common denominator of the rates, and what their numerators share then
		even       bool
	}
	clocks := map[int]*measure{}
	for i := range p.Nodes {
		c := clocks[l.clock[i]]
		if c == nil {
			c = &measure{den: 1, even: true}
			clocks[l.clock[i]] = c
		}
		den, ok := lcm(c.den, p.Nodes[i].Rate.norm().Den)
		if c.even = c.even && ok; ok {
			c.den = den
		}
	}
	each := func(i int) int64 {
		rate, c := p.Nodes[i].Rate.norm(), clocks[l.clock[i]]
		n, ok := mul64(rate.Num, c.den/rate.Den)
		c.even = c.even && ok
		return n
	}
	for i := range p.Nodes {
		if c := clocks[l.clock[i]]; c.even {
			c.whole = gcd(each(i), c.whole)
		}
	}
	for i := range p.Nodes {
		l.steps[i] = 1
		if c := clocks[l.clock[i]]; c.even {
			l.steps[i] = uint64(each(i) / c.whole)
		}
	}
	return l
}

// of is the layout of a part whose nodes are these of the whole.
func (l *layout) of(nodes []int) *layout {
	own := &layout{}
	for _, i := range nodes {
		own.part, own.clock, own.steps = append(own.part, l.part[i]), append(own.clock, l.clock[i]), append(own.steps, l.steps[i])
	}
	return own
}

// partsOf returns the parts of the whole pipeline that changes are for.
func (p *Plan) partsOf(changes []Change) map[int]bool {
	if p.whole != nil {
		return p.whole.partsOf(changes)
	}
	part := p.layout().part
	parts := map[int]bool{}
	for _, c := range changes {
		for i := range p.Nodes {
			if p.Nodes[i].process() == c.Process {
				parts[part[i]] = true
			}
		}
	}
	return parts
}

// ratesKnown reports whether an edge ties the rates of its ends together.
func (p *Plan) ratesKnown(e *PlanEdge) bool {
	return p.Nodes[e.FromNode].Out[e.FromPort].Freq.Known() && p.Nodes[e.ToNode].In[e.ToPort].Freq.Known()
}

// joined numbers the nodes so that those which edges of a kind connect have the
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
