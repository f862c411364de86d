package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Query asks about one event of one region on one unit.
type Query struct {
	Region Region
	Event  EventID
	IDs    []uint32 // by KindID; 0 if missing
}

// Answer is a value and the layer that gives it.
type Answer struct {
	Layer, Value string
	Place        source.Span
}

// Check is a constraint, and the id that was tested against it.
type Check struct {
	Layer string
	Constraint
	ID   uint32
	Pass bool
}

// ModuleCheck lists the traced modules, and reports whether the module of the region is among them.
type ModuleCheck struct {
	Answer
	Module string // empty if unknown; an unknown module passes
	Pass   bool
}

// Explanation is the chain of layers that leads to a decision.
type Explanation struct {
	Mode              Answer
	Event             []Answer     // the first decides; it overrides the others
	Units             []Check      // all must pass
	Modules           *ModuleCheck // nil if modules do not matter
	Start, Max, Every Answer
	Rate              Rate
	Verdict           Verdict
}

// Verdict is the result of the chain.
type Verdict uint8

// The verdicts: the first one after Traced that applies, else Traced.
const (
	Traced        Verdict = iota // as far as the rate allows
	NotTracing                   // the domain is in another mode
	EventOff                     // the layers switch the event off
	OutsideUnit                  // a constraint is not met
	OutsideModule                // the region's module is not among the traced modules
)

// Explain returns why an event is traced or not.
func Explain(c *Catalog, layers Layers, q Query) (Explanation, error) {
	if int(q.Region.Domain) >= len(c.domains) {
		return Explanation{}, fmt.Errorf("the catalogue has no domain number %d", q.Region.Domain)
	}
	if c.byID[q.Region.Domain][q.Event] == nil {
		return Explanation{}, fmt.Errorf("`%s` has no event number %d", c.domains[q.Region.Domain].Name, q.Event)
	}
	x := layers.explain(c, q)
	x.Rate.Every = max(x.Rate.Every, 1)
	switch {
	case x.Mode.Value != Tracing.String():
		x.Verdict = NotTracing
	case x.Event[0].Value != OnOff(true):
		x.Verdict = EventOff
	case slices.ContainsFunc(x.Units, func(u Check) bool { return !u.Pass }):
		x.Verdict = OutsideUnit
	case x.Modules != nil && !x.Modules.Pass:
		x.Verdict = OutsideModule
	}
	return x, nil
}

// Explain answers from the layers that the policy was compiled from.
func (p *Policy) Explain(q Query) (Explanation, error) {
	return Explain(p.catalog, p.layers, q)
}

// Why explains the unit's decisions about an event under the engine's current policy, in
// the modes that this policy starts with.
func (u *Unit) Why(r RegionID, event EventID) (Explanation, error) {
	regions := *u.engine.regions.Load()
	if int(r) >= len(regions) {
		return Explanation{}, fmt.Errorf("there is no region number %d", r)
	}
	return u.engine.Policy().Explain(Query{regions[r], event, u.ids})
}

const catalogue = "catalogue"

func (q Query) id(c *Catalog, of Constraint) uint32 {
	d, _ := c.Domain(of.Domain)
	if k, ok := c.Kind(d, of.Kind); ok && int(k) < len(q.IDs) {
		return q.IDs[k]
	}
	return 0
}

func (x *Explanation) check(c *Catalog, q Query, layer string, constraints Constraints) {
	for _, t := range constraints {
		id := q.id(c, t)
		x.Units = append(x.Units, Check{layer, t, id, t.Set.Contains(id)})
	}
}

// event adds a layer's answer about the event, if the layer names it.
func (x *Explanation) event(layer string, events Events, name string) {
	if t, ok := events[name]; ok {
		x.Event = append(x.Event, Answer{layer, OnOff(t.On), t.Place})
	}
}

