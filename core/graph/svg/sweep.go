package svg

import "sort"

// sweep orders the items of each layer so that few segments cross. It
// repeatedly sorts each layer by the positions of its neighbours in the layer
// before, then in the layer after, and keeps the best order.
func (p *part) sweep() {
	total := 0
	for _, s := range p.segs {
		total += len(s)
	}
	for i := range p.layers {
		p.number(i, p.free(i))
	}
	if total == 0 {
		return
	}
	s := newSweeper(p)
	rounds := min(max(400_000/total, 2), 24)
	best, fewest := p.snapshot(), s.crossings()
	stale := 0
	for round := 0; round < rounds && fewest > 0 && stale < 6; round++ {
		if round%2 == 0 {
			for i := 1; i < len(p.layers); i++ {
				s.sort(i, i-1)
			}
		} else {
			for i := len(p.layers) - 2; i >= 0; i-- {
				s.sort(i, i)
			}
		}
		stale++
		if n := s.crossings(); n < fewest {
			best, fewest, stale = p.snapshot(), n, 0
		}
	}
	for i, layer := range best {
		p.number(i, layer)
	}
}

// free returns a layer's items that are not tied to another.
func (p *part) free(layer int) []int {
	free := make([]int, 0, len(p.layers[layer]))
	for _, it := range p.layers[layer] {
		if !p.level.items[it].tied {
			free = append(free, it)
		}
	}
	return free
}

// number sets a layer to these items, each followed by its tail.
func (p *part) number(layer int, free []int) {
	all := p.layers[layer][:0]
	for _, it := range free {
		all = append(all, it)
		all = append(all, p.level.items[it].tail...)
	}
	for pos, it := range all {
		p.level.items[it].pos = pos
	}
	p.layers[layer] = all
}

func (p *part) snapshot() [][]int {
	all := make([][]int, len(p.layers))
	for i := range all {
		all[i] = p.free(i)
	}
	return all
}

type sweeper struct {
	*part
	sum   map[int]*mean
	pairs []pair
	spare []float64
}

// mean is the average position of an item's neighbours.
type mean struct {
	sum   float64
	count int
}

type pair struct{ from, to float64 }

func newSweeper(p *part) *sweeper {
	s := &sweeper{part: p, sum: make(map[int]*mean, len(p.items))}
	for _, it := range p.items {
		s.sum[it] = &mean{}
	}
	return s
}

// place returns the position of a segment's end in its layer: the item's number
// plus a fraction for the position of the port on the item.
func (s *sweeper) place(it int, off float64) float64 {
	i := &s.level.items[it]
	return float64(i.pos) + off/(i.size.cross+1)
}

// sort orders a layer by the positions of its neighbours in the layer before or
// after it. Items without neighbours there keep their positions.
func (s *sweeper) sort(layer, gap int) {
	for _, it := range s.layers[layer] {
		*s.sum[it] = mean{}
	}
	for _, g := range s.segs[gap] {
		m, at := s.sum[g.to], s.place(g.from, g.fromOff)
		if gap == layer {
			m, at = s.sum[g.from], s.place(g.to, g.toOff)
		}
		m.sum += at
		m.count++
	}
	free := s.free(layer)
	var slots, moving []int
	for i, it := range free {
		if s.sum[it].count > 0 {
			slots = append(slots, i)
			moving = append(moving, it)
		}
	}
	key := func(it int) float64 { m := s.sum[it]; return m.sum / float64(m.count) }
	sort.SliceStable(moving, func(i, j int) bool { return key(moving[i]) < key(moving[j]) })
	for i, slot := range slots {
		free[slot] = moving[i]
	}
	s.number(layer, free)
}

// crossings counts the pairs of segments that cross.
func (s *sweeper) crossings() int {
	n := 0
	for _, segs := range s.segs {
		s.pairs = s.pairs[:0]
		for _, g := range segs {
			s.pairs = append(s.pairs, pair{s.place(g.from, g.fromOff), s.place(g.to, g.toOff)})
		}
		sort.Slice(s.pairs, func(i, j int) bool {
			a, b := s.pairs[i], s.pairs[j]
			if a.from != b.from {
				return a.from < b.from
			}
			return a.to < b.to
		})
		ends := make([]float64, len(s.pairs))
		for i, p := range s.pairs {
			ends[i] = p.to
		}
		if len(s.spare) < len(ends) {
			s.spare = make([]float64, len(ends))
		}
		n += inversions(ends, s.spare)
	}
	return n
}

// inversions sorts a list and returns the number of pairs that were in the
// wrong order.
func inversions(a, spare []float64) int {
	if len(a) < 2 {
		return 0
	}
	half := len(a) / 2
	n := inversions(a[:half], spare) + inversions(a[half:], spare)
	copy(spare, a[:half])
	left, right := spare[:half], a[half:]
	i, j, k := 0, 0, 0
	for i < len(left) && j < len(right) {
		if left[i] <= right[j] {
			a[k] = left[i]
			i++
		} else {
			a[k] = right[j]
			j++
			n += len(left) - i
		}
		k++
	}
	copy(a[k:], left[i:])
	return n
}
