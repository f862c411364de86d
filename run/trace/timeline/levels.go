package timeline

// Level describes the values of a counter in a window, as far as they are known.
type Level struct {
	Track int     `json:"track"`
	Least uint32  `json:"least"`
	Mean  float64 `json:"mean"` // over time
	Most  uint32  `json:"most"`
}

// Levels returns the levels of the counters among some tracks between two times. A counter without a value is left out.
func (x *Index) Levels(tracks []int, from, to int64) ([]Level, error) {
	list := []Level{}
	for _, t := range tracks {
		for _, l := range x.Tracks[t].Lanes {
			if l.Counter == nil {
				continue
			}
			a := area{window: window{x: x, lane: l, from: from, to: to}}
			top := len(l.levels) - 1
			for i := range l.levels[top] {
				if err := a.node(top, i); err != nil {
					return nil, err
				}
			}
			if a.any {
				mean := float64(a.most) // of a value with no duration
				if a.time > 0 {
					mean = a.under / float64(a.time)
				}
				list = append(list, Level{t, a.least, mean, a.most})
			}
		}
	}
	return list, nil
}

// area sums up the values in a window.
type area struct {
	window
	any         bool
	least, most uint32
	time        int64
	under       float64 // the sum of the values, each multiplied by its duration
}

// add adds values between low and high.
func (a *area) add(low, high uint32, time int64, under float64) {
	if !a.any {
		a.any, a.least = true, low
	}
	a.least, a.most = min(a.least, low), max(a.most, high)
	a.time += time
	a.under += under
}

// node adds a node that is completely in the window, or the part of its children that is.
func (a *area) node(level, i int) error {
	n := &a.lane.levels[level][i]
	whole := Span{Begin: n.begin, End: n.end}
	switch {
	case !whole.overlaps(a.from, a.to):
		return nil
	case n.begin >= a.from && n.end < a.to: // if the node ends with the window, a value without a duration may follow it
		a.add(n.low, n.label, n.end-n.begin, n.area)
		return nil
	case level > 0:
		for c := fanOut * i; c < min(fanOut*(i+1), len(a.lane.levels[level-1])); c++ {
			if err := a.node(level-1, c); err != nil {
				return err
			}
		}
		return nil
	}
	spans, err := a.x.leaf(a.lane, n, &a.room, &a.spans)
	for j := range spans {
		if s := &spans[j]; s.overlaps(a.from, a.to) {
			time := min(s.End, a.to) - max(s.Begin, a.from)
			a.add(s.Label, s.Label, time, float64(s.Label)*float64(time))
		}
	}
	return err
}
