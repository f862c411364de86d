package svg

import (
	"math"
	"sort"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/internal/leaf/disjoint"
)

// Distances between items, in pixels.
const (
	groupPad   = 18.0
	groupTitle = 22.0
	partGap    = 36.0
)

// padding returns the space between a group's border and its contents, before
// and after the contents.
func (l *layout) padding() (before, after point) {
	after = point{groupPad, groupPad}
	before = after
	if l.dir == graph.Down {
		before.main += groupTitle
	} else {
		before.cross += groupTitle
	}
	return before, after
}

// arrange lays out all levels, innermost first, and then places them inside
// each other from the top.
func (l *layout) arrange() {
	order := make([]int, len(l.x.Groups))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return l.x.Depth[order[i]] > l.x.Depth[order[j]] })
	before, after := l.padding()
	for _, g := range order {
		lev := &l.levels[g+1]
		l.resolve(lev)
		room := l.axes(textWidth(shorten(graph.OneLine(l.x.Groups[g].Name())), smallSize)*1.06, 0)
		lev.arrange(l.simple, l.longest, room)
		lev.reachBorder(before.main, after.main)
		l.box[g+1] = point{before.main + lev.size.main + after.main, before.cross + lev.size.cross + after.cross}
		l.levels[l.x.Parent[g]+1].items[l.inside[g]].size = l.box[g+1]
	}
	l.resolve(&l.levels[0])
	l.levels[0].arrange(l.simple, l.longest, point{})
	l.box[0] = l.levels[0].size
	for i := len(order) - 1; i >= 0; i-- {
		g := order[i]
		parent := l.x.Parent[g] + 1
		at := l.levels[parent].items[l.inside[g]].at
		l.origin[g+1] = point{l.origin[parent].main + at.main + before.main, l.origin[parent].cross + at.cross + before.cross}
	}
	for n := range l.x.Nodes {
		lev := l.x.Group[n] + 1
		at := l.levels[lev].items[l.item[n]].at
		l.cells[n] = point{l.origin[lev].main + at.main, l.origin[lev].cross + at.cross}
	}
}

// resolve sets the points where links meet the borders of the groups in a
// level. These groups have been laid out already.
func (l *layout) resolve(lev *level) {
	before, _ := l.padding()
	for i := range lev.links {
		for _, e := range []*end{&lev.links[i].from, &lev.links[i].to} {
			if e.border >= 0 {
				inner := &l.levels[lev.items[e.item].number+1]
				e.off = before.cross + inner.items[e.border].at.cross
			}
		}
	}
}

// arrange lays out one level. It lays out each connected part separately and
// places the parts next to each other, like words on lines. The parts that
// touch the border count as one part and get a line of their own.
func (l *level) arrange(simple bool, longest float64, room point) {
	parts := l.parts()
	sizes := make([]point, len(parts))
	area, widest := 0.0, room.main
	for i := range parts {
		sizes[i] = parts[i].arrange(simple, longest)
		area += (sizes[i].main + partGap) * (sizes[i].cross + partGap)
		widest = max(widest, sizes[i].main)
	}
	widest = max(widest, math.Sqrt(area*1.6))
	l.size = room
	at, lineEnd := point{}, 0.0
	for i := range parts {
		if at.main > 0 && (at.main+sizes[i].main > widest || parts[i-1].border) {
			at = point{0, lineEnd + partGap}
		}
		for _, it := range parts[i].items {
			l.items[it].at.main += at.main
			l.items[it].at.cross += at.cross
		}
		for _, k := range parts[i].links {
			for j := range l.links[k].knots {
				l.links[k].knots[j].main += at.main
				l.links[k].knots[j].cross += at.cross
			}
		}
		l.size.main = max(l.size.main, at.main+sizes[i].main)
		lineEnd = max(lineEnd, at.cross+sizes[i].cross)
		l.size.cross = max(l.size.cross, lineEnd)
		at.main += sizes[i].main + partGap
	}
}

// reachBorder extends links through the padding to the border.
func (l *level) reachBorder(before, after float64) {
	for i := range l.links {
		k := &l.links[i]
		if l.items[k.from.item].kind == entryItem {
			k.knots = append([]knot{{point: point{-before, k.knots[0].cross}}}, k.knots...)
		}
		if l.items[k.to.item].kind == exitItem {
			last := k.knots[len(k.knots)-1]
			k.knots = append(k.knots, knot{point: point{l.size.main + after, last.cross}})
		}
	}
}

// parts splits a level into connected parts. The part that touches the border
// comes first, nodes without links come last.
func (l *level) parts() []part {
	sets := disjoint.New(len(l.items))
	border := -1
	for _, k := range l.links {
		sets.Join(k.from.item, k.to.item)
	}
	for i := range l.items {
		if kind := l.items[i].kind; kind == entryItem || kind == exitItem {
			if border >= 0 {
				sets.Join(border, i)
			}
			border = i
		}
	}
	var parts []part
	if border >= 0 {
		border = sets.Root(border)
		parts = append(parts, part{level: l, border: true})
	}
	number := make(map[int]int)
	for i := range l.items {
		root := sets.Root(i)
		n, ok := number[root]
		if !ok && root != border {
			n = len(parts)
			parts = append(parts, part{level: l})
			number[root] = n
		}
		parts[n].items = append(parts[n].items, i)
	}
	for i := range l.links {
		n := number[sets.Root(l.links[i].from.item)]
		parts[n].links = append(parts[n].links, i)
	}
	sort.SliceStable(parts, func(i, j int) bool { return !parts[i].lone() && parts[j].lone() })
	return parts
}
