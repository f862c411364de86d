package timeline

import "slices"

// Bar is an element of a drawn lane: a span, or several within a pixel.
type Bar struct {
	Begin, End int64
	Label      uint32 // if the bar has several spans, the label with the most time; for a counter the largest value
	Spans      uint32 // the number of spans; for a counter the smallest value
}

// Window appends the bars of a lane between two times; pixel is the length of a pixel. It joins consecutive spans
// within a pixel to one bar, so there are at most about two bars for each pixel.
func (x *Index) Window(l *Lane, from, to, pixel int64, bars []Bar) ([]Bar, error) {
	w := &window{x: x, lane: l, from: from, to: to, pixel: max(pixel, 0), first: len(bars), bars: bars}
	top := len(l.levels) - 1
	for i := range l.levels[top] {
		if err := w.node(top, i); err != nil {
			return nil, err
		}
	}
	return w.bars, nil
}

// window collects bars.
type window struct {
	x               *Index
	lane            *Lane
	from, to, pixel int64
	first           int // the index in bars of the lane's first bar
	bars            []Bar
	room            []byte
	spans           [leafSize]Span
	longest         int64 // the busy time of the longest part of the last bar
}

// node adds a node, or its children.
func (w *window) node(level, i int) error {
	n := &w.lane.levels[level][i]
	whole := Span{Begin: n.begin, End: n.end}
	if !whole.overlaps(w.from, w.to) {
		return nil
	}
	if n.end-n.begin <= w.pixel {
		spans := n.spans
		if w.lane.Counter != nil {
			spans = n.low
		}
		w.add(Bar{n.begin, n.end, n.label, spans}, n.busy)
		return nil
	}
	if level > 0 {
		for c := fanOut * i; c < min(fanOut*(i+1), len(w.lane.levels[level-1])); c++ {
			if err := w.node(level-1, c); err != nil {
				return err
			}
		}
		return nil
	}
	spans, err := w.x.leaf(w.lane, n, &w.room, &w.spans)
	for j := range spans {
		s := &spans[j]
		switch {
		case !s.overlaps(w.from, w.to):
		case w.lane.Counter != nil:
			w.add(Bar{s.Begin, s.End, s.Label, s.Label}, 0)
		default:
			w.add(Bar{s.Begin, s.End, s.Label, 1}, s.End-s.Begin)
		}
	}
	return err
}

// add adds a bar with the given busy time. If it and the last bar are within a pixel, they are joined.
func (w *window) add(b Bar, busy int64) {
	if n := len(w.bars); n > w.first {
		if last := &w.bars[n-1]; b.End-last.Begin <= w.pixel {
			last.End = b.End
			if w.lane.Counter != nil {
				last.Spans, last.Label = min(last.Spans, b.Spans), max(last.Label, b.Label)
				return
			}
			last.Spans += b.Spans
			if busy > w.longest {
				w.longest, last.Label = busy, b.Label
			}
			return
		}
	}
	w.bars, w.longest = append(w.bars, b), busy
}

// Busy divides a window into buckets, and adds to each the time that the lane has spans in it.
func (x *Index) Busy(l *Lane, from, to int64, buckets []int64) error {
	b := &busy{window: window{x: x, lane: l, from: from, to: to}, width: max((to-from)/int64(len(buckets)), 1), buckets: buckets}
	top := len(l.levels) - 1
	for i := range l.levels[top] {
		if err := b.node(top, i); err != nil {
			return err
		}
	}
	return nil
}

type busy struct {
	window
	width   int64
	buckets []int64
}

func (b *busy) node(level, i int) error {
	n := &b.lane.levels[level][i]
	if n.end <= b.from || n.begin >= b.to {
		return nil
	}
	first := (n.begin - b.from) / b.width
	if n.begin >= b.from && (n.end-b.from)/b.width == first && first < int64(len(b.buckets)) {
		b.buckets[first] += n.busy
		return nil
	}
	if level > 0 {
		for c := fanOut * i; c < min(fanOut*(i+1), len(b.lane.levels[level-1])); c++ {
			if err := b.node(level-1, c); err != nil {
				return err
			}
		}
		return nil
	}
	spans, err := b.x.leaf(b.lane, n, &b.room, &b.spans)
	for _, s := range spans {
		begin, end := max(s.Begin, b.from), min(s.End, b.to)
		for begin < end {
			at := min((begin-b.from)/b.width, int64(len(b.buckets)-1))
			next := end
			if at < int64(len(b.buckets)-1) {
				next = min(end, b.from+(at+1)*b.width)
			}
			b.buckets[at] += next - begin
			begin = next
		}
	}
	return err
}

// spans yields the spans of a lane that overlap a window, in order, until yield returns false.
func (x *Index) spans(l *Lane, from, to int64, yield func(number uint64, s *Span) bool) error {
	var room []byte
	var list [leafSize]Span
	leaves := l.levels[0]
	first, _ := slices.BinarySearchFunc(leaves, from, func(n node, at int64) int {
		if n.end < at {
			return -1
		}
		return 1
	})
	for i := first; i < len(leaves) && leaves[i].begin < to; i++ {
		spans, err := x.leaf(l, &leaves[i], &room, &list)
		if err != nil {
			return err
		}
		for j := range spans {
			if spans[j].overlaps(from, to) && !yield(uint64(i*leafSize+j), &spans[j]) {
				return nil
			}
		}
	}
	return nil
}
