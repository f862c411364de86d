package flow

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Tap shows the newest datum of an edge to who looks from outside of the pipeline. Data are
// held by reference: nobody changes them once they were pushed. An edge without a tap keeps
// nothing, and its producer does nothing for taps.
type Tap struct {
	run    *Run
	edge   *edge
	on     *tapped
	opened time.Time
	close  func()
}

// A Sample is what a tap has seen.
type Sample struct {
	From, To string
	Type     string // of the data, as the pipeline knows it
	Number   uint64 // of the datum among those that were seen; 0: none was
	Datum    Datum
	Stamp    Stamp
	Passed   uint64 // data that went over the edge since the run began
	Dropped  uint64 // data that found the edge full

	Watched time.Duration // since the tap was opened
	Cost    time.Duration // of it, what looking took the producer; one of costEvery data is timed
}

// tapped is what an edge keeps while somebody looks.
type tapped struct {
	users int // guarded by the run

	mu     sync.Mutex
	over   bool // nobody looks any more
	newest entry
	number uint64
	timed  time.Duration
	times  uint64
}

// costEvery is how many data go by until one is timed: the clock costs more than the copy.
const costEvery = 64

// Tap looks at the edge that leads to an input port, `process.port`, or at the first one that
// leaves an output port. Close it when nobody looks any more.
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

// leave lets the edge forget its datum when nobody else looks.
func (t *Tap) leave() {
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	if t.on.users--; t.on.users == 0 {
		t.edge.aside.And(^hasTap)
		t.edge.tap.Store(nil)
		t.on.forget()
	}
}

// Close ends the look. It may be called more than once.
func (t *Tap) Close() { t.close() }

// Newest is the newest datum, and what looking has cost so far.
func (t *Tap) Newest() Sample {
	s := t.on.sample()
	now := t.edge.stats(time.Since(t.run.start))
	s.From, s.To, s.Type, s.Dropped, s.Watched = now.From, now.To, t.edge.plan.Type, now.Dropped, time.Since(t.opened)
	s.Passed = max(now.Taken+now.Left, s.Number) // a datum is noted just before it goes in
	return s
}

// sample is what was noted.
func (on *tapped) sample() (s Sample) {
	on.mu.Lock()
	defer on.mu.Unlock()
	s.Number, s.Datum, s.Stamp = on.number, on.newest.datum, on.newest.stamp
	if on.times > 0 {
		s.Cost = time.Duration(float64(on.timed) / float64(on.times) * float64(on.number))
	}
	return s
}

// stillWanted is the way of a push on an edge that has something aside: it is false where the
// consumer has left, or where the datum does not go in. What goes in is noted for who looks.
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

// forget lets go of the datum, also of one that is being noted.
func (on *tapped) forget() {
	on.mu.Lock()
	defer on.mu.Unlock()
	on.over, on.newest = true, entry{}
}

// note keeps a datum; begin is when that began, or zero where it is not timed.
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

// findNewest notes the newest datum that waits on the edge, for who begins to look while nothing
// flows. The consumer does it, to whom what waits belongs.
func (e *edge) findNewest() error {
	e.looking.Store(false) // before the look: a tap that is opened after it asks again
	on := e.tap.Load()
	if on == nil {
		return nil
	}
	e.has(open) // looks anew at how much was pushed
	on.mu.Lock()
	defer on.mu.Unlock()
	for i := e.tailSeen - e.head; i > 0 && on.number == 0 && !on.over; i-- {
		if en := e.peek(i - 1); en.datum.kind < FlushKind {
			on.newest, on.number = *en, 1
		}
	}
	return nil
}

// maxListed is how many ports a message lists.
const maxListed = 20

// edgeAt finds an edge by one of its ports.
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
