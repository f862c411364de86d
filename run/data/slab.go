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
		s.size = max(n, min(2*s.size, 256), 4)
		s.free = make([]T, s.size)
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}
