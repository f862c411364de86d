package pinsight

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
)

// Policy is the configuration compiled for the trace engine. One with errors
// gives what could be resolved.
func (m *Model) Policy() (*trace.Policy, error) {
	c := m.Catalog
	if m.Installed != nil {
		c = m.Installed.catalog
	}
	return trace.Compile(c.Catalog, m.Layers())
}

// Layers is the configuration as an engine reloads it.
func (m *Model) Layers() trace.Layers {
	if m.Installed != nil {
		return m.Installed.layers()
	}
	return m.layers()
}

func (m *Model) layers() *trace.Config {
	c := &trace.Config{Domains: map[string]trace.DomainLayer{}, PerDomain: map[string]trace.RegionLayer{}}
	for _, s := range m.Domains {
		c.Domains[m.Catalog.domainName(s.Domain)] = m.domainLayer(s)
	}
	for _, s := range m.Dropped {
		c.Units = append(c.Units, trace.UnitLayer{
			Domain: m.Catalog.domainName(s.Domain), Target: constraints(s.Target), Removed: true, Place: s.At,
		})
	}
	for _, s := range m.Units {
		c.Units = append(c.Units, trace.UnitLayer{
			Domain: m.Catalog.domainName(s.Domain), Target: constraints(s.Target), Also: constraints(s.Units),
			Events: m.events(s)[m.Catalog.domainName(s.Domain)], Place: s.At,
		})
	}
	c.Default = m.regionLayer(m.Default)
	for _, s := range m.PerDomain {
		c.PerDomain[m.Catalog.domainName(s.Domain)] = m.regionLayer(s)
	}
	for _, s := range m.Regions {
		c.Regions = append(c.Regions, trace.RegionEntry{
			Match: s.Match, RegionLayer: m.regionLayer(s), Units: constraints(s.Units), Removed: !s.Removed.IsZero(),
		})
	}
	return c
}

func (m *Model) domainLayer(s *Section) trace.DomainLayer {
	l := trace.DomainLayer{Reset: !s.reset.IsZero(), Events: m.events(s)[m.Catalog.domainName(s.Domain)]}
	for have := range s.live {
		switch {
		case have.kind == rangeSetting:
			_, kind, _ := strings.Cut(have.Key, ".")
			set, _ := parseSet(strings.Trim(have.Value, "()"), maxUnit)
			l.Limits = append(l.Limits, trace.Constraint{Domain: m.Catalog.domainName(s.Domain), Kind: kind, Set: set, Place: have.Span})
		case have.Key == modeKey:
			l.Mode, l.ModePlace = parseMode(have.Value), have.Span
		}
	}
	return l
}

func parseMode(text string) trace.Mode {
	switch text {
	case "OFF":
		return trace.Off
	case "STANDBY":
		return trace.Standby
	case "MONITORING", "MONITOR":
		return trace.Monitoring
	}
	return trace.Tracing
}

func (m *Model) regionLayer(s *Section) trace.RegionLayer {
	l := trace.RegionLayer{Reset: !s.reset.IsZero(), Events: m.events(s), Place: s.At}
	number := func(key string) trace.Number {
		have := s.get(key)
		if have == nil || have.kind == resetSetting {
			return trace.Number{}
		}
		n, _ := strconv.ParseInt(have.Value, 10, 64)
		return trace.Number{Value: uint32(n), Set: true, Place: have.Span}
	}
	l.Rate = trace.RateLayer{Start: number(startKey), Max: number(maxKey), Every: number(rateKey)}
	if s.base != nil {
		l.Snapshot = trace.Events{}
		for _, e := range s.base.events {
			l.Snapshot[m.Catalog.event(e.Event).Name] = trace.Toggle{On: e.On, Place: e.Span}
		}
	}
	return l
}

// events are the events that a section names, by domain: by its keys, else by
// inheritance, the newest first.
func (m *Model) events(s *Section) map[string]trace.Events {
	all := map[string]trace.Events{}
	of := func(d trace.DomainID) trace.Events {
		name := m.Catalog.domainName(d)
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

func constraints(sets []unitSet) []trace.Constraint {
	var list []trace.Constraint
	for _, u := range sets {
		domain, kind, _ := strings.Cut(u.name, ".")
		list = append(list, trace.Constraint{Domain: domain, Kind: kind, Set: u.set, Place: u.span})
	}
	return list
}
