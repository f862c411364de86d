package svg

import (
	"fmt"
	"math"

	"github.com/pentode-dev/pentode/core/graph"
)

// edgeLabels writes the labels of edges. Each is placed next to its line if there is space, otherwise at a place
// that hides as little as possible.
func (w *writer) edgeLabels() {
	var s *space
	for i := range w.x.Edges {
		text := shorten(graph.OneLine(w.x.Edges[i].Edge.Label))
		if text == "" {
			continue
		}
		if s == nil {
			s = w.space()
		}
		w.edgeLabel(i, text, s)
	}
}

func (w *writer) edgeLabel(number int, text string, s *space) {
	for _, step := range w.routes[number] {
		k := &w.levels[step.level].links[step.link]
		if k.label.main == 0 {
			continue
		}
		at := w.origin[step.level]
		p, q := k.knots[k.labelAt].point, k.knots[k.labelAt+1].point
		width := textWidth(text, smallSize)
		if k.back {
			p.cross += k.label.cross/2 + 1
			q.cross = p.cross
		}
		x, y := s.find(number, width, smallLine, w.dir, func(t float64) (float64, float64) {
			s := t * t * (3 - 2*t) // smoothstep: how far the curve has moved sideways
			return w.screen(point{at.main + p.main + (q.main-p.main)*t, at.cross + p.cross + (q.cross-p.cross)*s})
		})
		fmt.Fprintf(w, `<rect class="plate"%s x="%s" y="%s" width="%s" height="%s" rx="3"/>`, w.data("edge", number), num(x-width/2), num(y-smallLine/2), num(width), num(smallLine))
		fmt.Fprintf(w, `<text class="edgelabel"%s x="%s" y="%s">%s</text>`+"\n", w.data("edge", number), num(x), num(y+4), xmlText(text))
		return
	}
}

// space stores boxes and lines in coarse squares, to find those near a label.
type space struct {
	boxes map[[2]int][]rect
	lines map[[2]int][]onLine
}

type rect struct{ x, y, width, height float64 }

func (a rect) overlaps(b rect) bool {
	return a.x < b.x+b.width && b.x < a.x+a.width && a.y < b.y+b.height && b.y < a.y+a.height
}

// onLine is a point on the line of an edge.
type onLine struct {
	x, y float64
	edge int
}

// The distance between the points that represent a line, and their largest number.
const (
	onLineGap  = 5.0
	maxOnLines = 1 << 20
)

// space returns the boxes and lines that are drawn before the labels.
func (w *writer) space() *space {
	s := &space{make(map[[2]int][]rect), make(map[[2]int][]onLine)}
	for i := range w.x.Nodes {
		x, y := w.screen(w.cells[i])
		s.put(rect{x, y, w.shapes[i].width, w.shapes[i].height})
	}
	count := 0
	for i := range w.x.Edges {
		knots := w.path(i)
		for j := 1; j < len(knots) && count < maxOnLines; j++ {
			p, q := knots[j-1], knots[j]
			half := (q.main - p.main) / 2
			a, b := point{p.main + half, p.cross}, point{q.main - half, q.cross}
			if p.bulge != 0 {
				a, b = point{p.main + p.bulge, p.cross}, point{q.main + p.bulge, q.cross}
			}
			n := int(math.Hypot(q.main-p.main, q.cross-p.cross)/onLineGap) + 1
			for step := range n {
				x, y := w.screen(bezier(p.point, a, b, q.point, float64(step)/float64(n)))
				cell := squareOf(x, y)
				s.lines[cell] = append(s.lines[cell], onLine{x, y, i})
			}
			count += n
		}
	}
	return s
}

func bezier(p, a, b, q point, t float64) point {
	u := 1 - t
	k, l, m, n := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return point{k*p.main + l*a.main + m*b.main + n*q.main, k*p.cross + l*a.cross + m*b.cross + n*q.cross}
}

// The cost of what a label hides.
const (
	hidesBox   = 100
	hidesOther = 4 // the line of an edge other than the label's own
	hidesOwn   = 1
)

// find returns the place at a line where a label hides the least.
func (s *space) find(edge int, width, height float64, dir graph.Direction, along func(t float64) (x, y float64)) (x, y float64) {
	best := math.MaxInt
	var box rect
	for _, t := range [...]float64{0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8} {
		for _, side := range [...]float64{-1, 1, 0} {
			atX, atY := along(t)
			if dir == graph.Down {
				atX += side * (width/2 + 4)
			} else {
				atY += side * (height/2 + 2)
			}
			tried := rect{atX - width/2, atY - height/2, width, height}
			if cost := s.cost(tried, edge); cost < best {
				best, box, x, y = cost, tried, atX, atY
			}
		}
		if best == 0 {
			break
		}
	}
	s.put(box)
	return x, y
}

func (s *space) put(r rect) {
	r.squares(func(c [2]int) { s.boxes[c] = append(s.boxes[c], r) })
}

// cost returns the cost of everything that a box would hide.
func (s *space) cost(r rect, edge int) (sum int) {
	last := -1
	r.squares(func(c [2]int) {
		for _, other := range s.boxes[c] {
			if other.overlaps(r) {
				sum += hidesBox
			}
		}
		for _, p := range s.lines[c] {
			if p.edge == last || p.x < r.x || p.x > r.x+r.width || p.y < r.y || p.y > r.y+r.height {
				continue
			}
			last = p.edge
			if p.edge == edge {
				sum += hidesOwn
			} else {
				sum += hidesOther
			}
		}
	})
	return sum
}

const square = 64

func squareOf(x, y float64) [2]int {
	return [2]int{int(math.Floor(x / square)), int(math.Floor(y / square))}
}

// squares visits the squares that overlap a box.
func (r rect) squares(visit func([2]int)) {
	from, to := squareOf(r.x, r.y), squareOf(r.x+r.width, r.y+r.height)
	for i := from[0]; i <= to[0]; i++ {
		for j := from[1]; j <= to[1]; j++ {
			visit([2]int{i, j})
		}
	}
}
