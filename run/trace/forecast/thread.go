package forecast

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// thread is a thread of the run under the other configuration. Its methods follow the agent's.
type thread struct {
	*simulation
	process *process
	unit    *trace.Unit
	ids     unit   // the ids with which it decides
	at      unit   // the ids under which its events are counted: until it has adopted its rank, it decides as rank 0
	number  uint32 // the number of the unit at

	begun   bool // whether the region outside of parallel regions has begun
	initial bool // whether that region is traced
	scopes  []scope
	inners  []inner
	call    execution32
	opened  []execution32 // regions that the program has begun and not ended

	event written // the current event

	footprint ctf.Footprint
	flushed   int64

	recorded, traced, against, off uint64
}

// written is an event as a stream would contain it.
type written struct {
	time  int64
	size  int
	calls int // the number of calls that led to it
	aside int // the size of the event with these calls, without the calls
}

// scope is an execution of a parallel region.
type scope struct {
	region int
	number uint64
	chosen bool
}

// inner is worksharing in a parallel region. It has separate counters if an entry has its address.
type inner struct {
	address uint64
	region  int // -1: it belongs to the parallel region
}

// execution32 is an execution of a region that is decided by one event.
type execution32 struct {
	region int
	event  trace.EventID
	number uint32
	traced bool
}

// take decides about an event.
func (t *thread) take(e *recorded.Event, k *kind) (err error) {
	t.event.time, t.event.size = e.Time, e.Kind.Size(e.Occurrence)
	switch k.role {
	case aside:
		t.event.calls = len(e.Fields[k.number].List)
		t.event.aside = t.event.size - 8*t.event.calls
		return nil
	case always:
		t.always(e, k)
	case ofCall:
		t.ofCall()
	case callBegin:
		t.meet(e, k)
		t.callBegin(t.regionAt(k.domain, e.Fields[k.region].Number, e.Region), k.event)
	case callEnd:
		t.callEnd()
	case regionBegin, mark:
		t.meet(e, k)
		region := t.regionCalled(k.domain, e.Fields[k.region].Text)
		t.regionBegin(region, k.event)
		err = t.numbered(region, e.Fields[k.number].Number)
		if k.role == mark {
			t.markEnd()
		}
	case regionEnd:
		t.regionEnd(t.regionCalled(k.domain, e.Fields[k.region].Text), k.event)
	default:
		t.meet(e, k)
		err = t.openMP(e, k)
	}
	t.event.calls = 0
	return err
}

// numbered checks that an execution has the same number as in the run: otherwise the record lacks executions.
func (t *thread) numbered(region int, number uint64) error {
	r := &t.regions[region]
	begun := t.unit.Count(t.id(region)).Begun
	if t.moving[r.Domain] || t.process.engine.Mode(r.Domain) < trace.Monitoring || uint64(begun) == number+1 {
		return nil
	}
	return fmt.Errorf("the record lacks executions of `%s`: number %d was recorded where number %d was expected; was the configuration changed while it ran?", r.title(), number, begun-1)
}

// always handles an event that every configuration records. When MPI has begun, a process has its rank, which
// its threads adopt at their next event.
func (t *thread) always(e *recorded.Event, k *kind) {
	t.put(t.event.size)
	if k.rank >= 0 && e.Fields[k.number].Number == 0 {
		p := t.process
		p.rank, p.ranked = uint32(e.Context[k.rank].Number), true
		t.assignRank(p)
	}
}

// meet adopts the ids that the thread has at an event.
func (t *thread) meet(e *recorded.Event, k *kind) {
	now := unit{rank: t.process.rank}
	if k.team >= 0 && k.thread >= 0 {
		now.team, now.thread = uint32(e.Context[k.team].Number), uint32(e.Context[k.thread].Number)
	}
	t.identify(now)
}

func (t *thread) identify(now unit) {
	if now == t.ids {
		return
	}
	set := func(kind int, id uint32) {
		if kind >= 0 {
			t.unit.SetID(trace.KindID(kind), id)
		}
	}
	set(t.unitIDs.rank, now.rank)
	set(t.unitIDs.team, now.team)
	set(t.unitIDs.thread, now.thread)
	t.ids = now
}

// counted returns the number of the unit under which an event is counted.
func (t *thread) counted() uint32 {
	if at := (unit{t.process.rank, t.ids.team, t.ids.thread}); at != t.at {
		t.at, t.number = at, t.unitOf(at)
	}
	return t.number
}

// openMP decides about an event of a parallel region.
func (t *thread) openMP(e *recorded.Event, k *kind) error {
	address, number := e.Fields[k.region].Number, e.Fields[k.number].Number
	region := t.regionAt(k.domain, address, e.Region)
	if !t.begun {
		t.beginInitial(k.domain)
	}
	if k.role == scopeBegin {
		t.scopeBegin(region, number)
		if err := t.numbered(region, number); err != nil {
			return err
		}
	}
	s := scope{region, number, t.chosen(region, number)}
	switch k.role {
	case innerBegin, innerEnd:
		address, site := e.Fields[k.inner].Number, e.Kind.Fields[k.inner].Name
		if k.role == innerBegin {
			t.innerBegin(s, k.event, address, e.Site(site))
		} else {
			t.innerEnd(s, k.event, address)
		}
	case scopeEnd:
		t.allow(s, k.event, false)
		t.scopeEnd(region)
	default:
		t.allow(s, k.event, k.role == scopeBegin, k.older...)
	}
	return nil
}

