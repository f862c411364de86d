package flow

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A change of settings passes through the pipeline as a marker. On every edge the marker is between the last
// datum before the change and the first one after it. It takes up no slot of the edge. For the consumer, the
// edge seems to end at the marker until the process has changed its settings.
//
//	source ──a b c│d e──▶ process ──A B│──▶ process
//	              marker; the data of the new settings follow it
//
// Sources insert the marker between two steps. If the data of several sources meet, these sources insert it
// at the same step. A process changes, and puts the marker on its own output edges, when the marker has
// arrived at all inputs that the process waits for.

// A transit is a change of settings on its way through the pipeline.
type transit struct {
	run      *Run
	settings map[*proc]pipe.Config // the new configuration of each process that changes
	watch    *watch                // observes the run after the change; nil: it is not observed, and a failed step ends it
	loose    atomic.Bool           // markers no longer stop processes; set when every process waits for another
	held     chan struct{}         // closed when all sources have reported how far they are
	done     chan struct{}         // closed when all processes have changed or ended

	mu      sync.Mutex
	left    int // number of processes that have not changed yet
	clocks  map[int]*clock
	silent  int      // number of clocks with sources that have not reported how far they are
	decided bool     // the period is final, so sources that have reached it may insert the marker
	inexact []string // names of processes that could not stop at a marker
	taken   []*proc  // processes that accepted their new settings
	refusal error    // the error of the first process that did not accept them
}

// A clock belongs to sources whose data meet, which therefore step at a fixed ratio. It counts periods, after
// each of which the ratio holds exactly.
type clock struct {
	waiting map[*proc]bool // sources that have not reported how far they are
	period  uint64         // the sources insert the marker after this period; it may grow until transit.decided is set
}

// begin adds to the change every process of these parts of the pipeline that has not ended.
func (t *transit) begin(parts map[int]bool) {
	layout := t.run.layout()
	t.mu.Lock()
	t.clocks = map[int]*clock{}
	for _, p := range t.run.procs {
		if !parts[layout.Part[p.id]] || !p.join(t) {
			continue
		}
		t.left++
		if p.source {
			c := t.clocks[layout.Clock[p.id]]
			if c == nil {
				c = &clock{waiting: map[*proc]bool{}}
				t.clocks[layout.Clock[p.id]] = c
				t.silent++
			}
			c.waiting[p] = true
		}
	}
	if t.left == 0 {
		close(t.done)
	}
	if t.silent == 0 {
		close(t.held)
	}
	t.mu.Unlock()
	// A source in the middle of a step may be waiting for other processes, and cannot report by itself.
	for _, p := range t.run.procs {
		switch {
		case p.midStep.Load():
			t.propose(p, p.stepsPub.Load())
		case p.waiter != nil: // wake it so that it reports
			t.run.poke(p)
		}
	}
}

// join makes the process follow the change. It returns false if the process has ended.
func (p *proc) join(t *transit) bool {
	p.mail.mu.Lock()
	defer p.mail.mu.Unlock()
	if p.mail.closed {
		return false
	}
	p.transit = t
	p.ctl.Or(askChange)
	return true
}

// propose reports, for a source, the number of steps including the current one. It returns the number of
// steps after which the source inserts the marker. Until decided is true, this number may still grow.
func (t *transit) propose(p *proc, steps uint64) (at uint64, decided bool) {
	layout := t.run.layout()
	t.mu.Lock()
	defer t.mu.Unlock()
	c, each := t.clocks[layout.Clock[p.id]], layout.Steps[p.id]
	if c == nil {
		return steps, true
	}
	if c.waiting[p] {
		c.period = max(c.period, (steps+each-1)/each)
		t.heard(c, p)
	}
	return c.period * each, t.decided
}

// heard removes a source from those that have not reported. The caller holds mu.
func (t *transit) heard(c *clock, p *proc) {
	if delete(c.waiting, p); len(c.waiting) > 0 {
		return
	}
	if t.silent--; t.silent == 0 {
		close(t.held)
	}
}

// periods returns how far the sources of each clock are, in periods.
func (t *transit) periods() map[int]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	periods := map[int]uint64{}
	for i, c := range t.clocks {
		periods[i] = c.period
	}
	return periods
}

// decide sets the period after which the sources of each clock insert the marker. A source that is already
// further ahead counts.
func (t *transit) decide(periods map[int]uint64) {
	t.mu.Lock()
	for i, c := range t.clocks {
		c.period = max(c.period, periods[i])
	}
	t.decided = true
	t.mu.Unlock()
	t.run.pokeAll()
}

// leave is called when a process has changed or ended.
func (t *transit) leave(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.clocks[t.run.layout().Clock[p.id]]; c != nil && c.waiting[p] {
		t.heard(c, p)
	}
	if t.left--; t.left == 0 {
		close(t.done)
	}
}

// took notes the answer of a process to its new settings; err is nil if it accepted them.
func (t *transit) took(p *proc, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		t.taken = append(t.taken, p)
	case t.refusal == nil:
		t.refusal = fmt.Errorf("process `%s` refuses: %w", p.node.Name, err)
	}
}

// crossed notes that a process could not stop at a marker.
func (t *transit) crossed(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.inexact, p.node.Name) {
		t.inexact = append(t.inexact, p.node.Name)
	}
}

