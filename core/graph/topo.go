package graph

// TopoSort returns the ids of all nodes, sources first; among the nodes that
// could come next the one declared first does. Where edges form a cycle, ok is
// false and the order holds what does not depend on a cycle.
func (g *Graph) TopoSort() (order []string, ok bool) {
	x := g.arcs()
	numbers := x.topo()
	order = make([]string, len(numbers))
	for i, n := range numbers {
		order[i] = x.nodes[n].ID
	}
	return order, len(order) == len(x.nodes)
}

func (x *index) topo() []int {
	waits := make([]int, len(x.nodes))
	for _, a := range x.edges {
		waits[a.to]++
	}
	var ready minHeap
	for i, w := range waits {
		if w == 0 {
			ready.push(i)
		}
	}
	order := make([]int, 0, len(x.nodes))
	for len(ready) > 0 {
		n := ready.pop()
		order = append(order, n)
		for _, e := range x.out.of(n) {
			to := x.edges[e].to
			if waits[to]--; waits[to] == 0 {
				ready.push(to)
			}
		}
	}
	return order
}

// minHeap is container/heap for plain ints, without its interface calls.
type minHeap []int

func (h *minHeap) push(v int) {
	s := append(*h, v)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up] <= v {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = v
	*h = s
}

func (h *minHeap) pop() int {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	i := 0
	for {
		kid := 2*i + 1
		if kid >= len(s) {
			break
		}
		if kid+1 < len(s) && s[kid+1] < s[kid] {
			kid++
		}
		if last <= s[kid] {
			break
		}
		s[i] = s[kid]
		i = kid
	}
	if len(s) > 0 {
		s[i] = last
	}
	*h = s
	return top
}