func (c *Config) explain(cat *Catalog, q Query) Explanation {
	dom := cat.domains[q.Region.Domain].Name
	name := cat.byID[q.Region.Domain][q.Event].Name
	domain, per := c.Domains[dom], c.PerDomain[dom]
	var x Explanation

	x.Mode = Answer{Layer: catalogue, Value: Tracing.String()}
	if domain.Mode != NoMode {
		x.Mode = Answer{dom + ".default", domain.Mode.String(), domain.ModePlace}
	}
	x.check(cat, q, dom+".default", domain.Limits)

	type rated struct {
		layer string
		rate  RateLayer
	}
	var rates []rated
	if r := c.region(q.Region, dom); r != nil {
		layer := r.Match.String()
		if r.Removed {
			x.Event = append(x.Event, Answer{layer, OnOff(false), r.Place})
		}
		x.event(layer, r.Events[dom], name)
		x.check(cat, q, layer, r.Units)
		rates = append(rates, rated{layer, r.Rate})
	} else if dom == Python {
		x.Modules = domain.Modules.check(q.Region.Module)
	}
	rates = append(rates, rated{perDomainName(dom), per.Rate})
	if per.Snapshot != nil {
		rates = append(rates, rated{perDomainName(dom) + " as it found Lexgion.default", per.Snapshot.Rate})
	} else {
		rates = append(rates, rated{"Lexgion.default", c.Default.Rate})
	}

	x.event(perDomainName(dom), per.Events[dom], name)
	x.event("Lexgion.default", c.Default.Events[dom], name)
	for i := len(c.Units) - 1; i >= 0; i-- {
		if u := c.Units[i]; u.Domain == dom && !u.Removed && q.all(cat, u.Target) && q.all(cat, u.Also) {
			x.event(u.Target.String(), u.Events, name)
		}
	}
	if per.Snapshot != nil {
		x.event(perDomainName(dom)+" as it found "+dom+".default", per.Snapshot.Events, name)
	} else {
		x.event(dom+".default", domain.Events, name)
	}
	on := cat.Defaults(q.Region.Domain)
	x.Event = append(x.Event, Answer{Layer: catalogue, Value: OnOff(on.Has(q.Event))})

	key := func(of func(RateLayer) Number, system uint32, text func(uint32) string) (Answer, uint32) {
		for _, r := range rates {
			if n := of(r.rate); n.Set {
				return Answer{r.layer, text(n.Value), n.Place}, n.Value
			}
		}
		return Answer{Layer: "system default", Value: text(system)}, system
	}
	x.Start, x.Rate.Start = key(func(r RateLayer) Number { return r.Start }, 0, decimal)
	x.Max, x.Rate.Max = key(func(r RateLayer) Number { return r.Max }, Unlimited, limit)
	x.Every, x.Rate.Every = key(func(r RateLayer) Number { return r.Every }, 1, decimal)
	return x
}

func (q Query) all(c *Catalog, constraints Constraints) bool {
	return !slices.ContainsFunc(constraints, func(t Constraint) bool { return !t.Set.Contains(q.id(c, t)) })
}

// region finds the entry that decides: by address, else by name.
func (c *Config) region(r Region, domain string) *RegionEntry {
	for _, named := range []bool{false, true} {
		for i := range c.Regions {
			if e := &c.Regions[i]; (e.Address == 0) == named && e.meets(r, domain) {
				return e
			}
		}
	}
	return nil
}

func (n *Installed) explain(cat *Catalog, q Query) Explanation {
	dom := cat.domains[q.Region.Domain].Name
	name := cat.byID[q.Region.Domain][q.Event].Name
	var x Explanation

	x.Mode = Answer{Layer: dom + ".default", Value: cmp.Or(n.Modes[dom], Tracing).String()}

	found := n.candidates(q.Region, dom)
	always, free := n.RateOnly[dom][name]
	if free {
		x.Event = append(x.Event, Answer{"an installed PInsight asks for the rate only", OnOff(always.On), always.Place})
	}
	for _, e := range found {
		events, set := e.entry.Events[dom]
		x.Event = append(x.Event, Answer{e.layer, OnOff(!set || events[name].On), cmp.Or(events[name].Place, e.entry.Place)})
	}
	first := found[0]
	limits := first.entry.Units
	if free {
		limits = nil
	}
	for _, c := range limits {
		x.check(cat, q, first.layer, Constraints{c})
		if x.Units[len(x.Units)-1].Pass {
			c.Set, c.Place = NewSet(n.span(cat, c)), source.Span{}
			x.check(cat, q, "range of "+c.Unit(), Constraints{c})
		}
	}
	x.Rate = first.entry.Rate
	x.Start = Answer{first.layer, decimal(x.Rate.Start), first.entry.Place}
	x.Max = Answer{first.layer, limit(x.Rate.Max), first.entry.Place}
	x.Every = Answer{first.layer, decimal(x.Rate.Every), first.entry.Place}
	return x
}

type candidate struct {
	layer string
	entry *Entry
}

// candidates returns the entries that may decide a region; the first one does.
func (n *Installed) candidates(r Region, domain string) []candidate {
	var found []candidate
	for _, named := range []bool{false, true} {
		for i := range n.Regions {
			if e := &n.Regions[i]; !e.Removed && (e.Address == 0) == named && e.meets(r, domain) {
				found = append(found, candidate{e.Match.String(), &e.Entry})
				break
			}
		}
	}
	if e, ok := n.PerDomain[domain]; ok {
		found = append(found, candidate{perDomainName(domain), &e})
	}
	return append(found, candidate{"Lexgion.default", &n.Default})
}
