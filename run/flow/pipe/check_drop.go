package pipe

import (
	"math/bits"

	"github.com/pentode-dev/pentode/core/problem"
)

// drops reports processes whose required inputs did not all pass through the same edges that drop data, whether
// or not they have a common source: data may meet there that do not belong together. Directly after such an
// edge, a process notices the loss from the stamps. But each process numbers its own output anew, so processes
// further on cannot notice it.
func (c *checker) drops() {
	var dropping []int // nodes with an input edge that drops data
	place := map[int]int{}
	for i := range c.plan.Edges {
		e := &c.plan.Edges[i]
		if _, known := place[e.ToNode]; !e.Blocking && !known && len(dropping) < 64 {
			place[e.ToNode] = len(dropping)
			dropping = append(dropping, e.ToNode)
		}
	}
	if len(dropping) == 0 {
		return
	}
	lost := make([]uint64, len(c.plan.Nodes)) // for each node, a bit set of the dropping nodes that its data have passed
	for _, i := range c.plan.Order {
		n := &c.plan.Nodes[i]
		var all, first uint64
		inputs, mixed := 0, false
		for j := range n.In {
			p := &n.In[j]
			if len(p.Edges) == 0 || p.Flags&NoDep != 0 {
				continue
			}
			from := lost[c.plan.Edges[p.Edges[0]].FromNode]
			if p.Flags&Required != 0 {
				if inputs++; inputs == 1 {
					first = from
				}
				mixed = mixed || from != first
			}
			all |= from
		}
		if mixed && n.Type != nil && n.Type.Level != CheckNone {
			by := &c.plan.Nodes[dropping[bits.TrailingZeros64(all)]]
			p := c.atNode(&n.Node, MixedData, "data that do not belong together meet at process `%s`: some are dropped before `%s`, but other inputs get all of them", n.Name, by.Name)
			p.Severity = problem.Warning
			p.Expected = "give `_non_blocking` to `" + n.Name + "` or to a process before all its inputs"
		}
		lost[i] = all
		if at, ok := place[i]; ok {
			lost[i] |= 1 << at
		}
	}
}
