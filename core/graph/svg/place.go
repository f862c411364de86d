package svg

// Distances across a layer, in pixels.
const (
	boxGap  = 28.0
	lineGap = 14.0
)

// place computes the cross coordinates. Every item moves to where its segments
// are straight, as far as the order and the distances in its layer allow.
func (p *part) place() {
	for _, layer := range p.layers {
		at := 0.0
		for i, it := range layer {
			if i > 0 {
				at += p.gap(layer[i-1], it)
			}
			p.level.items[it].at.cross = at
			at += p.level.items[it].size.cross
		}
	}
	total := 0
	for _, s := range p.segs {
		total += len(s)
	}
	if total == 0 {
		return
	}
	rounds := min(max(1_000_000/(total+len(p.items)), 4), 200)
	s := &placer{part: p, want: make(map[int]*wish, len(p.items))}
	for _, it := range p.items {
		s.want[it] = &wish{}
	}
	for round := range rounds {
		both := round > rounds/2 // first find the shape, then balance it between the layers on both sides
		for i := 1; i < len(p.layers); i++ {
			s.placeLayer(i, true, both)
		}
		for i := len(p.layers) - 2; i >= 0; i-- {
			s.placeLayer(i, both, true)
		}
	}
	for i := len(p.layers) - 2; i >= 0; i-- { // centre parents over their children
		s.placeLayer(i, false, true)
	}
	p.tighten()
	p.align()
}

// tighten moves the bend of a link from an item to itself close to the item,
// since such a bend has no segments.
func (p *part) tighten() {
	for _, n := range p.links {
		k := &p.level.links[n]
		if k.back && len(k.bends) == 1 {
			bend := &p.level.items[k.bends[0]]
			before := p.layers[bend.layer][bend.pos-1]
			it := &p.level.items[before]
			bend.at.cross = it.at.cross + it.size.cross + p.gap(before, k.bends[0])
		}
	}
}

// gap returns the distance between two neighbours in a layer.
func (p *part) gap(a, b int) float64 {
	isLine := func(it int) bool {
		k := p.level.items[it].kind
		return k == bendItem || k == entryItem || k == exitItem
	}
	switch {
	case isLine(a) && isLine(b):
		return lineGap
	case isLine(a) || isLine(b):
		return (lineGap + boxGap) / 2
	}
	return boxGap
}

// wish is the weighted sum of the positions that an item wants, and the sum of
// the weights.
type wish struct{ sum, weight float64 }

// block is a sequence of touching neighbours that move together.
type block struct {
	sum, weight float64
	count       int
}

type placer struct {
	*part
	want   map[int]*wish
	blocks []block
	offs   []float64
}

// placeLayer moves the items of a layer towards their neighbours in the layers
// before or after it. To keep order and distances while staying as near as
// possible to all wishes is an isotonic regression, which is solved exactly by
// merging blocks.
func (s *placer) placeLayer(layer int, before, after bool) {
	row, items := s.layers[layer], s.level.items
	for _, it := range row {
		*s.want[it] = wish{}
	}
	if before && layer > 0 {
		for _, g := range s.segs[layer-1] {
			w := s.want[g.to]
			w.sum += g.weight * (items[g.from].at.cross + g.fromOff - g.toOff)
			w.weight += g.weight
		}
	}
	if after && layer < len(s.layers)-1 {
		for _, g := range s.segs[layer] {
			w := s.want[g.from]
			w.sum += g.weight * (items[g.to].at.cross + g.toOff - g.fromOff)
			w.weight += g.weight
		}
	}
	s.blocks, s.offs = s.blocks[:0], s.offs[:0]
	off := 0.0
	for i, it := range row {
		if i > 0 {
			off += items[row[i-1]].size.cross + s.gap(row[i-1], it)
		}
		s.offs = append(s.offs, off)
		w := *s.want[it]
		if w.weight == 0 {
			w = wish{items[it].at.cross * 0.01, 0.01}
		}
		b := block{w.sum - off*w.weight, w.weight, 1}
		for n := len(s.blocks); n > 0; n = len(s.blocks) {
			prev := s.blocks[n-1]
			if prev.sum*b.weight < b.sum*prev.weight {
				break
			}
			b = block{prev.sum + b.sum, prev.weight + b.weight, prev.count + b.count}
			s.blocks = s.blocks[:n-1]
		}
		s.blocks = append(s.blocks, b)
	}
	i := 0
	for _, b := range s.blocks {
		at := b.sum / b.weight
		for range b.count {
			items[row[i]].at.cross = at + s.offs[i]
			i++
		}
	}
}

// align moves the part so that it begins at 0.
func (p *part) align() {
	first := p.level.items[p.layers[0][0]].at.cross
	for _, layer := range p.layers {
		first = min(first, p.level.items[layer[0]].at.cross)
	}
	for _, it := range p.items {
		p.level.items[it].at.cross -= first
	}
}