// loosen lets processes pass markers. It returns false if they already could.
func (t *transit) loosen() bool { return !t.loose.Swap(true) }

// mark puts the marker after the data pushed so far, and wakes the consumer.
func (e *edge) mark() {
	e.markAt.Store(e.tail)
	e.from.run.wake(e.to)
}

// unmark lets the consumer see the data after the marker.
func (e *edge) unmark() { e.markAt.Store(open) }

// atMarker reports whether the next entry is the marker.
func (e *edge) atMarker() bool { return e.head == e.markAt.Load() }

// ended reports whether the edge has no data left, so that no marker can come.
func (e *edge) ended() bool {
	return e.over || e.refused() || e.has(1) && e.peek(0).datum.kind == CompleteKind
}

// await parks the consumer until the edge has a datum or a marker.
func (e *edge) await() {
	e.waitTail.Store(e.head + 1)
	if e.tailPub.Load() == e.head && e.markAt.Load() == open {
		e.to.waitsOn(e, pipe.EventBlock, &e.emptyFor)
	}
	e.waitTail.Store(0)
}

// A handler is a process that sends data to another site. Mark is called when the marker arrives, and passes
// it on.
type handler interface{ Mark() }

func (s *step) Mark() {
	if s.p.ctl.Load()&askChange != 0 {
		s.p.change()
	}
}

// follow is called before each step while a change is pending. It waits or makes the change if the marker has
// arrived, and reports whether the process may make a step first.
func (p *proc) follow() bool {
	switch {
	case p.source:
		return p.lead()
	case p.node.Link && len(p.ins) == 0:
		return true // the link changes when its impl calls Step.Mark
	}
	switch what, e := p.judge(); what {
	case mayChange:
		p.change()
		return false
	case mustWait:
		e.await()
		return false
	case unaligned:
		for _, in := range p.need {
			if in.edge.atMarker() {
				p.cross(in.edge)
			}
		}
	}
	for _, in := range p.need {
		// The marker is in the middle of the data that one step takes, so the process cannot stop at it.
		if m, e := in.edge.markAt.Load(), in.edge; m > e.head && m < e.head+in.freq {
			p.cross(e)
		}
	}
	return true
}

// A verdict says what a process may do when a marker is at one of its inputs.
type verdict uint8

const (
	mayStep   verdict = iota // no marker has arrived
	mayChange                // the marker has arrived at all inputs
	mustWait                 // the marker has arrived at some inputs, and the others have no data
	unaligned                // the marker has arrived at some inputs, and others still have data before theirs
)

// judge finds out at which of its inputs the marker has arrived. With mustWait it also returns an input at
// which it has not.
func (p *proc) judge() (verdict, *edge) {
	var pending *edge
	marked, data := false, false
	for _, e := range p.waits {
		switch {
		case e.crossed, e.ended():
		case e.atMarker():
			marked = true
		default:
			pending = e
			data = data || e.has(1)
		}
	}
	switch {
	case pending == nil:
		return mayChange, nil
	case !marked:
		return mayStep, nil
	case data || p.transit.loose.Load():
		return unaligned, nil
	}
	return mustWait, pending
}

// meet is called when a step needs data from after a marker. A process whose inputs are not checked before
// its steps may change now, if the step has not taken or pushed anything yet. Any other process crosses the
// marker: its rates differ from those that its neighbours declare.
func (p *proc) meet(e *edge) {
	if len(p.need) == 0 && p.progress() == p.began {
		switch what, other := p.judge(); what {
		case mayChange:
			p.change()
			return
		case mustWait:
			other.await()
			p.leaveIfAborted()
			return
		}
	}
	p.cross(e)
}

// progress returns a number that grows with every datum that the process takes from the inputs it waits for, or
// pushes.
func (p *proc) progress() (n uint64) {
	for _, e := range p.waits {
		n += e.head
	}
	for _, o := range p.outs {
		for _, e := range o.edges {
			n += e.tail
		}
	}
	return n
}

// cross lets the consumer of an edge take data from after the marker, because it cannot stop there. The
// process changes as soon as the marker has arrived at its other inputs.
func (p *proc) cross(e *edge) {
	e.crossed = true
	e.unmark()
	p.transit.crossed(p)
}

// lead makes a source step until it must insert the marker. It reports whether the source may make a step
// now.
func (p *proc) lead() bool {
	at, decided := p.transit.propose(p, p.steps)
	switch {
	case p.steps < at:
		return true
	case decided:
		p.change()
	default:
		p.park(true, false)
	}
	return false
}

// change gives the process its new settings, if it has new ones, and passes the marker on to its outputs.
func (p *proc) change() {
	t := p.transit
	if config, ok := t.settings[p]; ok {
		t.took(p, p.configure(config))
	}
	p.worker = p.impl
	if t.watch != nil && !p.node.Link {
		p.worker = &watched{p, t.watch}
	}
	for _, e := range p.waits {
		e.crossed = false
		e.unmark()
	}
	for _, o := range p.outs {
		for _, e := range o.edges {
			if !e.unmarked {
				e.mark()
			}
		}
	}
	if h, ok := p.impl.(handler); ok {
		h.Mark()
	}
	p.transit = nil
	p.ctl.And(^askChange)
	t.leave(p)
}
