package flow

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// How a change of settings goes through the pipeline: as a marker that stands
// in every edge between the last datum before the change and the first one after
// it. It takes no place in the edge; to the consumer the edge ends there, until
// the process changes.
//
//	source ──a b c│d e──▶ process ──A B│──▶ process
//	              marker; the data of the new settings follow it
//
// Sources put the marker between two steps, all those whose data meet at the same
// one. A process changes, and puts the marker into its own edges, when it stands
// at all inputs that the process waits for.

// A transit is a change of settings on its way through the pipeline.
type transit struct {
	run      *Run
	settings map[*proc]pipe.Config // the new configuration of those that change
	watch    *watch                // nil: the old settings do not come back
	loose    atomic.Bool           // every process waits: markers hold nobody any more
	held     chan struct{}         // closed when all sources have said how far they are
	done     chan struct{}         // closed when all processes have changed or ended

	mu      sync.Mutex
	left    int // processes that have not changed
	clocks  map[int]*clock
	silent  int      // clocks with sources that have not said how far they are
	decided bool     // sources may put the marker
	unexact []string // processes that crossed a marker
	taken   []*proc  // those that took their new settings
	refusal error    // of the first one that did not
}

// A clock is what the sources have in common whose data meet: their steps
// stand in a fixed proportion.
type clock struct {
	waiting map[*proc]bool // sources that have not said how far they are
	period  uint64         // after which all put the marker, when it is decided
}

// begin lets every process of the given parts take part that has not ended.
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
	// A source in the middle of a step may wait there for what the others do.
	for _, p := range t.run.procs {
		switch {
		case p.amidst.Load():
			t.propose(p, p.stepsPub.Load())
		case p.waiter != nil: // between two steps, where it waits
			t.run.poke(p)
		}
	}
}

// join lets a process take part; false when it has ended.
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

// propose notes how many steps a source has made, with the one under way. It
// gives the number of steps after which it puts the marker, which may still grow until
// it is decided.
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

// heard is called with mu held.
func (t *transit) heard(c *clock, p *proc) {
	if delete(c.waiting, p); len(c.waiting) > 0 {
		return
	}
	if t.silent--; t.silent == 0 {
		close(t.held)
	}
}

// periods are how far the sources of each clock are.
func (t *transit) periods() map[int]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	periods := map[int]uint64{}
	for i, c := range t.clocks {
		periods[i] = c.period
	}
	return periods
}

// decide lets the sources of each clock put the marker after so many periods.
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
	if !slices.Contains(t.unexact, p.node.Name) {
		t.unexact = append(t.unexact, p.node.Name)
	}
}

// loosen lets no marker hold a process any more; false when that was so before.
func (t *transit) loosen() bool { return !t.loose.Swap(true) }

// mark puts the marker behind what was pushed so far.
func (e *edge) mark() {
	e.markAt.Store(e.tail)
	e.from.run.wake(e.to)
}

// unmark lets the consumer see what is behind the marker.
func (e *edge) unmark() { e.markAt.Store(open) }

// atMarker reports whether everything before the marker was taken.
func (e *edge) atMarker() bool { return e.head == e.markAt.Load() }

// ended reports whether no marker comes any more, because the end has come.
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

// A handler hands the marker on to another site: the sending end of an edge is one.
type handler interface{ Mark() }

func (s *step) Mark() {
	if s.p.ctl.Load()&askChange != 0 {
		s.p.change()
	}
}

// follow takes the process towards the change that is under way. It reports
// whether the process may make its next step before.
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
		// In the middle of the data of one step the marker cannot stop it.
		if m, e := in.edge.markAt.Load(), in.edge; m > e.head && m < e.head+in.freq {
			p.cross(e)
		}
	}
	return true
}

// What a process may do when a marker is at one of its inputs.
type verdict uint8

const (
	mayStep   verdict = iota // no marker has come to its turn
	mayChange                // the marker is at all inputs
	mustWait                 // the marker is at some inputs, and the others are empty
	unaligned                // the marker is at some inputs, and others have data before theirs
)

// judge looks at the inputs that the process waits for. With mustWait it gives
// one that must move.
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

// meet is called within a step that wants what is behind a marker. A process
// that is not checked before its steps may change here, if the step has not done
// anything; for any other one its rates do not fit those of its neighbours.
func (p *proc) meet(e *edge) {
	if len(p.need) == 0 && p.progress() == p.began {
		switch what, other := p.judge(); what {
		case mayChange:
			p.change()
			return
		case mustWait:
			other.await()
			p.mustGoOn()
			return
		}
	}
	p.cross(e)
}

// progress is a number that grows with everything the process takes and pushes.
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

// cross gives up the marker of an edge whose consumer cannot stop at it: it
// changes as soon as all its inputs have come as far.
func (p *proc) cross(e *edge) {
	e.crossed = true
	e.unmark()
	p.transit.crossed(p)
}

// lead takes a source to the step at which it puts the marker. It reports
// whether the source may step.
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

// change gives the process its new settings, if it has any, and hands the
// marker on.
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
