package data

// slab makes few large allocations of many small ones: a tree declares thousands
// of things that live as long as the store.
type slab[T any] struct {
	free []T
	size int // of the last allocation
}

// take returns n zero values. Appending to them never reaches those of others.
func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.size = max(n, min(2*s.size, 1024), 4)
		s.free = make([]T, s.size)
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// Nodes makes the nodes of a tree with few allocations.
type Nodes struct {
	nodes slab[Node]
	items slab[*Node]
	pairs slab[Pair]
}

// New returns a node with room for so many items and pairs.
func (x *Nodes) New(kind NodeKind, items, pairs int) *Node {
	n := &x.nodes.take(1)[0]
	n.Kind, n.Items, n.Pairs = kind, x.items.take(items), x.pairs.take(pairs)
	return n
}
