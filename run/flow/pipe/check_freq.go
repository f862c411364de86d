package pipe

import (
	"fmt"
	"strconv"
	"strings"
)

// frequencies computes how often the processes of a part step relative to each other. From this it
// computes by how much the stamp of each output advances per datum.
func (c *checker) frequencies() {
	nodes := c.plan.Nodes
	around := make([][]int, len(nodes))
	for i := range nodes {
		c.portFreqs(&nodes[i])
		nodes[i].Rate = Freq{}
	}
	for i := range c.plan.Edges {
		e := &c.plan.Edges[i]
		around[e.FromNode] = append(around[e.FromNode], i)
		around[e.ToNode] = append(around[e.ToNode], i)
	}
	known := make([]bool, len(nodes))
	for start := range nodes {
		if known[start] {
			continue
		}
		known[start] = true
		nodes[start].Rate = Times(1)
		part := []int{start}
		for at := 0; at < len(part); at++ {
			for _, i := range around[part[at]] {
				if to := c.rate(&c.plan.Edges[i], known); to >= 0 {
					part = append(part, to)
				}
			}
		}
		c.increments(part)
	}
}

// portFreqs computes the frequencies of ports that depend on a key, or on the number of ports that
// take turns.
func (c *checker) portFreqs(n *PlanNode) {
	if n.Type == nil {
		return
	}
	type turns struct{ declared, group string }
	for _, ports := range [][]PlanPort{n.In, n.Out} {
		same := map[turns]int64{}
		for i := range ports {
			if ports[i].Turns {
				same[turns{ports[i].declared, ports[i].Group}]++
			}
		}
		for i := range ports {
			p := &ports[i]
			p.Freq = p.Freq.Norm()
			if p.FreqKey != "" {
				if add, err := strconv.ParseInt(strings.TrimSpace(Values{n.Config, n.Type}.Value(p.FreqKey)), 10, 64); err == nil && add >= 0 && add < maxFreq {
					p.Freq = Times(1 + add)
				}
			}
			if p.Turns {
				p.Freq = Freq{1, same[turns{p.declared, p.Group}]}
			}
		}
	}
}

// rate computes the rate of the process at one end of an edge from the rate at the other end, if
// only one of them is known. It returns the node whose rate became known, or -1.
func (c *checker) rate(e *PlanEdge, known []bool) int {
	if e.FromPort < 0 || e.ToPort < 0 {
		return -1
	}
	from, to := &c.plan.Nodes[e.FromNode], &c.plan.Nodes[e.ToNode]
	up, down := from.Out[e.FromPort].Freq, to.In[e.ToPort].Freq
	if !up.Known() || !down.Known() {
		return -1
	}
	ratio, ok := up.div(down) // number of steps of `to` for each step of `from`
	if ok && known[e.FromNode] {
		var want Freq
		if want, ok = from.Rate.mul(ratio); ok {
			if !known[e.ToNode] {
				known[e.ToNode] = true
				to.Rate = want
				return e.ToNode
			}
			if want != to.Rate.Norm() {
				c.freqClash(e, up, down, want)
			}
			return -1
		}
	} else if ok {
		var want Freq
		if want, ok = to.Rate.div(ratio); ok {
			known[e.FromNode] = true
			from.Rate = want
			return e.FromNode
		}
	}
	if !ok && !c.tooFast {
		c.tooFast = true
		l := e.link()
		c.atLink(&l, false, FrequencyMismatch, "the frequencies up to `%s` multiply to a number that is too large", e.To)
	}
	return -1
}

func (c *checker) freqClash(e *PlanEdge, up, down, want Freq) {
	if c.clashed[e.To] { // report a mismatch only once: it is found from both ends
		return
	}
	if c.clashed == nil {
		c.clashed = map[PortRef]bool{}
	}
	c.clashed[e.To] = true
	to := &c.plan.Nodes[e.ToNode]
	l := e.link()
	p := c.atLink(&l, false, FrequencyMismatch, "`%s` brings data for %s steps of `%s`, but its other connections bring data for %s", e.From, want, to.Name, to.Rate)
	p.Expected = fmt.Sprintf("`%s` gives %s data a step, `%s` takes %s", e.From, up, e.To, down)
}

// increments sets, for each output, by how much its stamp advances per datum. The numbers are
// scaled to be whole. A process that steps half as often has twice the increment, so that data of
// the same time have the same stamp.
func (c *checker) increments(part []int) {
	scale, fits := int64(1), true
	each := func(do func(p *PlanPort, inc Freq) bool) {
		for _, i := range part {
			n := &c.plan.Nodes[i]
			for j := range n.Out {
				f := n.Out[j].Freq.Norm()
				if f.Num == 0 {
					f = Times(1)
				}
				inc, ok := n.Rate.mul(f)
				inc, fine := Times(1).div(inc)
				if !ok || !fine || !do(&n.Out[j], inc) {
					fits = false
					return
				}
			}
		}
	}
	each(func(_ *PlanPort, inc Freq) (ok bool) { scale, ok = lcm(scale, inc.Den); return ok })
	each(func(p *PlanPort, inc Freq) (ok bool) { p.Increment, ok = mul64(inc.Num, scale/inc.Den); return ok })
	if !fits && !c.tooFast {
		c.tooFast = true
		n := &c.plan.Nodes[part[0]]
		c.atNode(&n.Node, FrequencyMismatch, "the frequencies around process `%s` have no common multiple that is small enough", n.Name)
	}
}
