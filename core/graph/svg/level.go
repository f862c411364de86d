package svg

import (
	"cmp"

	"github.com/pentode-dev/pentode/core/graph"
)

// itemKind is the kind of an item.
type itemKind byte

const (
	nodeItem  itemKind = iota
	groupItem          // a group, laid out before, which is now one box
	entryItem          // a point where edges enter through the level's border
	exitItem           // a point where edges leave through the level's border
	bendItem           // a point where a long edge passes through a layer
)

// item is something that a level places.
type item struct {
	kind   itemKind
	number int // of the node or group
	size   point
	at     point // its corner, relative to the level's contents
	layer  int
	pos    int   // its position in its layer
	tail   []int // the bends placed directly after it in its layer
	tied   bool  // it is in the tail of another item
}

// end is a point where a link meets an item.
type end struct {
	item   int
	border int     // for a group: the item on the group's border, else -1
	off    float64 // from the item's corner along the cross axis
}

// link is the part of an edge in one level.
type link struct {
	from, to end
	label    point // the space for its label
	back     bool  // it leads to an earlier layer
	bends    []int
	knots    []knot
	labelAt  int // the label is placed after this knot
}

// knot is a point on a link's line, where the line runs along the main axis. If
// it has a bulge, the line turns round before the next knot.
type knot struct {
	point
	bulge float64
}

// level is the inside of one group, or the whole picture.
type level struct {
	items []item
	links []link
	size  point // of the contents
	exits map[borderKey]int
}

// borderKey identifies the link of a port through a border. All edges of the
// port share this link.
type borderKey struct {
	node, port int
	out        bool
}

// step locates a part of an edge: its level and its link there.
type step struct{ level, link int }

// layout is a whole picture: level 0 is the top, level g+1 is group g.
type layout struct {
	x       *graph.Index
	dir     graph.Direction
	shapes  []shape
	levels  []level
	origin  []point  // of each level's contents in the picture
	box     []point  // size of each level with its padding
	routes  [][]step // the parts of each edge, in order
	item    []int    // the number of each node's item in its level
	inside  []int    // the number of each group's item in its parent's level
	simple  bool     // the graph is so large that long edges get no bends
	longest float64  // the longest row; 0 means that a part of any length stays on one row
	cells   []point  // the corner of each node
}

// largeGraph is the number of nodes above which edges get no bends. The number
// of bends may grow with the square of the graph's size.
const largeGraph = 4000

func newLayout(g *graph.Graph) *layout {
	x := g.Index()
	l := &layout{
		x: x, dir: g.Direction,
		shapes: make([]shape, len(x.Nodes)),
		levels: make([]level, len(x.Groups)+1),
		origin: make([]point, len(x.Groups)+1),
		box:    make([]point, len(x.Groups)+1),
		routes: make([][]step, len(x.Edges)),
		item:   make([]int, len(x.Nodes)),
		inside: make([]int, len(x.Groups)),
		cells:  make([]point, len(x.Nodes)),
		simple: len(x.Nodes) > largeGraph || len(x.Edges) > 4*largeGraph,
	}
	if l.dir == graph.Right {
		l.longest = cmp.Or(g.Width, longPart)
	}
	for i, n := range x.Nodes {
		l.shapes[i] = shapeOf(n, l.dir)
		l.item[i] = l.levels[x.Group[i]+1].add(item{kind: nodeItem, number: i, size: l.axes(l.shapes[i].width, l.shapes[i].height)})
	}
	for i := range x.Groups {
		l.inside[i] = l.levels[x.Parent[i]+1].add(item{kind: groupItem, number: i})
	}
	for i := range x.Edges {
		l.connect(i)
	}
	l.arrange()
	return l
}

// axes converts width and height to main and cross.
func (l *layout) axes(width, height float64) point {
	if l.dir == graph.Down {
		return point{height, width}
	}
	return point{width, height}
}

func (l *level) add(it item) int {
	l.items = append(l.items, it)
	return len(l.items) - 1
}

// connect makes the parts of an edge: out through the borders of the groups
// around its source, across the level that both ends share, and in through the
// borders of the groups around its target.
func (l *layout) connect(number int) {
	a := l.x.Edges[number]
	outPort, inPort := l.x.OutPort(a), l.x.InPort(a)
	from := end{l.item[a.From], -1, l.shapes[a.From].whole}
	if outPort >= 0 {
		from.off = l.shapes[a.From].out[outPort]
	}
	to := end{l.item[a.To], -1, l.shapes[a.To].whole}
	if inPort >= 0 {
		to.off = l.shapes[a.To].in[inPort]
	}
	depth := func(group int) int {
		if group < 0 {
			return -1
		}
		return l.x.Depth[group]
	}
	var leaving, coming []step
	u, v := l.x.Group[a.From], l.x.Group[a.To]
	for u != v {
		if depth(u) >= depth(v) {
			var s step
			s, from = l.cross(u, from, borderKey{a.From, outPort, true})
			leaving = append(leaving, s)
			u = l.x.Parent[u]
		} else {
			var s step
			s, to = l.cross(v, to, borderKey{a.To, inPort, false})
			coming = append(coming, s)
			v = l.x.Parent[v]
		}
	}
	shared := &l.levels[u+1]
	shared.links = append(shared.links, link{from: from, to: to, label: l.labelRoom(a.Edge)})
	route := append(leaving, step{u + 1, len(shared.links) - 1})
	for i := len(coming) - 1; i >= 0; i-- {
		route = append(route, coming[i])
	}
	l.routes[number] = route
}

// cross extends an end through a group's border and returns it as seen from the
// enclosing level.
func (l *layout) cross(group int, e end, key borderKey) (step, end) {
	lev := &l.levels[group+1]
	if lev.exits == nil {
		lev.exits = make(map[borderKey]int)
	}
	n, ok := lev.exits[key]
	if !ok {
		n = len(lev.links)
		lev.exits[key] = n
		if key.out {
			border := lev.add(item{kind: exitItem})
			lev.links = append(lev.links, link{from: e, to: end{border, -1, 0}})
		} else {
			border := lev.add(item{kind: entryItem})
			lev.links = append(lev.links, link{from: end{border, -1, 0}, to: e})
		}
	}
	border := lev.links[n].to.item
	if !key.out {
		border = lev.links[n].from.item
	}
	return step{group + 1, n}, end{l.inside[group], border, 0}
}

func (l *layout) labelRoom(e *graph.Edge) point {
	if e.Label == "" {
		return point{}
	}
	return l.axes(textWidth(shorten(graph.OneLine(e.Label)), smallSize)+8, smallLine)
}
