package pinsight

import (
	"iter"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
)

// Mention is a place where a configuration refers to a part of the traced program: a domain, a unit, a region or an
// event.
type Mention struct {
	Domain string      // empty for a region of any domain
	Kind   string      // for units: their kind, such as `rank`
	Set    trace.Set   // for units: their ids
	Region trace.Match // for a region
	Event  string
	On     bool // for an event: whether it is on
	Span   source.Span
}

// Mentions yields the mentions that are in effect at the end of the file, in the documented dialect and in the order
// of the sections.
func (m *Model) Mentions() iter.Seq[Mention] {
	return func(yield func(Mention) bool) {
		if m.env.Dialect == load.Upstream {
			return
		}
		for _, sections := range [][]*Section{m.Domains, m.Units, {m.Default}, m.PerDomain, m.Regions} {
			for _, s := range sections {
				if !s.At.IsZero() && s.Removed.IsZero() && !m.mentions(s, yield) {
					return
				}
			}
		}
	}
}

// mentions yields the mentions of a section. It returns false if yield wants no more.
func (m *Model) mentions(s *Section, yield func(Mention) bool) bool {
	switch {
	case s.Match.Name != "":
		at := s.At.File.Span(int(s.named.Start), int(s.named.End))
		if !yield(Mention{Domain: s.Match.Domain, Region: s.Match, Span: at}) {
			return false
		}
	case s.Match.Address != 0:
		if !yield(Mention{Region: s.Match, Span: s.At}) {
			return false
		}
	case s != m.Default && len(s.Target) == 0:
		if !yield(Mention{Domain: m.Catalog.Name(s.Domain), Span: s.At}) {
			return false
		}
	}
	for _, list := range [][]trace.Constraint{s.Target, s.Units} {
		for _, u := range list {
			if !yield(units(u)) {
				return false
			}
		}
	}
	for _, from := range s.inherit {
		if !yield(Mention{Domain: m.Catalog.Name(from.domain), Span: from.at}) {
			return false
		}
	}
	for have := range s.live {
		var x Mention
		switch have.kind {
		case eventSetting:
			x = Mention{Domain: m.Catalog.Name(have.Event.domain), Event: m.Catalog.event(have.Event).Name, On: have.On, Span: have.Span}
		case rangeSetting:
			x = units(have.constraint())
		default:
			continue
		}
		if !yield(x) {
			return false
		}
	}
	return true
}

func units(c trace.Constraint) Mention {
	return Mention{Domain: c.Domain, Kind: c.Kind, Set: c.Set, Span: c.Place}
}
