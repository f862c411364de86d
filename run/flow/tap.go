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

// A Sample is what a tap has seen.
type Sample struct {
	From, To string
	Type     string // type of the data, as the pipeline knows it
	Number   uint64 // position of the datum among the observed ones; 0: none was observed
	Datum    Datum
	Stamp    Stamp
	Passed   uint64 // data that passed the edge since the run began
	Dropped  uint64 // data that found the edge full

	Watched time.Duration // since the tap was opened
	Cost    time.Duration // the part of it that the tap took from the producer; one of costEvery data is timed
}

// tapped is what an edge keeps while a Tap is open.
type tapped struct {
	users int // guarded by Run.mu

	mu     sync.Mutex
	over   bool // no Tap is open any more
	newest entry
	number uint64
	timed  time.Duration
	times  uint64
}

// One of costEvery data is timed, because reading the clock costs more than the copy.
const costEvery = 64

// Tap observes the edge that leads to an input port, `process.port`, or the first edge that leaves an output
// port. Close it when it is no longer needed.
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

// leave lets the edge forget its datum if this was the last Tap.
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

// Newest returns the newest datum, and what observing has cost so far.
func (t *Tap) Newest() Sample {
	s := t.on.sample()
	now := t.edge.stats(time.Since(t.run.start))
	s.From, s.To, s.Type, s.Dropped, s.Watched = now.From, now.To, t.edge.plan.Type, now.Dropped, time.Since(t.opened)
	s.Passed = max(now.Taken+now.Left, s.Number) // a datum is noted just before it enters the edge
	return s
}

// sample returns what was noted.
func (on *tapped) sample() (s Sample) {
	on.mu.Lock()
	defer on.mu.Unlock()
	s.Number, s.Datum, s.Stamp = on.number, on.newest.datum, on.newest.stamp
	if on.times > 0 {
		s.Cost = time.Duration(float64(on.timed) / float64(on.times) * float64(on.number))
	}
	return s
}

// stillWanted handles the special cases of a push. It returns false if the consumer has left or the datum is
// not to be pushed. Otherwise it notes the datum for the open taps.
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

// forget releases the datum, and any datum being noted at the moment.
func (on *tapped) forget() {
	on.mu.Lock()
	defer on.mu.Unlock()
	on.over, on.newest = true, entry{}
}

// note keeps a datum; begin is when the push began, or zero if it is not timed.
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

// findNewest notes the newest datum waiting on the edge, for a tap that is opened while no data flow. It runs
// in the consumer, which owns the waiting data.
func (e *edge) findNewest() error {
	e.looking.Store(false) // before it looks: a tap opened later sets it again
	on := e.tap.Load()
	if on == nil {
		return nil
	}
	e.has(open) // updates how much was pushed
	on.mu.Lock()
	defer on.mu.Unlock()
	for i := e.tailSeen - e.head; i > 0 && on.number == 0 && !on.over; i-- {
		if en := e.peek(i - 1); en.datum.kind < FlushKind {
			on.newest, on.number = *en, 1
		}
	}
	return nil
}

// maxListed is the number of ports listed in a message.
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
