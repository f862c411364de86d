package flow

import "github.com/pentode-dev/pentode/run/flow/pipe"

// How a change of settings goes through the pipeline: as a marker that stands
// in every edge between the last datum before the change and the first one after
// it. It takes no place in the edge; to the consumer the edge ends there, until
// the process changes.
//
//	source ──a b c│d e──▶ process ──A B│──▶ process
//	              marker, behind which the data of the new settings come
//
// Sources put the marker between two steps, all those whose data meet at the same
// one. A process changes, and puts the marker into its own edges, when it stands
// at all inputs that the process waits for.

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
