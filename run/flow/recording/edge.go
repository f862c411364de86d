package recording

import (
	"fmt"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// An Edge follows the data of an edge through the trace of the run: how
// many are inside, and which of them get an arrow from the step that pushed
// them to the step that took them.
//
//	producer  ▐ step 7 ▌──s
//	                       ╲
//	consumer                f──▐ step 5 ▌
//
// Both ends write times into it that follow each other, so that the counter in
// the trace is right at every moment. An edge between sites has an Edge at
// each of them, and the arrow goes on from one to the other.
type Edge struct {
	label []byte // both ends, as JSON has them
	index uint64 // in the plan of all sites

	mu     sync.Mutex
	last   time.Duration
	pushed uint64  // data and words
	taken  uint64  // data and words
	inside uint64  // data
	shown  []shown // of what is inside, by its number; its length is a power of two
}

// shown is what the trace has of a datum.
type shown uint8

const (
	isWord    shown = iota // a flush or an end, which are no data
	isHidden               // the filter left it out
	isCounted              // the producer was in no step that is written
	hasArrow
)

// NewEdge begins to follow an edge, and names the place of the connection in the trace.
func NewEdge(t *Trace, name string, plan *pipe.PlanEdge) *Edge {
	x := &Edge{label: appendText(nil, name), index: uint64(plan.Index), shown: make([]shown, 16)}
	if at := place(plan.Span); at != nil {
		t.name(fmt.Appendf(nil, `{"name":"edge","ph":"M","pid":1,"tid":0,"args":{"name":"%s"%s}}`, x.label, at))
	}
	return x
}

// Push records what the producer appends: a datum, or a word.
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

// phase is that of an arrow at one of its ends; one between sites goes on at
// the processes that carry it.
func phase(p *Process, end byte) byte {
	if p.Link {
		return 't'
	}
	return end
}

// now is later than what both ends recorded before.
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
