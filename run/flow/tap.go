package flow

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Tap shows the newest datum of an edge to an observer outside the pipeline. Data are kept by reference,
// because they never change after they were pushed. An edge without a tap keeps nothing, and costs its
// producer nothing.
type Tap struct {
	run    *Run
	edge   *edge
	on     *tapped
	opened time.Time
	close  func()
}

// A Sample is what a Tap has observed.
type Sample struct {
	From, To string
	Type     string // type of the data, as the pipeline knows it
	Number   uint64 // number of data observed, up to and including this one; 0: none
	Datum    Datum
	Stamp    Stamp
	Passed   uint64 // number of data that went over the edge since the run began
	Dropped  uint64 // number of data dropped because the edge was full

	Watched time.Duration // time since the tap was opened
	Cost    time.Duration // the time that the tap has taken from the producer, estimated by timing one of costEvery data
}

// tapped is the state of an edge while a Tap is open.
type tapped struct {
	users int // number of open Taps; guarded by Run.mu

	mu     sync.Mutex
	over   bool // the last Tap was closed
	newest entry
	number uint64
	timed  time.Duration
	times  uint64
}

// One of costEvery data is timed to estimate the cost of a tap. Timing every datum would cost more than
// keeping it.
const costEvery = 64

// Tap observes an edge. port is an input, `process.port`, or an output: then Tap observes its first edge.
// Close the Tap when it is no longer needed.
func (r *Run) Tap(port string) (*Tap, error) {
	e, err := r.edgeAt(port)
	if err != nil {
		return nil, err
	}
	t := &Tap{run: r, edge: e, opened: time.Now()}
	r.mu.Lock()
	on := e.tap.Load()
	first := on == nil
	if first {
		on = &tapped{}
		e.tap.Store(on)
		e.aside.Or(hasTap)
	}
	on.users++
	r.mu.Unlock()
	t.on, t.close = on, sync.OnceFunc(t.leave)
	if first && e.looking.CompareAndSwap(false, true) {
		e.to.send(e.findNewest)
	}
	return t, nil
}

// leave removes the Tap from its edge. The last Tap to leave makes the edge release its datum.
func (t *Tap) leave() {
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	if t.on.users--; t.on.users == 0 {
		t.edge.aside.And(^hasTap)
		t.edge.tap.Store(nil)
		t.on.forget()
	}
}

// Close closes the tap. It may be called more than once.
func (t *Tap) Close() { t.close() }

// Newest returns the newest datum, and how much time observing has taken so far.
func (t *Tap) Newest() Sample {
	s := t.on.sample()
	now := t.edge.stats(time.Since(t.run.start))
	s.From, s.To, s.Type, s.Dropped, s.Watched = now.From, now.To, t.edge.plan.Type, now.Dropped, time.Since(t.opened)
	s.Passed = max(now.Taken+now.Left, s.Number) // a datum may be noted just before it is counted
	return s
}

// sample returns what the edge has noted.
func (on *tapped) sample() (s Sample) {
	on.mu.Lock()
	defer on.mu.Unlock()
	s.Number, s.Datum, s.Stamp = on.number, on.newest.datum, on.newest.stamp
	if on.times > 0 {
		s.Cost = time.Duration(float64(on.timed) / float64(on.times) * float64(on.number))
	}
	return s
}

// stillWanted handles the special cases of a push. It returns false if the datum must not be pushed, for
// example because the consumer has ended. Otherwise it notes the datum for the open Taps.
func (e *edge) stillWanted(d Datum, stamp Stamp) bool {
	if e.refused() || e.tail == e.stopAt && !e.makeRoom(d.kind) {
		return false
	}
	if on := e.tap.Load(); on != nil && d.kind < FlushKind {
		var begin time.Time
		if e.tail%costEvery == 0 {
			begin = time.Now()
		}
		on.note(d, stamp, begin)
	}
	return true
}

// forget releases the newest datum. Data that are noted later are ignored.
func (on *tapped) forget() {
	on.mu.Lock()
	defer on.mu.Unlock()
	on.over, on.newest = true, entry{}
}

// note keeps the datum as the newest one. begin is when the push began, or zero if this push is not timed.
func (on *tapped) note(d Datum, stamp Stamp, begin time.Time) {
	on.mu.Lock()
	defer on.mu.Unlock()
	if on.over {
		return
	}
	on.newest = entry{d, stamp}
	on.number++
	if !begin.IsZero() {
		on.timed += time.Since(begin)
		on.times++
	}
}

// findNewest notes the newest datum that waits on the edge, so that a Tap opened while no data flow has
// something to show. It runs in the consumer, because only the consumer may read waiting data.
func (e *edge) findNewest() error {
	e.looking.Store(false) // reset before looking, so that a Tap opened from now on sets it again
	on := e.tap.Load()
	if on == nil {
		return nil
	}
	e.has(open) // makes tailSeen current
	on.mu.Lock()
	defer on.mu.Unlock()
	for i := e.tailSeen - e.head; i > 0 && on.number == 0 && !on.over; i-- {
		if en := e.peek(i - 1); en.datum.kind < FlushKind {
			on.newest, on.number = *en, 1
		}
	}
	return nil
}

// maxListed is the maximum number of ports listed in a message.
const maxListed = 20

// edgeAt returns the edge of a port, `process.port`.
func (r *Run) edgeAt(port string) (*edge, error) {
	var names []string
	for _, end := range []func(*pipe.PlanEdge) pipe.PortRef{
		func(p *pipe.PlanEdge) pipe.PortRef { return p.To },
		func(p *pipe.PlanEdge) pipe.PortRef { return p.From },
	} {
		for _, e := range r.edges {
			if e.plan.Inner {
				continue
			}
			name := end(e.plan).String()
			if name == port {
				return e, nil
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	listed := ""
	if len(names) <= maxListed {
		listed = "expected PROCESS.PORT, one of"
	}
	p := &problem.Problem{Kind: pipe.UnknownPort, Subject: problem.Subject{Name: port}, Message: fmt.Sprintf("no edge of the run begins or ends at a port `%s`", port)}
	pipe.Suggest(p, port, names, listed)
	return nil, p
}
