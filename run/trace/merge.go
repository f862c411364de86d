package trace

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
)

// AllUnits is the target `*`: a removed UnitLayer with this target deletes every layer with a constraint of its kind.
func AllUnits() Set { return NewSet(Span{0, math.MaxUint32}) }

func (c *Config) merge(layers Layers) (Layers, error) {
	next, ok := layers.(*Config)
	if !ok {
		return nil, errors.New("the state of an installed PInsight cannot be merged into layers; replace them")
	}
	m := &Config{
		Domains:   maps.Clone(c.Domains),
		Units:     slices.DeleteFunc(slices.Clone(c.Units), func(u UnitLayer) bool { return u.Removed }),
		Default:   next.Default.onto(c.Default),
		PerDomain: maps.Clone(c.PerDomain),
		Regions:   slices.Clone(c.Regions),
	}
	mergeInto(&m.Domains, next.Domains, DomainLayer.onto)
	mergeInto(&m.PerDomain, next.PerDomain, RegionLayer.onto)
	for _, u := range next.Units {
		m.mergeUnits(u)
	}
	at := make(map[Match]int, len(m.Regions))
	for i := len(m.Regions) - 1; i >= 0; i-- {
		at[m.Regions[i].Match] = i
	}
	for _, r := range next.Regions {
		i, ok := at[r.Match]
		if !ok {
			at[r.Match] = len(m.Regions)
			m.Regions = append(m.Regions, r)
			continue
		}
		m.Regions[i] = r.onto(m.Regions[i])
	}
	return m, nil
}

func (n *Installed) merge(Layers) (Layers, error) {
	return nil, errors.New("an installed PInsight merges while it reads; read the files in order and replace the policy by the result")
}

func mergeInto[L any](m *map[string]L, next map[string]L, onto func(L, L) L) {
	if *m == nil && len(next) > 0 {
		*m = make(map[string]L, len(next))
	}
	for name, l := range next {
		(*m)[name] = onto(l, (*m)[name])
	}
}

func (c *Config) mergeUnits(u UnitLayer) {
	if u.Removed {
		c.Units = slices.DeleteFunc(c.Units, func(old UnitLayer) bool {
			return old.Domain == u.Domain && (sameTarget(old.Target, u.Target) || u.wildcard(old.Target))
		})
		return
	}
	i := slices.IndexFunc(c.Units, func(old UnitLayer) bool {
		return old.Domain == u.Domain && sameTarget(old.Target, u.Target)
	})
	if i < 0 {
		c.Units = append(c.Units, u)
		return
	}
	old := &c.Units[i]
	old.Events = u.Events.onto(old.Events)
	old.Also = old.Also.With(u.Also...)
}

// wildcard reports whether u removes all layers of a kind that is in target.
func (u UnitLayer) wildcard(target Constraints) bool {
	return len(u.Target) == 1 && u.Target[0].Set.Equal(AllUnits()) &&
		slices.ContainsFunc(target, func(c Constraint) bool { return c.Kind == u.Target[0].Kind })
}

// sameTarget compares two targets, ignoring the order of their kinds.
func sameTarget(a, b Constraints) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x Constraint) bool {
		return !slices.ContainsFunc(b, func(y Constraint) bool {
			return x.SameKind(y) && x.Set.Equal(y.Set)
		})
	})
}

func (l DomainLayer) onto(below DomainLayer) DomainLayer {
	if l.Reset {
		below = DomainLayer{}
	}
	l.Reset = false
	l.Events = l.Events.onto(below.Events)
	l.Limits = below.Limits.With(l.Limits...)
	if l.Mode == NoMode {
		l.Mode, l.ModePlace = below.Mode, below.ModePlace
	}
	if !l.Activity.Set {
		l.Activity = below.Activity
	}
	if !l.Sites.Set {
		l.Sites = below.Sites
	}
	if !l.Modules.Set {
		l.Modules = below.Modules
	}
	return l
}

func (l RegionLayer) onto(below RegionLayer) RegionLayer {
	if l.Reset {
		below = RegionLayer{}
	}
	l.Reset = false
	events := maps.Clone(below.Events)
	mergeInto(&events, l.Events, Events.onto)
	l.Events = events
	l.Rate = RateLayer{cmp.Or(l.Rate.Start, below.Rate.Start), cmp.Or(l.Rate.Max, below.Rate.Max), cmp.Or(l.Rate.Every, below.Rate.Every)}
	l.End = cmp.Or(l.End, below.End)
	l.Timeout = cmp.Or(l.Timeout, below.Timeout)
	l.Backtrace = cmp.Or(l.Backtrace, below.Backtrace)
	if l.Snapshot == nil {
		l.Snapshot = below.Snapshot
	}
	l.Place = cmp.Or(l.Place, below.Place)
	return l
}

func (r RegionEntry) onto(below RegionEntry) RegionEntry {
	if r.Removed || below.Removed || r.Reset {
		r.Reset = false
		return r
	}
	r.RegionLayer = r.RegionLayer.onto(below.RegionLayer)
	r.Units = below.Units.With(r.Units...)
	return r
}

// onto applies e on top of below: written values beat inherited ones, then newer values beat older ones.
func (e Events) onto(below Events) Events {
	m := maps.Clone(below)
	if m == nil && len(e) > 0 {
		m = make(Events, len(e))
	}
	for name, t := range e {
		if old, ok := m[name]; !ok || old.Inherited || !t.Inherited {
			m[name] = t
		}
	}
	return m
}
