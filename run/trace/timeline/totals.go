package timeline

import (
	"cmp"
	"slices"
)

// Total sums up the spans of a label in a window. A span that reaches beyond the window counts with
// its part in the window.
type Total struct {
	Label uint32 `json:"label"`
	Count uint64 `json:"count"`
	Total int64  `json:"total_ns"`
	Self  int64  `json:"self_ns"` // without the spans within
}

// Totals sums up the spans of some tracks between two times, the longest total first.
func (x *Index) Totals(tracks []int, from, to int64) ([]Total, error) {
	sums := make([]Total, len(x.Labels))
	for _, t := range tracks {
		var around *Lane // the lane with the enclosing spans
		for _, l := range x.Tracks[t].Lanes {
			if l.Counter != nil {
				continue
			}
			if l.Instants {
				around = nil
			}
			if err := x.add(sums, around, l, from, to); err != nil {
				return nil, err
			}
			around = l
		}
	}
	list := []Total{}
	for i, s := range sums {
		if s.Count > 0 {
			s.Label = uint32(i)
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Total) int { return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Count, a.Count)) })
	return list, nil
}

// add sums up a lane. The time of a span is subtracted from the self time of the enclosing span.
func (x *Index) add(sums []Total, around, l *Lane, from, to int64) error {
	next := &reader{x: x, lane: around, to: to}
	if around != nil {
		next.seek(from)
	}
	err := x.spans(l, from, to, func(_ uint64, s *Span) bool {
		time := min(s.End, to) - max(s.Begin, from)
		sum := &sums[s.Label]
		sum.Count++
		sum.Total += time
		sum.Self += time
		if around != nil {
			for next.ok && next.span.End < s.End {
				next.next()
			}
			if next.ok && next.span.Begin <= s.Begin {
				sums[next.span.Label].Self -= time
			}
		}
		return true
	})
	return cmp.Or(err, next.err)
}

// reader iterates over the spans of a lane.
type reader struct {
	x     *Index
	lane  *Lane
	to    int64
	leaf  int
	at    int
	list  []Span
	room  []byte
	spans [leafSize]Span
	span  Span
	ok    bool
	err   error
}

// seek goes to the first span that ends at or after a time.
func (r *reader) seek(from int64) {
	leaves := r.lane.levels[0]
	r.leaf, _ = slices.BinarySearchFunc(leaves, from, func(n node, at int64) int {
		if n.end < at {
			return -1
		}
		return 1
	})
	r.leaf--
	r.ok = true
	for r.next(); r.ok && r.span.End < from; {
		r.next()
	}
}

func (r *reader) next() {
	for r.at >= len(r.list) {
		r.leaf, r.at = r.leaf+1, 0
		leaves := r.lane.levels[0]
		if r.leaf >= len(leaves) || leaves[r.leaf].begin > r.to {
			r.ok = false
			return
		}
		if r.list, r.err = r.x.leaf(r.lane, &leaves[r.leaf], &r.room, &r.spans); r.err != nil {
			r.ok = false
			return
		}
	}
	r.span = r.list[r.at]
	r.at++
}
