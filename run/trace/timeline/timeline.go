// Package timeline makes an index of a recorded trace, from which any part of the trace can be drawn at any
// scale without reading the trace again.
//
//	recorded.Trace ──Make──▶ file ──Open──▶ Index ──Window──▶ bars of a lane, at most two a pixel
//	                                          ├──Totals──▶ count, total and self time by name
//	                                          ├──Levels──▶ least, mean and largest value of counters
//	                                          ├──Find, At, Span──▶ one span
//	                                          └──Arrows──▶ what leads from one track to another
//
// A track is a thread, a stream of a device or a process of a pipeline. Its frames lie in lanes: lane 0 has the
// outermost, lane 1 those within them. Spans of a lane do not overlap, so that they are sorted by their begins and by
// their ends. The file has them in leaves of leafSize; what a leaf holds together is a node, and fanOut nodes make
// one of the next level. A node that is shorter than a pixel is drawn as one bar, and nothing below it is read.
//
// A counter is a track too, behind those of its process: its one lane has a span for each time between two changes,
// which has the value where others have their label.
//
// The trace is read once, threads at the same time where that can be. Besides the nodes, which have a byte for two
// spans, nothing of it is kept in memory.
package timeline

import "math"

// Limits of an index, whatever a trace holds.
const (
	maxLabels = 1 << 16
	maxLanes  = 256     // of a track, by depth
	maxEnds   = 4 << 20 // of arrows
)

// Index is the index of a trace. Several goroutines may ask it.
type Index struct {
	Head
	arrows []Arrow
	file   source
}

// Head is what an index says of its trace. Times of an index are in nanoseconds since Start.
type Head struct {
	Program string   `json:"program"`
	Start   int64    `json:"start"` // since the epoch
	Length  int64    `json:"length"`
	Spans   uint64   `json:"spans"`
	Labels  []Label  `json:"labels"`
	Tracks  []*Track `json:"tracks"`
	Messages
}

// Messages counts the arrows.
type Messages struct {
	Arrows int    `json:"arrows"`
	Apart  uint64 `json:"apart"` // ends of arrows whose other end is not in the trace, or that were too many
}

// Label is what a span is of.
type Label struct {
	Name  string `json:"name"`
	Event string `json:"event"`           // the kind of the event that began it
	Where string `json:"where,omitempty"` // its place as a person writes it
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// Track is a thread, a stream of a device, a process of a pipeline, or a counter.
type Track struct {
	Process string  `json:"process"`
	Name    string  `json:"name"`
	Rank    int     `json:"rank"` // -1: none
	PID     uint32  `json:"pid"`
	TID     uint32  `json:"tid"`
	Lost    uint64  `json:"lost,omitempty"`   // events that found no room
	Deeper  uint64  `json:"deeper,omitempty"` // frames that lie deeper than lanes go
	Lanes   []*Lane `json:"lanes"`
}

// Lane is spans that do not overlap: those of one depth, the events of the track that are no frames, or the values of a
// counter.
type Lane struct {
	Instants bool     `json:"instants,omitempty"`
	Counter  *Counter `json:"counter,omitempty"`
	Spans    uint64   `json:"spans"`
	Leaves   int      `json:"leaves"`

	levels [][]node // the leaves first
}

// Counter is what the values of a lane are of.
type Counter struct {
	Label uint32 `json:"label"` // in Head.Labels
	Most  uint32 `json:"most"`  // the largest value
}

// Span is a frame, or an event where Begin and End are the same.
type Span struct {
	Begin, End int64
	Label      uint32 // in Head.Labels; of a counter its value
}

// overlaps reports whether some of a span is in a window. A moment is in the window that begins with it.
func (s *Span) overlaps(from, to int64) bool {
	return s.Begin < to && (s.End > from || s.Begin >= from)
}

// leafSize is the number of spans in a leaf, and fanOut that of nodes in one of the next level.
const (
	leafSize = 128
	fanOut   = 16
)

// node is what some spans that follow each other are together.
type node struct {
	begin, end int64
	busy       int64  // the sum of their lengths
	labels     uint64 // a bit for each label, by its lowest six bits
	spans      uint32
	label      uint32 // which of them takes most of the time; of values the largest
	at         int64  // of a leaf: where its bytes begin
	size       uint32

	low  uint32  // of values the smallest
	area float64 // of values the sum of their lengths, each multiplied by its value
}

// join adds a node that follows.
func (n *node) join(o *node, most *int64, values bool) {
	n.end = max(n.end, o.end)
	n.busy += o.busy
	n.labels |= o.labels
	n.spans += min(o.spans, math.MaxUint32-n.spans)
	switch {
	case values:
		n.low, n.label = min(n.low, o.low), max(n.label, o.label)
		n.area += o.area
	case o.busy > *most:
		*most, n.label = o.busy, o.label
	}
}

// grow makes the levels above the leaves.
func (l *Lane) grow() {
	for last := l.levels[0]; len(last) > fanOut; {
		next := make([]node, 0, (len(last)+fanOut-1)/fanOut)
		for i := 0; i < len(last); i += fanOut {
			n, most := last[i], last[i].busy
			for j := i + 1; j < min(i+fanOut, len(last)); j++ {
				n.join(&last[j], &most, l.Counter != nil)
			}
			next = append(next, n)
		}
		l.levels = append(l.levels, next)
		last = next
	}
}

func bit(label uint32) uint64 { return 1 << (label % 64) }
