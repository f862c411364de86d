package svg

import (
	"math"
	"slices"
)

// Distances along the main axis, in pixels.
const (
	layerGap  = 52.0
	borderGap = 24.0
	steepGap  = 60.0 // the largest addition for steep segments
	turnRoom  = 16.0
)

// route computes the main coordinates and the knots of every link, and returns
// the part's size. A part that is longer than the longest row gets several
// rows.
func (p *part) route(longest float64) point {
	items := p.level.items
	starts := make([]float64, len(p.layers))
	ends := make([]float64, len(p.layers))
	gaps := p.gaps()
	at := p.turns(0)
	size := point{}
	for i, layer := range p.layers {
		width := 0.0
		for _, it := range layer {
			width = max(width, items[it].size.main)
		}
		starts[i], ends[i] = at, at+width
		for _, it := range layer {
			items[it].at.main = at + (width-items[it].size.main)/2
			size.cross = max(size.cross, items[it].at.cross+items[it].size.cross)
		}
		at += width
		if i < len(p.layers)-1 {
			at += gaps[i]
		}
	}
	size.main = at + p.turns(len(p.layers)-1)
	r := p.wrap(starts, ends, size.cross, longest)
	if r != nil {
		size = p.extent(r)
	}
	for _, n := range p.links {
		p.level.links[n].knots = p.knots(&p.level.links[n], starts, ends, r)
	}
	return size
}

// extent returns the size of a part in rows.
func (p *part) extent(r *rows) (size point) {
	for _, it := range p.items {
		size.cross = max(size.cross, p.level.items[it].at.cross+p.level.items[it].size.cross)
	}
	size.main = slices.Max(r.to) + r.laneRoom()
	return size
}

// turns returns the space needed next to a layer for links that turn round.
func (p *part) turns(layer int) float64 {
	for _, it := range p.layers[layer] {
		if p.level.items[it].tied {
			return turnRoom
		}
	}
	return 0
}

// gaps returns the space between each layer and the next. It is larger for
// labels, for links that turn round and for steep lines.
func (p *part) gaps() []float64 {
	items := p.level.items
	gaps := make([]float64, len(p.layers))
	for i := range gaps {
		steepest := 0.0
		for _, g := range p.segs[i] {
			rise := items[g.from].at.cross + g.fromOff - items[g.to].at.cross - g.toOff
			steepest = max(steepest, math.Abs(rise))
		}
		gaps[i] = layerGap
		if i == 0 && items[p.layers[0][0]].kind == entryItem || i == len(gaps)-2 && items[p.layers[i+1][0]].kind == exitItem {
			gaps[i] = borderGap
		}
		gaps[i] += min(steepest*0.12, steepGap) + p.turns(i)
		if i+1 < len(gaps) {
			gaps[i] += p.turns(i + 1)
		}
	}
	for _, n := range p.links {
		k := &p.level.links[n]
		if k.label.main > 0 && !k.back {
			a, b := items[k.from.item].layer, items[k.to.item].layer
			gap := a + (b-a)/2
			gaps[gap] = max(gaps[gap], k.label.main+layerGap*0.8)
		}
	}
	return gaps
}

// knots computes the line of a link: straight through the source's layer, in a
// curve to the next layer, straight through that, and so on to its target.
func (p *part) knots(k *link, starts, ends []float64, r *rows) []knot {
	items := p.level.items
	from, to := &items[k.from.item], &items[k.to.item]
	fromCross, toCross := from.at.cross+k.from.off, to.at.cross+k.to.off
	var knots []knot
	add := func(main, cross float64) { knots = append(knots, knot{point: point{main, cross}}) }
	add(from.at.main+from.size.main, fromCross)
	add(ends[from.layer], fromCross)
	if !k.back {
		middle, layer := (len(k.bends)-1)/2, from.layer
		k.labelAt = 1
		for i, b := range k.bends {
			knots = r.pass(knots, k, layer, items[b].layer)
			layer = items[b].layer
			add(starts[layer], items[b].at.cross)
			add(ends[layer], items[b].at.cross)
			if i == middle {
				k.labelAt = len(knots) - 1
			}
		}
		knots = r.pass(knots, k, layer, to.layer)
		if knots[k.labelAt].bulge != 0 {
			k.labelAt++ // put the label on the straight piece between the rows
		}
		add(starts[to.layer], toCross)
		add(to.at.main, toCross)
		return knots
	}
	bulge := func(a, b float64) float64 { return min(turnRoom+math.Abs(a-b)*0.05, 2*turnRoom) }
	first, last := items[k.bends[0]].at.cross, items[k.bends[len(k.bends)-1]].at.cross
	knots[1].bulge = bulge(fromCross, first)
	layer := from.layer
	for i, b := range k.bends {
		if i > 0 {
			knots = r.pass(knots, k, layer, items[b].layer)
		}
		layer = items[b].layer
		add(ends[layer], items[b].at.cross)
		if i == len(k.bends)/2 {
			k.labelAt = len(knots) - 1 // put the label on the straight piece next to the bend, which has room
		}
		add(starts[layer], items[b].at.cross)
	}
	knots[len(knots)-1].bulge = -bulge(toCross, last)
	add(starts[to.layer], toCross)
	add(to.at.main, toCross)
	return knots
}
