package graph

// Components returns the ids of the nodes that hang together, whatever the
// direction of their edges, in the order of their first nodes.
func (g *Graph) Components() [][]string {
	x := g.arcs()
	sets := newUnion(len(x.nodes))
	for _, a := range x.edges {
		sets.join(a.from, a.to)
	}
	var parts [][]string
	at := make([]int, len(x.nodes)) // part number + 1, by root
	for i, n := range x.nodes {
		root := sets.root(i)
		if at[root] == 0 {
			parts = append(parts, nil)
			at[root] = len(parts)
		}
		parts[at[root]-1] = append(parts[at[root]-1], n.ID)
	}
	return parts
}

// union is a forest of sets of numbers.
type union []int

func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = i
	}
	return u
}

func (u union) root(i int) int {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// join keeps the smaller number as root; halving paths keeps the trees flat.
func (u union) join(a, b int) {
	a, b = u.root(a), u.root(b)
	u[max(a, b)] = min(a, b)
}
