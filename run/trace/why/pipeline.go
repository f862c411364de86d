package why

import (
	"maps"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// pipeline is what the processes of a pipeline do.
type pipeline struct {
	workers map[*recorded.Thread]*worker
	edges   map[*recorded.Edge]*cause // on which room was waited for

	// waited is how long all of them have waited up to now, of which waiting do.
	waited  int64
	now     int64
	waiting int64
}

// stepEvent is the event of a step. What a process does before its first step and behind its last one has
// no part in the rate.
const stepEvent = "flow_step"

// worker is a process of it.
type worker struct {
	of      *recorded.Thread
	inStep  bool
	since   int64 // when it began to work
	before  int64 // what the others had waited by then
	work    int64
	others  int64 // waited while it worked
	steps   uint64
	longest int64
	fullest *recorded.Edge // on which it waited longest for room
	forRoom int64
}

func (f *finder) pipeline(p *recorded.Process) *pipeline {
	found := f.pipelines[p]
	if found == nil {
		found = &pipeline{workers: map[*recorded.Thread]*worker{}, edges: map[*recorded.Edge]*cause{}}
		f.pipelines[p] = found
	}
	return found
}

// until goes on to a time.
func (p *pipeline) until(now int64) {
	p.waited += p.waiting * (now - p.now)
	p.now = now
}

func (p *pipeline) worker(t *recorded.Thread) *worker {
	w := p.workers[t]
	if w == nil {
		w = &worker{of: t}
		p.workers[t] = w
	}
	return w
}

// begins and pauses bound what a process works.
func (w *worker) begins(p *pipeline) { w.since, w.before = p.now, p.waited }

func (w *worker) pauses(p *pipeline) {
	w.work += p.now - w.since
	w.others += p.waited - w.before
}

func (f *finder) enterProcess(e *recorded.Event, fr *recorded.Frame) error {
	if fr.Kind.Provider != recorded.FlowProvider {
		return nil
	}
	p := f.pipeline(e.Thread.Process)
	p.until(e.Time)
	w := p.worker(e.Thread)
	switch {
	case e.Edge == nil && fr.Kind.Call != stepEvent:
		return nil
	case e.Edge == nil:
		w.inStep = true
		w.begins(p)
		return nil
	case w.inStep:
		w.pauses(p)
	}
	p.waiting++
	return nil
}

func (f *finder) leaveProcess(t *recorded.Thread, fr *recorded.Frame, end int64, whole bool, e *recorded.Event) error {
	if !whole || e.Edge == nil && fr.Kind.Call != stepEvent {
		return nil
	}
	p := f.pipeline(t.Process)
	p.until(end)
	w := p.worker(t)
	if e.Edge == nil {
		w.pauses(p)
		w.inStep = false
		w.steps++
		w.longest = max(w.longest, end-fr.Begin-fr.Inside)
		return nil
	}
	p.waiting--
	if w.inStep {
		w.begins(p)
	}
	if e.Room {
		c := p.edges[e.Edge]
		if c == nil {
			c = &cause{waited: map[string]int64{}}
			p.edges[e.Edge] = c
		}
		c.add(end - fr.Begin)
		if c.cost > w.forRoom {
			w.fullest, w.forRoom = e.Edge, c.cost
		}
	}
	return nil
}

// pipelineCauses are the causes of all pipelines: the process of each that bounds its rate, which is the
// one that works longest, and what is waited for before full edges.
func (f *finder) pipelineCauses() {
	for _, p := range f.pipelines {
		var busiest *worker
		for w := range maps.Values(p.workers) {
			if busiest == nil || w.work > busiest.work || w.work == busiest.work && w.of.Device < busiest.of.Device {
				busiest = w
			}
		}
		if busiest != nil && busiest.others > 0 {
			f.include(causeKey{RateBound, at(busiest.of.Device, busiest.of.Place)}, &cause{cost: busiest.others, count: busiest.steps, longest: busiest.longest})
		}
		for e, c := range p.edges {
			if to := p.behind(e); to != nil {
				c.waited[to.Device] = c.cost
			}
			f.include(causeKey{BackPressure, at(e.Name, e.Region)}, c)
		}
	}
}

// include adds a cause; a pipeline may run more than once.
func (f *finder) include(k causeKey, c *cause) {
	if same := f.causes[k]; same != nil {
		c.cost, c.count, c.longest = c.cost+same.cost, c.count+same.count, max(c.longest, same.longest)
		for name, cost := range same.waited {
			c.waited[name] += cost
		}
	}
	f.causes[k] = c
}

// behind is the process for whose sake an edge is full: its consumer, or where that has waited for room longer
// than it worked, the one behind that.
func (p *pipeline) behind(e *recorded.Edge) *recorded.Thread {
	to := e.To
	for range p.workers { // edges may lead back
		w := p.workers[to]
		if w == nil || w.fullest == nil || w.forRoom <= w.work || w.fullest.To == nil {
			break
		}
		to = w.fullest.To
	}
	return to
}

// at is something with its place in the file of the pipeline.
func at(name string, place *recorded.Region) string {
	if where := place.Where(); where != "" {
		return name + ", " + where
	}
	return name
}
