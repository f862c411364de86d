package graph

// topo returns the numbers of the nodes, sources first. Of the nodes that could
// come next, it takes the one declared first. It omits nodes that depend on a
// cycle.
func (x *Index) topo() []int {
	waits := make([]int, len(x.Nodes))
	for _, a := range x.Edges {
		waits[a.To]++
	}
	var ready minHeap
	for i, w := range waits {
		if w == 0 {
			ready.push(i)
		}
	}
	order := make([]int, 0, len(x.Nodes))
	for len(ready) > 0 {
		n := ready.pop()
		order = append(order, n)
		for _, e := range x.out.of(n) {
			to := x.Edges[e].To
			if waits[to]--; waits[to] == 0 {
				ready.push(to)
			}
		}
	}
	return order
}

// minHeap is container/heap for ints, without its interface calls.
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
