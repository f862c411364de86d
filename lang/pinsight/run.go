package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/run/trace"
)

// Policy is the configuration compiled for the trace engine, as its dialect has
// it. One with errors gives what could be resolved.
func (m *Model) Policy() (*trace.Policy, error) {
	if n := m.upstream(); n != nil {
		return n.Policy()
	}
	return trace.Compile(m.Catalog.Catalog, m.layers())
}

// Layers is the configuration as an engine reloads it.
func (m *Model) Layers() trace.Layers {
	if n := m.upstream(); n != nil {
		return n.Layers()
	}
	return m.layers()
}

// upstream is what an installed PInsight has after reading the same text, or
// nil where that was not asked for.
func (m *Model) upstream() *installed.State {
	if m.env.Dialect != load.Upstream {
		return nil
	}
	c := m.options.upstream()
	n := installed.New(c.Catalog, c.policies)
	n.Load(m.tree.File())
	for _, t := range m.over {
		n.Load(t.File())
	}
	n.Start(m.env)
	return n
}

func (m *Model) layers() *trace.Config {
	c := &trace.Config{Domains: map[string]trace.DomainLayer{}, PerDomain: map[string]trace.RegionLayer{}}
	for _, s := range m.Domains {
		c.Domains[m.Catalog.Name(s.Domain)] = m.domainLayer(s)
	}
	for _, s := range m.Dropped {
		c.Units = append(c.Units, trace.UnitLayer{
			Domain: m.Catalog.Name(s.Domain), Target: s.Target, Removed: true, Place: s.At,
		})
	}
	for _, s := range m.Units {
		c.Units = append(c.Units, trace.UnitLayer{
			Domain: m.Catalog.Name(s.Domain), Target: s.Target, Also: s.Units,
			Events: m.events(s)[m.Catalog.Name(s.Domain)], Place: s.At,
		})
	}
	c.Default = m.regionLayer(m.Default)
	for _, s := range m.PerDomain {
		c.PerDomain[m.Catalog.Name(s.Domain)] = m.regionLayer(s)
	}
	for _, s := range m.Regions {
		c.Regions = append(c.Regions, trace.RegionEntry{
			Match: s.Match, RegionLayer: m.regionLayer(s), Units: s.Units, Removed: !s.Removed.IsZero(),
		})
	}
	return c
}

func (m *Model) domainLayer(s *Section) trace.DomainLayer {
	l := trace.DomainLayer{Reset: !s.reset.IsZero(), Events: m.events(s)[m.Catalog.Name(s.Domain)]}
	for have := range s.live {
		switch {
		case have.kind == rangeSetting:
			l.Limits = append(l.Limits, have.constraint())
		case have.Key == trace.ModeKey:
			l.Mode, _ = trace.ParseMode(have.Value)
			l.ModePlace = have.Span
		}
	}
	return l
}

// constraint is the limit that a range of units sets.
func (s *Setting) constraint() trace.Constraint {
	domain, kind, _ := strings.Cut(s.Key, ".")
	return trace.Constraint{Domain: domain, Kind: kind, Set: *s.units, Place: s.Span}
}

func (m *Model) regionLayer(s *Section) trace.RegionLayer {
	l := trace.RegionLayer{Reset: !s.reset.IsZero(), Events: m.events(s), Place: s.At}
	l.Rate = rateLayer(s.get)
	if s.base != nil {
		l.Snapshot = &trace.Snapshot{Events: trace.Events{}, Rate: rateLayer(s.filling)}
		for _, e := range s.base.events {
			l.Snapshot.Events[m.Catalog.event(e.Event).Name] = trace.Toggle{On: e.On, Place: e.Span}
		}
	}
	return l
}

// rateLayer is a rate of which get returns the settings.
func rateLayer(get func(key string) *Setting) trace.RateLayer {
	number := func(key string) trace.Number {
		have := get(key)
		if have == nil || have.kind == resetSetting {
			return trace.Number{}
		}
		return trace.Number{Value: have.number, Set: true, Place: have.Span}
	}
	return trace.RateLayer{Start: number(trace.StartKey), Max: number(trace.MaxKey), Every: number(trace.EveryKey)}
}

// events are the events that a section names, by domain: by its keys, else by
// inheritance, the newest first.
func (m *Model) events(s *Section) map[string]trace.Events {
	all := map[string]trace.Events{}
	of := func(d trace.DomainID) trace.Events {
		name := m.Catalog.Name(d)
		if all[name] == nil {
			all[name] = trace.Events{}
		}
		return all[name]
	}
	for _, snap := range s.inherit {
		events := of(snap.domain)
		for _, e := range m.Catalog.Domains()[snap.domain].Events {
			events[e.Name] = trace.Toggle{On: e.On, Inherited: true, Place: snap.at}
		}
		for _, e := range snap.events {
			events[m.Catalog.event(e.Event).Name] = trace.Toggle{On: e.On, Inherited: true, Place: e.Span}
		}
	}
	for have := range s.live {
		if have.kind == eventSetting {
			of(have.Event.domain)[m.Catalog.event(have.Event).Name] = trace.Toggle{On: have.On, Place: have.Span}
		}
	}
	return all
}
