package flow

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A change of settings passes through the pipeline as a marker. In every edge it stands between the last
// datum before the change and the first one after it. It takes no slot of the edge; to the consumer the edge
// seems to end there, until the process changes.
//
//	source ──a b c│d e──▶ process ──A B│──▶ process
//	              marker; the data of the new settings follow it
//
// Sources insert the marker between two steps; sources whose data meet insert it at the same step. A process
// changes, and puts the marker into its own output edges, when the marker has arrived at all inputs that the
// process waits for.

// A transit is a change of settings on its way through the pipeline.
type transit struct {
	run      *Run
	settings map[*proc]pipe.Config // the new configurations
	watch    *watch                // nil: the old settings are not restored
	loose    atomic.Bool           // set when every process waits: markers no longer stop processes
	held     chan struct{}         // closed when all sources have reported how far they are
	done     chan struct{}         // closed when all processes have changed or ended

	mu      sync.Mutex
	left    int // processes that have not changed
	clocks  map[int]*clock
	silent  int      // clocks with sources that have not reported how far they are
	decided bool     // sources may insert the marker
	inexact []string // processes that could not stop at a marker
	taken   []*proc  // processes that took their new settings
	refusal error    // of the first process that did not
}

// A clock is shared by sources whose data meet: the numbers of their steps have a fixed ratio.
type clock struct {
	waiting map[*proc]bool // sources that have not reported how far they are
	period  uint64         // the period after which all insert the marker, once decided
}

// begin adds every process of the given parts that has not ended.
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
	// A source in the middle of a step may be waiting for the other processes.
	for _, p := range t.run.procs {
		switch {
		case p.midStep.Load():
			t.propose(p, p.stepsPub.Load())
		case p.waiter != nil: // it waits between two steps
			t.run.poke(p)
		}
	}
}

// join adds a process to the change; it returns false if the process has ended.
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

// propose notes how many steps a source has made, including the current one. It returns the number of steps
// after which the source inserts the marker; this number may grow until it is decided.
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

// heard notes that a source has reported. It is called with mu locked.
func (t *transit) heard(c *clock, p *proc) {
	if delete(c.waiting, p); len(c.waiting) > 0 {
		return
	}
	if t.silent--; t.silent == 0 {
		close(t.held)
	}
}

// periods returns how far the sources of each clock are.
func (t *transit) periods() map[int]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	periods := map[int]uint64{}
	for i, c := range t.clocks {
		periods[i] = c.period
	}
	return periods
}

// decide makes the sources of each clock insert the marker after these periods.
func (t *transit) decide(periods map[int]uint64) {
	t.mu.Lock()
	for i, c := range t.clocks {
		c.period = max(c.period, periods[i])
	}
	t.decided = true
	t.mu.Unlock()
	t.run.pokeAll()
}

// leave notes that a process has changed, or has ended.
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

// took notes whether a process took its new settings.
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

// crossed notes a process that could not stop at a marker.
func (t *transit) crossed(p *proc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.inexact, p.node.Name) {
		t.inexact = append(t.inexact, p.node.Name)
	}
}

// loosen makes markers passable; it returns false if they already were.
func (t *transit) loosen() bool { return !t.loose.Swap(true) }

// mark puts the marker after the data pushed so far.
func (e *edge) mark() {
	e.markAt.Store(e.tail)
	e.from.run.wake(e.to)
}

// unmark lets the consumer see the data after the marker.
func (e *edge) unmark() { e.markAt.Store(open) }

// atMarker reports whether all data before the marker were taken.
func (e *edge) atMarker() bool { return e.head == e.markAt.Load() }

// ended reports whether no marker can come any more because the data have ended.
func (e *edge) ended() bool {
	return e.over || e.refused() || e.has(1) && e.peek(0).datum.kind == CompleteKind
}

// await parks the process until a datum or a marker comes.
func (e *edge) await() {
	e.waitTail.Store(e.head + 1)
	if e.tailPub.Load() == e.head && e.markAt.Load() == open {
		e.to.waitsOn(e, pipe.EventBlock, &e.emptyFor)
	}
	e.waitTail.Store(0)
}

// A handler passes the marker to another site: the sending end of an edge is a handler.
type handler interface{ Mark() }

func (s *step) Mark() {
	if s.p.ctl.Load()&askChange != 0 {
		s.p.change()
	}
}

// follow takes the process towards the pending change. It reports whether the process may make its next step
// first.
func (p *proc) follow() bool {
	switch {
	case p.source:
		return p.lead()
	case p.node.Link && len(p.ins) == 0:
		return true // it changes when its impl calls Step.Mark
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
		// A marker in the middle of the data of one step cannot stop the process.
		if m, e := in.edge.markAt.Load(), in.edge; m > e.head && m < e.head+in.freq {
			p.cross(e)
		}
	}
	return true
}

// A verdict says what a process may do when a marker is at one of its inputs.
type verdict uint8

const (
	mayStep   verdict = iota // no input has reached a marker
	mayChange                // the marker is next at all inputs
	mustWait                 // the marker is next at some inputs, and the others are empty
	unaligned                // the marker is next at some inputs, and others have data before theirs
)

// judge looks at the inputs that the process waits for. With mustWait it returns an input that must advance
// first.
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

// meet is called when a step wants data after a marker. A process whose inputs are not checked before its
// steps may change here, if the step has done nothing yet. For any other process this means that its rates do
// not fit those declared by its neighbours.
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

// progress returns a number that grows with every datum the process takes or pushes.
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

// cross gives up the marker of an edge whose consumer cannot stop at it: the process changes as soon as all
// its inputs have reached or passed the marker.
func (p *proc) cross(e *edge) {
	e.crossed = true
	e.unmark()
	p.transit.crossed(p)
}

// lead takes a source to the step at which it inserts the marker. It reports whether the source may step.
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

// change gives the process its new settings, if it has any, and passes the marker on.
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
