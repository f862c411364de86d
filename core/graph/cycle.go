package graph

// cycleStarts bounds how many nodes a shortest cycle is searched from: the
// search stays linear, and short cycles are found in all but strange graphs.
const cycleStarts = 64

// Cycle returns the ids of a short cycle in the order of its edges, each once,
// or nil where there is none. A cycle of one id is an edge from a node to itself.
func (g *Graph) Cycle() []string {
	x := g.arcs()
	for _, a := range x.edges {
		if a.from == a.to {
			return []string{x.nodes[a.from].ID}
		}
	}
	part := x.knot()
	if part == nil {
		return nil
	}
	s := newCycleSearch(x, part)
	for i, from := range part {
		if i == cycleStarts || len(s.best) == 2 {
			break
		}
		s.from(from)
	}
	ids := make([]string, len(s.best))
	for i, n := range s.best {
		ids[i] = x.nodes[n].ID
	}
	return ids
}

// knot returns the smallest strongly connected component of more than one
// node, by Tarjan's algorithm with a stack of its own.
func (x *index) knot() []int {
	n := len(x.nodes)
	number := make([]int, n) // order of discovery, from 1
	low := make([]int, n)
	next := make([]int, n) // the edge to follow next
	onPath := make([]bool, n)
	var path, calls, best []int
	count := 0
	for root := range n {
		if number[root] != 0 {
			continue
		}
		calls = append(calls[:0], root)
		for len(calls) > 0 {
			v := calls[len(calls)-1]
			if number[v] == 0 {
				count++
				number[v], low[v] = count, count
				path = append(path, v)
				onPath[v] = true
			}
			if out := x.out.of(v); next[v] < len(out) {
				w := x.edges[out[next[v]]].to
				next[v]++
				if number[w] == 0 {
					calls = append(calls, w)
				} else if onPath[w] {
					low[v] = min(low[v], number[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			from := len(path)
			for from > 0 {
				from--
				onPath[path[from]] = false
				if path[from] == v {
					break
				}
			}
			if size := len(path) - from; size > 1 && (best == nil || size < len(best)) {
				best = append([]int(nil), path[from:]...)
			}
			path = path[:from]
		}
	}
	return best
}

// cycleSearch looks breadth first for the shortest way back to a node.
type cycleSearch struct {
	x      *index
	inside []bool
	before []int
	seen   []int // the round in which a node was reached
	round  int
	queue  []int
	best   []int
}

func newCycleSearch(x *index, part []int) *cycleSearch {
	n := len(x.nodes)
	s := &cycleSearch{x: x, inside: make([]bool, n), before: make([]int, n), seen: make([]int, n)}
	for _, v := range part {
		s.inside[v] = true
	}
	return s
}

func (s *cycleSearch) from(start int) {
	s.round++
	s.queue = append(s.queue[:0], start)
	for i := 0; i < len(s.queue); i++ {
		v := s.queue[i]
		for _, e := range s.x.out.of(v) {
			w := s.x.edges[e].to
			if w == start {
				s.keep(start, v)
				return
			}
			if s.inside[w] && s.seen[w] != s.round {
				s.seen[w] = s.round
				s.before[w] = v
				s.queue = append(s.queue, w)
			}
		}
	}
}

func (s *cycleSearch) keep(start, end int) {
	length := 1
	for v := end; v != start; v = s.before[v] {
		length++
	}
	if s.best != nil && length >= len(s.best) {
		return
	}
	s.best = make([]int, length)
	for v := end; v != start; v = s.before[v] {
		length--
		s.best[length] = v
	}
	s.best[0] = start
}
