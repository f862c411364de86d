package recorded

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// FlowProvider is the provider of the events of pipelines.
const FlowProvider = "flow"

const (
	flowPrefix = "flow_"
	flowBlock  = "flow_block" // a wait for an edge
	goesOn     = " (goes on)"
	forRoom    = " waits for room"
)

// IsTimeline reports whether the trace is a trace of pipelines, in which programs only have names and places.
func (t *Trace) IsTimeline() bool { return t.timeline != nil }

// piece is a slice of a row, before it is known whether it continues.
type piece struct {
	begin, end int64
	of         *label
	step       uint64
	goesOn     bool // whether it continues an earlier piece
}

// slice takes a slice of a row.
func (l *timeline) slice(e *chromeEvent) {
	r := l.row(e.Pid, e.Tid)
	begin := int64(e.Ts)
	p := piece{begin: begin, end: begin + max(int64(e.Dur), 0), step: e.Args.Step}
	if r.flows[e.Cat] != nil { // most slices have a known category
		p.of, p.goesOn = r.flows[e.Cat], strings.HasSuffix(e.Name, goesOn)
		r.pieces = append(r.pieces, p)
		return
	}
	of := label{kind: l.kind(e), name: e.Name, region: l.place(e.Args.Place)}
	switch {
	case e.Cat == flowBlock:
		of.edge = l.edge(e.Pid, e.Args.Edge)
		of.room = strings.HasSuffix(e.Name, forRoom)
		of.name = "waits for data at " + of.edge.Name
		if of.room {
			of.name = "waits for room at " + of.edge.Name
		}
		of.region = of.edge.Region
	case strings.HasPrefix(e.Cat, flowPrefix):
		p.goesOn = strings.HasSuffix(e.Name, goesOn)
		of.name, of.region = strings.TrimSpace(r.thread.Device+" "+strings.TrimPrefix(e.Cat, flowPrefix)), r.thread.Place
		r.flows[e.Cat] = l.label(of)
	}
	p.of = l.label(of)
	r.pieces = append(r.pieces, p)
}

// end turns the slices into marks. In the file, a wait for an edge divides a step into two slices; here
// the step is one execution that contains the wait.
//
//	file   │ step 7 │ waits for room │ step 7 (goes on) │
//	frames │ step ───────────────────────────────────── │
//	       │        │ waits for room │                  │
func (r *timelineRow) end() {
	list := r.pieces
	r.pieces = nil
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(a.begin, b.begin) })
	var open *piece     // a piece that may continue
	var between []piece // the pieces after it
	leave := func() {
		if open != nil {
			r.marks = append(r.marks, mark{open.end, open.of, End, true})
		}
		for _, p := range between {
			r.marks = append(r.marks, mark{p.begin, p.of, Begin, false}, mark{p.end, p.of, End, true})
		}
		open, between = nil, between[:0]
	}
	for i := range list {
		p := &list[i]
		switch {
		case p.of.edge != nil:
			between = append(between, *p)
		case p.goesOn && open != nil && open.of == p.of && open.step == p.step:
			whole := open
			open = nil
			leave()
			whole.end = p.end
			open = whole
		default:
			leave()
			r.marks = append(r.marks, mark{p.begin, p.of, Begin, false})
			open = p
		}
	}
	leave()
	// Rows of programs have no slices, and instants of a pipeline are between the slices.
	slices.SortStableFunc(r.marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
}

type byMark []*timelineRow

func (h byMark) Len() int           { return len(h) }
func (h byMark) Less(i, j int) bool { return h[i].marks[h[i].next].at < h[j].marks[h[j].next].at }
func (h byMark) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byMark) Push(x any)        { *h = append(*h, x.(*timelineRow)) }
func (h *byMark) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// noMembers is the occurrence of all events of a timeline, which have no members.
var noMembers = &ctf.Occurrence{}

// timeline walks through the rows in the order of time.
func (w *walker) timeline(l *timeline) error {
	var h byMark
	for _, r := range l.rows {
		if r.next = 0; len(r.marks) > 0 {
			h = append(h, r)
		}
	}
	heap.Init(&h)
	none := &source{part: &part{regions: &Regions{}}, rank: -1}
	for len(h) > 0 {
		r := h[0]
		if err := w.mark(r, &r.marks[r.next], none); err != nil {
			return err
		}
		if r.next++; r.next == len(r.marks) {
			heap.Pop(&h)
		} else {
			heap.Fix(&h, 0)
		}
	}
	if err := w.finish(); err != nil {
		return err
	}
	return w.counters(l)
}

// mark passes a mark to the handler.
func (w *walker) mark(r *timelineRow, m *mark, none *source) error {
	e := &w.event
	*e = Event{Occurrence: noMembers, Thread: r.thread, Kind: m.of.kind, Time: m.at, Region: m.of.region, Edge: m.of.edge, Room: m.of.room, source: none}
	w.last = max(w.last, m.at)
	slice := m.of.kind.Provider == FlowProvider // one event with both of its ends
	if w.Any != nil && !(slice && m.phase == End) {
		if err := w.Any(e); err != nil {
			return err
		}
	}
	switch m.phase {
	case Begin:
		return w.entered(e, r.thread.begin(Frame{Name: m.of.name, Kind: m.of.kind, Region: m.of.region, Begin: m.at, ID: m.of.id}))
	case End:
		for i := len(r.thread.stack) - 1; i >= 0; i-- {
			if r.thread.stack[i].Name != m.of.name {
				continue
			}
			of := e
			if !m.whole {
				of = nil
			}
			return w.pop(r.thread, i, m.at, of)
		}
	}
	if w.Instant != nil {
		return w.Instant(e)
	}
	return nil
}