// beginInitial begins the region outside of parallel regions, which never ends.
func (t *thread) beginInitial(d trace.DomainID) {
	t.begun = true
	id := t.id(t.regionAt(d, 0, nil))
	t.unit.Begin(id)
	t.initial = t.unit.Due(id)
}

// id returns the number of a region in the engine of the process.
func (t *thread) id(region int) trace.RegionID { return t.process.id(t.simulation, region) }

// scopeBegin begins a parallel region: the thread that meets it decides once for its team.
func (t *thread) scopeBegin(region int, number uint64) {
	id := t.id(region)
	t.unit.Begin(id)
	s := scope{region, number, t.unit.Due(id)}
	t.process.chosen[execution{region, number}] = s.chosen
	t.scopes = append(t.scopes, s)
}

// scopeEnd ends the innermost parallel region.
func (t *thread) scopeEnd(region int) {
	n := len(t.scopes) - 1
	if n < 0 || t.scopes[n].region != region {
		return
	}
	t.unit.Resume(t.id(region), t.scopes[n].chosen)
	t.scopes = t.scopes[:n]
	t.unit.End(t.id(region))
}

// chosen reports whether an execution of a parallel region is traced.
func (t *thread) chosen(region int, number uint64) bool {
	if t.regions[region].Address == 0 {
		return t.initial
	}
	if n := len(t.scopes); n > 0 && t.scopes[n-1].region == region && t.scopes[n-1].number == number {
		return t.scopes[n-1].chosen
	}
	return t.process.chosen[execution{region, number}]
}

// allow decides about an event in an execution of a parallel region. It is also allowed under any of its older names.
func (t *thread) allow(s scope, event trace.EventID, begins bool, older ...trace.EventID) {
	id := t.id(s.region)
	on := t.unit.Allows(id, event) || slices.ContainsFunc(older, func(e trace.EventID) bool { return t.unit.Allows(id, e) })
	t.count(s.region, event, uint32(s.number), s.chosen && on, begins)
}

func (t *thread) innerBegin(s scope, event trace.EventID, address uint64, site *recorded.Region) {
	in := inner{address: address, region: -1}
	if r := &t.regions[s.region]; address != r.Address && t.addressed[address] {
		in.region = t.regionAt(r.Domain, address, site)
	}
	t.inners = append(t.inners, in)
	if in.region < 0 {
		t.allow(s, event, true)
		return
	}
	id := t.id(in.region)
	t.unit.Begin(id)
	yes := t.unit.Decide(id, event)
	t.count(in.region, event, t.unit.Count(id).Begun-1, yes, true)
}

func (t *thread) innerEnd(s scope, event trace.EventID, address uint64) {
	in := inner{region: -1}
	for n := len(t.inners) - 1; n >= 0; n-- { // nearly always the last one
		if t.inners[n].address == address {
			in = t.inners[n]
			t.inners = t.inners[:n]
			break
		}
	}
	if in.region < 0 {
		t.allow(s, event, false)
		return
	}
	id := t.id(in.region)
	t.count(in.region, event, t.unit.Count(id).Begun-1, t.unit.Chosen(id), false)
	t.unit.End(id)
}

// decide begins an execution of a region that is decided by its only event.
func (t *thread) decide(region int, event trace.EventID) execution32 {
	id := t.id(region)
	t.unit.Begin(id)
	x := execution32{region: region, event: event, traced: t.unit.Decide(id, event)}
	x.number = t.unit.Count(id).Begun - 1
	t.count(region, event, x.number, x.traced, true)
	return x
}

func (t *thread) callBegin(region int, event trace.EventID) { t.call = t.decide(region, event) }

func (t *thread) callEnd() {
	t.count(t.call.region, t.call.event, t.call.number, t.call.traced, false)
	t.unit.End(t.id(t.call.region))
}

// ofCall handles a detail of the current MPI call.
func (t *thread) ofCall() {
	if t.call.traced {
		t.put(t.event.size)
	}
}

// regionBegin begins a region that the program marks. If the region is already open, the rate counts the open execution now.
func (t *thread) regionBegin(region int, event trace.EventID) {
	t.unit.End(t.id(region))
	t.opened = append(t.opened, t.decide(region, event))
}

func (t *thread) regionEnd(region int, event trace.EventID) {
	x := execution32{region: region, event: event}
	for n := len(t.opened) - 1; n >= 0; n-- {
		if t.opened[n].region == region {
			x = t.opened[n]
			t.opened = slices.Delete(t.opened, n, n+1)
			break
		}
	}
	t.count(region, event, x.number, x.traced, false)
	t.unit.End(t.id(region))
}

// markEnd ends a mark, which is a region without a length.
func (t *thread) markEnd() {
	n := len(t.opened) - 1
	t.unit.End(t.id(t.opened[n].region))
	t.opened = t.opened[:n]
}
