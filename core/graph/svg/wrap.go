package svg

import (
	"cmp"
	"math"
	"slices"
)

// A long part is cut into rows, like words on lines. A link from one row to the
// next turns round at the end of the first row, runs back in a lane between the
// two, and turns round again.
const (
	longPart  = 2200.0 // a part up to this length stays on one row
	rowLength = 1500.0 // the shortest length of a row
	laneGap   = 9.0
	firstTurn = 26.0 // how far the innermost link extends before it turns round
	nextTurn  = 7.0  // how much further each next link extends
)

// rows gives the row of each layer, and the lane of each link from one row to
// the next. A nil *rows is a single row.
type rows struct {
	of       []int // the row of each layer
	from, to []float64
	lanes    []map[*link]lane // between each row and the next
}

// lane is the path of a link that runs back between two rows.
type lane struct {
	cross      float64
	near, away float64 // how far the link extends before it turns round: near after the upper row, away before the lower row
}

// wrap moves the layers of a long part into rows, each below the one before. It
// returns nil if the part stays on one row.
func (p *part) wrap(starts, ends []float64, cross, longest float64) *rows {
	length := ends[len(ends)-1]
	if longest == 0 || length <= longest || p.border || p.leaps() {
		return nil
	}
	r := &rows{of: make([]int, len(p.layers))}
	if longest < longPart {
		r.fill(starts, ends, longest)
	} else if length >= 2.5*cross {
		r.balance(ends, math.Ceil(length/max(rowLength, math.Sqrt(length*(cross+60)*1.9))))
	}
	row := slices.Max(r.of)
	if row == 0 {
		return nil
	}
	r.lanes = make([]map[*link]lane, row)
	r.from, r.to = make([]float64, row+1), make([]float64, row+1)
	crossings := p.crossings(r)
	largest := 0
	for _, c := range crossings {
		largest = max(largest, len(c))
	}
	room := firstTurn + nextTurn*float64(largest)
	top := 0.0
	for n := range row + 1 {
		first := slices.Index(r.of, n)
		last := len(r.of) - 1 - slices.Index(reversed(r.of), n)
		bottom := p.moveRow(starts, ends, first, last, room, top)
		r.from[n], r.to[n] = starts[first], ends[last]
		if n < row {
			r.lanes[n] = p.assign(crossings[n], bottom+boxGap)
			top = bottom + 2*boxGap + laneGap*float64(len(crossings[n]))
		}
	}
	return r
}

// fill puts as many layers on each row as fit.
func (r *rows) fill(starts, ends []float64, longest float64) {
	row, begin := 0, 0.0
	for i := range r.of {
		if i > 0 && ends[i]-begin > longest {
			row, begin = row+1, starts[i]
		}
		r.of[i] = row
	}
}

// balance distributes the layers over rows of similar length.
func (r *rows) balance(ends []float64, count float64) {
	length := ends[len(ends)-1]
	row := 0
	for i := range r.of {
		if i > 0 && ends[i] > length/count*float64(row+1) && row < int(count)-1 {
			row++
		}
		r.of[i] = row
	}
}

func reversed(s []int) []int {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

// leaps reports whether some link passes a layer without a bend there.
func (p *part) leaps() bool {
	return slices.ContainsFunc(p.links, func(n int) bool {
		k := &p.level.links[n]
		passed := p.level.items[k.to.item].layer - p.level.items[k.from.item].layer - 1
		if k.back {
			passed = -passed
		}
		return len(k.bends) < passed
	})
}

// crossings returns the links between each row and the next, in both
// directions.
func (p *part) crossings(r *rows) [][]*link {
	list := make([][]*link, len(r.lanes))
	for _, n := range p.links {
		k := &p.level.links[n]
		a, b := r.of[p.level.items[k.from.item].layer], r.of[p.level.items[k.to.item].layer]
		for row := min(a, b); row < max(a, b); row++ {
			list[row] = append(list[row], k)
		}
	}
	return list
}

// assign gives each link between two rows a lane. The link that leaves the
// upper row lowest gets the innermost lane, so that few lines cross.
func (p *part) assign(links []*link, top float64) map[*link]lane {
	slices.SortStableFunc(links, func(a, b *link) int {
		return cmp.Compare(p.level.items[b.from.item].at.cross+b.from.off, p.level.items[a.from.item].at.cross+a.from.off)
	})
	lanes := make(map[*link]lane, len(links))
	for i, k := range links {
		lanes[k] = lane{
			cross: top + laneGap*float64(i),
			near:  firstTurn + nextTurn*float64(i),
			away:  firstTurn + nextTurn*float64(len(links)-1-i),
		}
	}
	return lanes
}

// moveRow moves layers to the beginning of a row at the given height. It
// returns the bottom of the row.
func (p *part) moveRow(starts, ends []float64, first, last int, at, top float64) (bottom float64) {
	items := p.level.items
	highest := math.Inf(1)
	for _, layer := range p.layers[first : last+1] {
		for _, it := range layer {
			highest = min(highest, items[it].at.cross)
		}
	}
	main, cross := at-starts[first], top-highest
	for i := first; i <= last; i++ {
		starts[i] += main
		ends[i] += main
		for _, it := range p.layers[i] {
			items[it].at.main += main
			items[it].at.cross += cross
			bottom = max(bottom, items[it].at.cross+items[it].size.cross)
		}
	}
	return bottom
}

// pass leads a link from the end of one layer to its next layer, through a lane
// if their rows differ.
func (r *rows) pass(knots []knot, k *link, from, to int) []knot {
	if r == nil || r.of[from] == r.of[to] {
		return knots
	}
	upper := min(r.of[from], r.of[to])
	l := r.lanes[upper]
	way := l[k]
	behind, before := r.to[upper], r.from[upper+1]
	first, second := knot{point: point{behind, way.cross}}, knot{point: point{before, way.cross}, bulge: -way.away}
	turn := way.near
	if r.of[from] > upper { // the link leads to the row above
		first, second = knot{point: point{before, way.cross}}, knot{point: point{behind, way.cross}, bulge: way.near}
		turn = -way.away
	}
	end := &knots[len(knots)-1]
	start := behind
	if r.of[from] > upper {
		start = before
	}
	if end.main != start {
		knots = append(knots, knot{point: point{start, end.cross}})
		end = &knots[len(knots)-1]
	}
	end.bulge = turn
	return append(knots, first, second)
}

// laneRoom returns the space beside the rows for links that turn round.
func (r *rows) laneRoom() float64 {
	largest := 0.0
	for _, lanes := range r.lanes {
		largest = max(largest, firstTurn+nextTurn*float64(len(lanes)))
	}
	return largest
}
