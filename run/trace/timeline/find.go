package timeline

import "slices"

// Found is a span with its place in the index.
type Found struct {
	Span
	Track, Lane int
	Number      uint64 // in its lane
}

// At is the span of a lane at a time, or the one that is nearest to it.
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
		spans, err := x.leaf(&leaves[leaf], &room, &list)
		if err != nil {
			return best, err
		}
		for j, s := range spans {
			if d := max(s.Begin-at, at-s.End, 0); far < 0 || d <= far { // of two that touch, the one that begins there
				best.Span, best.Number, far = s, uint64(leaf*leafSize+j), d
			}
		}
	}
	return best, nil
}

// Span is the span of a lane with a number.
func (x *Index) Span(track, lane int, number uint64) (Found, error) {
	l := x.Tracks[track].Lanes[lane]
	var room []byte
	var list [leafSize]Span
	if number >= l.Spans {
		return Found{}, ErrDamaged
	}
	spans, err := x.leaf(&l.levels[0][number/leafSize], &room, &list)
	if err != nil {
		return Found{}, err
	}
	return Found{spans[number%leafSize], track, lane, number}, nil
}

// Find is the first span behind a time, or the last before it, of some tracks that has one of the labels. Of several that
// begin at once it is that of the first track.
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
			top := len(l.levels) - 1
			if err := s.level(top, 0, len(l.levels[top])); err != nil {
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

// searcher looks for a span in a lane, and reads only leaves that may have it.
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

// level looks into the nodes of a level from one to below another.
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
		list, err := s.x.leaf(n, &s.room, &s.spans)
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
