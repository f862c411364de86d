package timeline

import "slices"

// Found is a span and its position in the index.
type Found struct {
	Span
	Track, Lane int
	Number      uint64 // in its lane
}

// At returns the span of a lane at a time, or the nearest one.
func (x *Index) At(track, lane int, at int64) (Found, error) {
	l := x.Tracks[track].Lanes[lane]
	leaves := l.levels[0]
	i, _ := slices.BinarySearchFunc(leaves, at, func(n node, at int64) int {
		if n.end < at {
			return -1
		}
		return 1
	})
	best, far := Found{Track: track, Lane: lane}, int64(-1)
	for leaf := max(i-1, 0); leaf <= min(i, len(leaves)-1); leaf++ {
		var room []byte
		var list [leafSize]Span
		spans, err := x.leaf(l, &leaves[leaf], &room, &list)
		if err != nil {
			return best, err
		}
		for j, s := range spans {
			if d := max(s.Begin-at, at-s.End, 0); far < 0 || d <= far { // if two spans touch, the second one, which begins there
				best.Span, best.Number, far = s, uint64(leaf*leafSize+j), d
			}
		}
	}
	return best, nil
}

// Span returns the span of a lane with a number.
func (x *Index) Span(track, lane int, number uint64) (Found, error) {
	l := x.Tracks[track].Lanes[lane]
	var room []byte
	var list [leafSize]Span
	if number >= l.Spans {
		return Found{}, ErrDamaged
	}
	spans, err := x.leaf(l, &l.levels[0][number/leafSize], &room, &list)
	if err != nil {
		return Found{}, err
	}
	return Found{spans[number%leafSize], track, lane, number}, nil
}

// Label returns the label of a span.
func (x *Index) Label(f Found) uint32 {
	if c := x.Tracks[f.Track].Lanes[f.Lane].Counter; c != nil {
		return c.Label
	}
	return f.Span.Label
}

// Find returns the first span after a time, or the last span before it, that has one of the labels and is in one of the tracks. If several begin at
// the same time, it returns the one in the first track. A counter is found only at its first value.
func (x *Index) Find(tracks []int, labels []bool, after int64, back bool) (found Found, ok bool, err error) {
	mask := uint64(0)
	for i, is := range labels {
		if is {
			mask |= bit(uint32(i))
		}
	}
	for _, t := range tracks {
		for lane, l := range x.Tracks[t].Lanes {
			s := searcher{x: x, lane: l, labels: labels, mask: mask, after: after, back: back}
			if err := s.search(); err != nil {
				return found, false, err
			}
			nearer := !ok || !back && s.found.Begin < found.Begin || back && s.found.Begin > found.Begin
			if s.ok && nearer {
				found, ok = Found{s.found, t, lane, s.number}, true
			}
		}
	}
	return found, ok, nil
}

// searcher searches a lane for a span, and reads only leaves that may have it.
type searcher struct {
	x      *Index
	lane   *Lane
	labels []bool
	mask   uint64
	after  int64
	back   bool
	room   []byte
	spans  [leafSize]Span
	found  Span
	number uint64
	ok     bool
}

func (s *searcher) search() error {
	if c := s.lane.Counter; c != nil {
		n := &s.lane.levels[0][0]
		if s.ok = s.labels[c.Label] && (s.back && n.begin < s.after || !s.back && n.begin > s.after); !s.ok {
			return nil
		}
		list, err := s.x.leaf(s.lane, n, &s.room, &s.spans)
		if err == nil {
			s.found = list[0]
		}
		return err
	}
	top := len(s.lane.levels) - 1
	return s.level(top, 0, len(s.lane.levels[top]))
}

// level searches the nodes of a level from one index up to another.
func (s *searcher) level(level, from, to int) error {
	nodes := s.lane.levels[level]
	to = min(to, len(nodes))
	for i := from; i < to && !s.ok; i++ {
		at := i
		if s.back {
			at = to - 1 - (i - from)
		}
		n := &nodes[at]
		if n.labels&s.mask == 0 || !s.back && n.end < s.after || s.back && n.begin >= s.after {
			continue
		}
		if level > 0 {
			if err := s.level(level-1, fanOut*at, fanOut*(at+1)); err != nil {
				return err
			}
			continue
		}
		list, err := s.x.leaf(s.lane, n, &s.room, &s.spans)
		if err != nil {
			return err
		}
		s.leaf(list, at)
	}
	return nil
}

func (s *searcher) leaf(list []Span, leaf int) {
	for j := range list {
		if s.back {
			j = len(list) - 1 - j
		}
		it := &list[j]
		if s.labels[it.Label] && (s.back && it.Begin < s.after || !s.back && it.Begin > s.after) {
			s.found, s.number, s.ok = *it, uint64(leaf*leafSize+j), true
			return
		}
	}
}
