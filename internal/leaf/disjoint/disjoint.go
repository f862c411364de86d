// Package disjoint divides numbers into disjoint sets.
package disjoint

// Sets are disjoint sets of the numbers from 0 to n-1; each number leads to the root of its set.
type Sets []int

// New returns n sets of one number each.
func New(n int) Sets {
	s := make(Sets, 0, n)
	for range n {
		s.Add()
	}
	return s
}

// Add adds a set that contains only the next number, and returns that number.
func (s *Sets) Add() int {
	n := len(*s)
	*s = append(*s, n)
	return n
}

// Root returns the number that represents the set of a number.
func (s Sets) Root(i int) int {
	for s[i] != i {
		s[i] = s[s[i]] // halving paths keeps the trees flat
		i = s[i]
	}
	return i
}

// Join merges the sets of a and b; the root of a becomes the root of both.
func (s Sets) Join(a, b int) { s[s.Root(b)] = s.Root(a) }
