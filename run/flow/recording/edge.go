package recording

import (
	"fmt"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// An Edge records the data of an edge in the trace of the run. The trace shows the number of data
// in the edge. If the filter shows both steps, it has an arrow from the step that pushed a datum to
// the step that took it.
//
//	producer  ▐ step 7 ▌──s
//	                       ╲
//	consumer                f──▐ step 5 ▌
//
// The times that both ends record only increase, so that the counter in the trace is always right.
// An edge between sites has an Edge on each of the two sites, and the arrow leads from one to the
// other.
type Edge struct {
	label []byte // `from → to`, encoded as JSON
	index uint64 // index in the plan of all sites

	mu     sync.Mutex
	last   time.Duration
	pushed uint64  // number of entries pushed, including flushes and the end
	taken  uint64  // number of entries taken, including flushes and the end
	inside uint64  // number of data in the edge
	shown  []shown // one for each entry in the edge, by the entry's number; the length is a power of two
}

// shown is how an entry of the edge appears in the trace.
type shown uint8

const (
	isWord    shown = iota // a flush or an end, which are not data
	isHidden               // not shown, because of the filter
	isCounted              // included in the counter but without arrow, because the producer's step is not shown
	hasArrow
)

// NewEdge begins the recording of an edge. It writes the place of the connection in its file to
// the trace.
func NewEdge(t *Trace, name string, plan *pipe.PlanEdge) *Edge {
	x := &Edge{label: appendText(nil, name), index: uint64(plan.Index), shown: make([]shown, 16)}
	if at := place(plan.Span); at != nil {
		t.name(fmt.Appendf(nil, `{"name":"edge","ph":"M","pid":1,"tid":0,"args":{"name":"%s"%s}}`, x.label, at))
	}
	return x
}

// Push records that the producer pushes an entry. word is true if it is a flush or the end.
func (x *Edge) Push(r *Recorder, word bool) {
	s := isWord
	switch {
	case word:
	case !r.whole.pushes:
		s = isHidden
	case !r.whole.open():
		s = isCounted
	default:
		s = hasArrow
	}
	x.mu.Lock()
	if x.pushed-x.taken == uint64(len(x.shown)) {
		x.grow()
	}
	number := x.pushed
	*x.at(number) = s
	x.pushed++
	if s != isWord {
		x.inside++
	}
	at, inside := x.now(r), x.inside
	x.mu.Unlock()
	if s >= isCounted {
		r.whole.fill(x, at, inside)
	}
	if s == hasArrow {
		r.whole.arrow(x, phase(r.p, 's'), at, number)
	}
}

// Take records that the consumer takes the next entry.
func (x *Edge) Take(r *Recorder) {
	x.mu.Lock()
	number := x.taken
	s := *x.at(number)
	x.taken++
	if s != isWord {
		x.inside--
	}
	at, inside := x.now(r), x.inside
	x.mu.Unlock()
	if s >= isCounted {
		r.whole.fill(x, at, inside)
	}
	if s == hasArrow && r.whole.open() {
		r.whole.arrow(x, phase(r.p, 'f'), at, number)
	}
}

// phase returns the phase character for one end of an arrow. At a process that links two sites,
// the arrow does not begin or end but continues.
func phase(p *Process, end byte) byte {
	if p.Link {
		return 't'
	}
	return end
}

// now returns a time that is later than all times recorded for the edge.
func (x *Edge) now(r *Recorder) time.Duration {
	x.last = r.after(x.last)
	return x.last
}

func (x *Edge) at(number uint64) *shown { return &x.shown[number&uint64(len(x.shown)-1)] }

func (x *Edge) grow() {
	old := x.shown
	x.shown = make([]shown, 2*len(old))
	for i := x.taken; i < x.pushed; i++ {
		*x.at(i) = old[i&uint64(len(old)-1)]
	}
}
