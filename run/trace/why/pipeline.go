package why

import (
	"maps"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// pipeline holds the activity of the processes of a pipeline.
type pipeline struct {
	workers map[*recorded.Thread]*worker
	edges   map[*recorded.Edge]*cause // edges on which a process waited for room

	// waited is the total waiting time of all processes up to now; waiting is the number of processes that wait.
	waited  int64
	now     int64
	waiting int64
}

// stepEvent is the event of a step. The time of a process before its first step and after its last one does not affect the rate.
const stepEvent = "flow_step"

// worker is a process of the pipeline.
type worker struct {
	of      *recorded.Thread
	inStep  bool
	since   int64 // when it began to work
	before  int64 // the waiting time of the others at that moment
	work    int64
	others  int64 // the time that others waited while it worked
	steps   uint64
	longest int64
	fullest *recorded.Edge // the edge on which it waited longest for room
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

// until advances the clock of the pipeline to now.
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

// begins and pauses delimit the working time of a process.
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

// pipelineCauses adds the causes for all pipelines: the process that bounds the rate of each, which is the one
// that works longest, and the waits for full edges.
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
			if to := p.responsible(e); to != nil {
				c.waited[to.Device] = c.cost
			}
			f.include(causeKey{BackPressure, at(e.Name, e.Region)}, c)
		}
	}
}

// include adds a cause to the findings. A pipeline may run more than once, so the cause may already exist.
func (f *finder) include(k causeKey, c *cause) {
	if same := f.causes[k]; same != nil {
		c.cost, c.count, c.longest = c.cost+same.cost, c.count+same.count, max(c.longest, same.longest)
		for name, cost := range same.waited {
			c.waited[name] += cost
		}
	}
	f.causes[k] = c
}

// responsible returns the process responsible for a full edge: the consumer of the edge, or, if the consumer waited
// for room longer than it worked, the process responsible for that.
func (p *pipeline) responsible(e *recorded.Edge) *recorded.Thread {
	to := e.To
	for range p.workers { // edges may form cycles
		w := p.workers[to]
		if w == nil || w.fullest == nil || w.forRoom <= w.work || w.fullest.To == nil {
			break
		}
		to = w.fullest.To
	}
	return to
}

// at returns a name with its place in the file of the pipeline.
func at(name string, place *recorded.Region) string {
	if where := place.Where(); where != "" {
		return name + ", " + where
	}
	return name
}
