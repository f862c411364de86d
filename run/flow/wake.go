package flow

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Parking and waking of processes. Run.active counts the processes that run or wait for something outside the pipeline.
// The process that reduces it to zero knows that every process waits for another one.

// parked marks a process as parked. It returns false if the process was woken in the meantime and must not park.
func (r *Run) parked(p *proc) bool {
	outside, waitsForSite := p.ext, p.waitsForSite
	if !p.state.CompareAndSwap(running, parked) {
		p.state.Store(running)
		return false
	}
	if waitsForSite {
		r.resting.Add(1)
	}
	if !outside {
		r.drop()
	}
	return true
}

// wake makes a parked process check its condition again. Only a running process may call it; other goroutines use poke.
func (r *Run) wake(p *proc) {
	for {
		switch p.state.Load() {
		case running:
			if p.state.CompareAndSwap(running, notified) {
				return
			}
		case notified:
			return
		case parked:
			if p.state.CompareAndSwap(parked, running) {
				if !p.ext {
					r.active.Add(1)
				}
				if p.waitsForSite {
					r.resting.Add(-1)
				}
				r.sched.ready(p)
				return
			}
		}
	}
}

// poke wakes a process; any goroutine may call it.
func (r *Run) poke(p *proc) {
	r.active.Add(1)
	r.wake(p)
	r.drop()
}

// pokeAll wakes every process; any goroutine may call it.
func (r *Run) pokeAll() {
	r.active.Add(1)
	for _, p := range r.procs {
		r.wake(p)
	}
	r.drop()
}

// drop decrements Run.active, and handles a standstill if it becomes zero.
func (r *Run) drop() {
	if r.active.Add(-1) == 0 && r.live.Load() > 0 {
		r.stalled()
	}
}

// ended is called when a process has ended.
func (r *Run) ended(p *proc) {
	r.live.Add(-1)
	r.drop()
	r.helpers.Done()
}

// stalled is called when every process waits for another one. If a change is pending, it first lets processes pass the
// markers. Otherwise it enlarges the smallest edge whose producer waits for room. If there is no such edge, the run is
// deadlocked.
func (r *Run) stalled() {
	r.mu.Lock()
	if r.active.Load() != 0 || r.ctx.Err() != nil {
		r.mu.Unlock()
		return
	}
	r.active.Add(1) // so that no other goroutine handles the same standstill
	if t := r.transit.Load(); t != nil && t.loosen() {
		r.mu.Unlock()
		r.pokeAll()
		r.drop()
		return
	}
	least := r.smallestFull()
	if least == nil {
		r.mu.Unlock()
		r.fail(&DeadlockError{r.waiting()})
		r.drop()
		return
	}
	r.grow(least)
	r.mu.Unlock()
	least.waitHead.Store(0)
	r.wake(least.from)
	r.drop()
}

// smallestFull returns the edge with the smallest capacity whose producer waits for room, or nil. The caller holds mu,
// and every process waits.
func (r *Run) smallestFull() (least *edge) {
	for _, e := range r.edges {
		if e.waitHead.Load() != 0 && (least == nil || e.limit < least.limit) {
			least = e
		}
	}
	return least
}

// grow doubles the capacity of an edge. The caller holds mu.
func (r *Run) grow(least *edge) {
	least.limit *= 2
	least.grown.Add(1)
	p := &problem.Problem{
		Kind: pipe.EdgeGrown, Severity: problem.Warning, Span: least.plan.Span,
		Subject:  problem.Subject{Name: least.plan.To.Process, Port: least.plan.To.Port},
		Message:  fmt.Sprintf("every process waited: the capacity of the edge from `%s` to `%s` grew to %d", least.plan.From, least.plan.To, least.limit),
		Expected: "give it that capacity",
	}
	r.warnings = slices.DeleteFunc(r.warnings, func(q *problem.Problem) bool { return q.Kind == p.Kind && q.Subject == p.Subject })
	r.warnings = append(r.warnings, p)
}

// waiting lists which process waits for which, for messages.
func (r *Run) waiting() []string {
	var list []string
	for _, e := range r.edges {
		if e.waitTail.Load() != 0 && !e.to.node.Link {
			list = append(list, fmt.Sprintf("`%s` waits at port `%s` for `%s`", e.plan.To.Process, e.plan.To.Port, e.plan.From.Process))
		}
		if len(list) == 10 {
			break
		}
	}
	return list
}

// A Standstill describes why no process of a run on this site can continue.
type Standstill struct {
	Full    uint64   `json:"full,omitempty"`    // capacity of the smallest edge whose producer waits for room; 0: no such edge
	Waiting []string `json:"waiting,omitempty"` // sentences such as `a` waits at port `in` for `b`
}

// Standstill returns why no process can continue; still is false if a process can.
func (r *Run) Standstill() (s Standstill, still bool) {
	if !r.Still() {
		return s, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.smallestFull(); e != nil {
		s.Full = e.limit
	}
	s.Waiting = r.waiting()
	return s, r.Still()
}

// Still reports whether every process waits for another process or for another site. It is cheap to call.
func (r *Run) Still() bool {
	resting := r.resting.Load()
	return r.active.Load() == resting && r.live.Load() > 0
}

// Grow doubles the capacity of the smallest edge whose producer waits for room. It returns false if there is no such edge,
// or if the run no longer stands still.
func (r *Run) Grow() bool {
	r.mu.Lock()
	e := r.smallestFull()
	if e == nil || !r.Still() {
		r.mu.Unlock()
		return false
	}
	r.active.Add(1) // counts this call as active until the producer is awake
	r.grow(e)
	r.mu.Unlock()
	e.waitHead.Store(0)
	r.wake(e.from)
	r.drop()
	return true
}
