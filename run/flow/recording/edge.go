package recording

import (
	"fmt"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// An Edge follows the data of an edge through the trace of the run: how many are inside, and which
// of them get an arrow from the step that pushed them to the step that took them.
//
//	producer  ▐ step 7 ▌──s
//	                       ╲
//	consumer                f──▐ step 5 ▌
//
// Both ends write increasing times into it, so that the counter in the trace is right at every
// moment. An edge between sites has an Edge at both of them, and the arrow continues from one to
// the other.
type Edge struct {
	label []byte // names of both ends, in JSON form
	index uint64 // index in the plan of all sites

	mu     sync.Mutex
	last   time.Duration
	pushed uint64  // data, flushes and the end
	taken  uint64  // data, flushes and the end
	inside uint64  // data only
	shown  []shown // entries in the edge, by number; the length is a power of two
}

// shown is what the trace has of an entry.
type shown uint8

const (
	isWord    shown = iota // a flush or an end, which are not data
	isHidden               // the filter omitted it
	isCounted              // counted, but without arrow: the producer's step is not written
	hasArrow
)

// NewEdge begins to follow an edge, and writes the place of the connection to the trace.
func NewEdge(t *Trace, name string, plan *pipe.PlanEdge) *Edge {
	x := &Edge{label: appendText(nil, name), index: uint64(plan.Index), shown: make([]shown, 16)}
	if at := place(plan.Span); at != nil {
		t.name(fmt.Appendf(nil, `{"name":"edge","ph":"M","pid":1,"tid":0,"args":{"name":"%s"%s}}`, x.label, at))
	}
	return x
}

// Push records that the producer appends a datum, or a flush or end if word is true.
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

// Take records that the consumer takes the first datum.
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

// phase returns the phase of an arrow at one of its ends; an arrow between sites continues at the
// processes that carry it.
func phase(p *Process, end byte) byte {
	if p.Link {
		return 't'
	}
	return end
}

// now returns a time later than all times that both ends have recorded.
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
