// Package timeline makes an index of a recorded trace, so that any part of the trace can be drawn at any scale without reading the trace again.
//
//	recorded.Trace ──Make──▶ file ──Open──▶ Index ──Window──▶ bars of a lane, at most two a pixel
//	                                          ├──Totals──▶ count, total and self time by name
//	                                          ├──Levels──▶ least, mean and largest value of counters
//	                                          ├──Find, At, Span──▶ one span
//	                                          └──Arrows──▶ connections between tracks
//
// A track is a thread, a device stream or a process of a pipeline. Its frames are in lanes: lane 0 has the outermost
// frames, lane 1 the frames within them, and so on. The spans of a lane do not overlap, so they are sorted both by
// begin and by end. The file has them in leaves of leafSize spans; a node summarises a leaf, and fanOut nodes make one
// node of the next level. A node shorter than a pixel is drawn as one bar, without reading anything below it.
//
// A counter is also a track, after the tracks of its process. Its only lane has a span for each time between two
// changes, with the value in place of the label.
//
// The trace is read once, with threads in parallel if possible. Only the nodes stay in memory: one byte for every two spans.
package timeline

import "math"

// Limits of an index, independent of the trace.
const (
	maxLabels = 1 << 16
	maxLanes  = 256     // the maximum number of lanes of a track
	maxEnds   = 4 << 20 // the maximum number of ends of arrows
)

// Index is the index of a trace. Several goroutines may use it.
type Index struct {
	Head
	arrows []Arrow
	file   source
}

// Head describes the trace of an index. Times in an index are in nanoseconds since Start.
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
	Apart  uint64 `json:"apart"` // ends of arrows whose other end is not in the trace, or above the limit
}

// Label says what a span shows.
type Label struct {
	Name  string `json:"name"`
	Event string `json:"event"`           // the kind of the event that began it
	Where string `json:"where,omitempty"` // its place in a readable form
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// Track is a thread, a device stream, a process of a pipeline, or a counter.
type Track struct {
	Process string  `json:"process"`
	Name    string  `json:"name"`
	Rank    int     `json:"rank"` // -1: none
	PID     uint32  `json:"pid"`
	TID     uint32  `json:"tid"`
	Lost    uint64  `json:"lost,omitempty"`   // events for which there was no room
	Deeper  uint64  `json:"deeper,omitempty"` // frames deeper than the lanes
	Lanes   []*Lane `json:"lanes"`
}

// Lane is a sequence of spans that do not overlap: the frames of one depth, the events of the track outside of frames, or the values of a counter.
type Lane struct {
	Instants bool     `json:"instants,omitempty"`
	Counter  *Counter `json:"counter,omitempty"`
	Spans    uint64   `json:"spans"`
	Leaves   int      `json:"leaves"`

	levels [][]node // the leaves first
}

// Counter describes the values of a lane.
type Counter struct {
	Label uint32 `json:"label"` // an index into Head.Labels
	Most  uint32 `json:"most"`  // the largest value
}

// Span is a frame, or an event if Begin equals End.
type Span struct {
	Begin, End int64
	Label      uint32 // an index into Head.Labels; for a counter the value
}

// overlaps reports whether a part of a span is in a window. An event at the start of a window is in it.
func (s *Span) overlaps(from, to int64) bool {
	return s.Begin < to && (s.End > from || s.Begin >= from)
}

// leafSize is the number of spans in a leaf; fanOut is the number of nodes summarised by one of the next level.
const (
	leafSize = 128
	fanOut   = 16
)

// node summarises consecutive spans.
type node struct {
	begin, end int64
	busy       int64  // the sum of their lengths
	labels     uint64 // a bit for each label, by its lowest six bits
	spans      uint32
	label      uint32 // the label with the most time; for values the largest value
	at         int64  // for a leaf: the offset of its bytes
	size       uint32

	low  uint32  // for values: the smallest value
	area float64 // for values: the sum of their lengths, each multiplied by its value
}

// join adds the next node.
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
