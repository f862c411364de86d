package pinsight

import (
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// Mention is a place where a configuration speaks of something that only the
// traced program has: a domain, a unit, a region, an event.
type Mention struct {
	Domain string      // empty for a region of any domain
	Kind   string      // of units: `rank`
	Set    trace.Set   // of units
	Region trace.Match // of a region
	Event  string
	On     bool // of an event
	Span   source.Span
}

// Mentions are all places of the documented dialect that hold at the end, in the order of the sections.
func (m *Model) Mentions() []Mention {
	if m.env.Dialect == load.Upstream {
		return nil
	}
	var list []Mention
	for _, sections := range [][]*Section{m.Domains, m.Units, {m.Default}, m.PerDomain, m.Regions} {
		for _, s := range sections {
			if !s.At.IsZero() && s.Removed.IsZero() {
				list = append(list, m.mentions(s)...)
			}
		}
	}
	return list
}

func (m *Model) mentions(s *Section) []Mention {
	var list []Mention
	switch {
	case s.Match.Name != "":
		at := s.At.File.Span(int(s.named.Start), int(s.named.End))
		list = append(list, Mention{Domain: s.Match.Domain, Region: s.Match, Span: at})
	case s.Match.Address != 0:
		list = append(list, Mention{Region: s.Match, Span: s.At})
	case s != m.Default && len(s.Target) == 0:
		list = append(list, Mention{Domain: m.Catalog.Name(s.Domain), Span: s.At})
	}
	for _, u := range append(s.Target[:len(s.Target):len(s.Target)], s.Units...) {
		list = append(list, units(u))
	}
	for _, from := range s.inherit {
		list = append(list, Mention{Domain: m.Catalog.Name(from.domain), Span: from.at})
	}
	for have := range s.live {
		switch have.kind {
		case eventSetting:
			list = append(list, Mention{Domain: m.Catalog.Name(have.Event.domain), Event: m.Catalog.event(have.Event).Name, On: have.On, Span: have.Span})
		case rangeSetting:
			list = append(list, units(have.constraint()))
		}
	}
	return list
}

func units(c trace.Constraint) Mention {
	return Mention{Domain: c.Domain, Kind: c.Kind, Set: c.Set, Span: c.Place}
}
