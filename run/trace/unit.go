package trace

import (
	"iter"
	"slices"
)

// Unit is the part of an engine that belongs to one thread: its ids and its counters. Only one goroutine may use it at a time.
//
// An execution of a region is Begin, any number of Decide, End.
type Unit struct {
	engine *Engine
	lines  []line // by RegionID
	seen   uint64 // the generation of version
	stamp  uint32 // grows when version or ids change; lines with another stamp are stale

	version *version
	ids     []uint32 // by KindID
	views   []view   // by DomainID
}

// view is the result, for a domain on this unit, of the layers below the regions.
type view struct {
	stamp  uint32
	events Mask
}

// Count holds a unit's counters of a region.
type Count struct {
	Begun, Traced, Since uint32
}

// Unit returns a new unit whose ids and counters are 0.
func (e *Engine) Unit() *Unit {
	u := &Unit{engine: e, ids: make([]uint32, e.catalog.Kinds()), views: make([]view, len(e.catalog.domains))}
	u.catchUp()
	return u
}

// SetID sets the id of this unit for a kind.
func (u *Unit) SetID(k KindID, id uint32) {
	if u.ids[k] == id {
		return
	}
	u.ids[k] = id
	if u.version.policy.reads[k] {
		u.restamp()
	}
}

// IDs returns a copy of the unit's ids by KindID.
func (u *Unit) IDs() []uint32 { return slices.Clone(u.ids) }

// Count returns the unit's counters of a region.
func (u *Unit) Count(r RegionID) Count {
	if int(r) >= len(u.lines) {
		return Count{}
	}
	l := &u.lines[r]
	return Count{l.counter, l.traced, l.since}
}

// Begin counts an execution of the region, unless its domain is Off or Standby.
func (u *Unit) Begin(r RegionID) {
	if !u.fresh(r) && !u.renew(r) {
		return
	}
	l := &u.lines[r]
	l.chosen = false
	if l.mode >= Monitoring {
		l.counter++
		l.since++
	}
}

// Decide reports whether the event is to be traced in this execution.
func (u *Unit) Decide(r RegionID, e EventID) bool {
	if !u.fresh(r) && !u.renew(r) {
		return false
	}
	l := &u.lines[r]
	if !l.allowed.Has(e) || !l.due() {
		return false
	}
	l.chosen = true
	return true
}

// Due reports whether the rate selects this execution. A caller that decides events elsewhere, such as on
// the threads of a team, calls Due once and Allows for each event.
func (u *Unit) Due(r RegionID) bool {
	if !u.fresh(r) && !u.renew(r) {
		return false
	}
	l := &u.lines[r]
	l.chosen = l.mode == Tracing && l.due()
	return l.chosen
}

// Allows reports whether the event is on for this region and unit, without looking at the rate.
func (u *Unit) Allows(r RegionID, e EventID) bool {
	return (u.fresh(r) || u.renew(r)) && u.lines[r].allowed.Has(e)
}

// Chosen reports whether the current execution is traced.
func (u *Unit) Chosen(r RegionID) bool { return int(r) < len(u.lines) && u.lines[r].chosen }

// Resume continues an execution after other executions of the same region were nested in it. due is what Due returned for the execution
// that continues.
func (u *Unit) Resume(r RegionID, due bool) {
	if int(r) < len(u.lines) {
		u.lines[r].chosen = due
	}
}

// End counts the execution as traced if one of its events was.
func (u *Unit) End(r RegionID) {
	if int(r) >= len(u.lines) || !u.lines[r].chosen {
		return
	}
	u.endChosen(r)
}

func (u *Unit) endChosen(r RegionID) {
	if !u.fresh(r) {
		u.renew(r)
	}
	l := &u.lines[r]
	l.chosen = false
	if l.mode != Tracing {
		return
	}
	l.traced++
	l.since = 0
	if l.ends && l.traced >= l.rate.Max {
		u.endWindow(r)
	}
}

// fresh reports whether the region's line is up to date.
func (u *Unit) fresh(r RegionID) bool {
	return u.seen == u.engine.generation.Load() && int(r) < len(u.lines) && u.lines[r].stamp == u.stamp
}

// renew updates the region's line. It returns false if there is no such region.
func (u *Unit) renew(r RegionID) bool {
	u.catchUp()
	regions := *u.engine.regions.Load()
	if int(r) >= len(regions) {
		return false
	}
	if int(r) >= len(u.lines) {
		u.lines = append(u.lines, make([]line, len(regions)-len(u.lines))...)
	}
	l := &u.lines[r]
	if l.stamp == u.stamp {
		return true
	}
	p, region := u.version.policy, &regions[r]
	rule, named := p.find(region)
	l.stamp = u.stamp
	l.rate = rule.rate
	l.mode = u.version.modes[region.Domain]
	l.ends = rule.end != 0 && rule.rate.Max != Unlimited
	l.allowed = Mask{}
	if l.mode != Tracing {
		return true
	}
	table := &p.domains[region.Domain]
	if !named && !hasModule(table.modules, region.Module) {
		return true
	}
	if p.wheres[table.limits].holds(u.ids) && p.wheres[rule.where].holds(u.ids) {
		l.allowed = u.view(region.Domain).events
		p.changes[rule.change].apply(&l.allowed)
	}
	always := override{table.rateOnly, table.rateOnly}
	always.apply(&l.allowed)
	return true
}

func (u *Unit) view(d DomainID) *view {
	v := &u.views[d]
	if v.stamp == u.stamp {
		return v
	}
	p := u.version.policy
	v.stamp, v.events = u.stamp, p.domains[d].base
	for _, s := range p.domains[d].sections {
		if p.wheres[s.where].holds(u.ids) {
			p.changes[s.change].apply(&v.events)
		}
	}
	return v
}

func (u *Unit) catchUp() {
	if v := u.engine.version.Load(); v != u.version {
		u.version, u.seen = v, v.generation
		u.restamp()
	}
}

// restamp makes all lines and views stale.
func (u *Unit) restamp() {
	if u.stamp++; u.stamp != 0 {
		return
	}
	// After 2³² changes an old stamp could look current: reset all stamps.
	for i := range u.lines {
		u.lines[i].stamp = 0
	}
	for i := range u.views {
		u.views[i].stamp = 0
	}
	u.stamp = 1
}

// endWindow is called when a region has been traced as often as its rate allows.
func (u *Unit) endWindow(r RegionID) {
	p, regions := u.version.policy, *u.engine.regions.Load()
	end := p.rule(&regions[r]).end - 1
	if p.ends[end].all {
		for i := range u.lines {
			l := &u.lines[i]
			if l.counter == 0 {
				continue
			}
			if u.renew(RegionID(i)); l.rate.Max != Unlimited && l.traced < l.rate.Max {
				return
			}
		}
	}
	u.engine.endWindow(p, end)
}

// Executions yields the numbers, counted from 0, of the executions among a region's first n in which the event is traced. The unit has the
// given ids (by KindID; missing ones are 0), and nothing else happens meanwhile.
func (p *Policy) Executions(r Region, event EventID, ids []uint32, n uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		e := NewEngine(p)
		id, err := e.Region(r)
		if err != nil {
			return
		}
		u := e.Unit()
		copy(u.ids, ids)
		for i := range n {
			u.Begin(id)
			if u.Decide(id, event) && !yield(i) {
				return
			}
			u.End(id)
		}
	}
}
