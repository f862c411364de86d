package pinsight

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// headerForm finds headers that only we can read.
func (l *comparison) headerForm(s *syntax.Section) {
	ref := &s.Targets[0]
	switch text := l.tree.File().Text(); {
	case !s.Action.Empty() && (text[s.Action.Start-1] != '[' || text[s.Action.End] != ' '):
		l.found.Report(upstreamIgnores, l.tree.Span(s.Action), "an installed PInsight ignores this section: the action must touch the bracket and be followed by a blank").
			Helped("write `[%s %s]`", l.tree.Of(s.Action), l.tree.Of(s.Target))
	case ref.HasArgs && text[ref.Name.End] != '(':
		l.found.Report(upstreamIgnores, l.tree.Span(s.Target), "an installed PInsight ignores this section because of the blank before the parenthesis")
	case ref.HasArgs && !ref.Member.Empty() && (text[ref.Args.Start-1] != '(' || text[ref.Args.End] != ')'):
		l.found.Report(upstreamIgnores, l.tree.Span(s.Target), "an installed PInsight ignores this section because of the blanks in the parentheses")
	}
	if s.Colons > 0 && l.comment(s.Line, "header") {
		return
	}
	if len(s.Units) == 0 || slices.ContainsFunc(s.Units, func(u syntax.Ref) bool { return l.tooLarge(&u) }) {
		return
	}
	_, tail, _ := strings.Cut(l.tree.LineText(s.Line), "]")
	if !l.reads(tail, s.Units) {
		span := l.tree.Span(s.Units[0].Text).To(l.tree.Span(s.Units[len(s.Units)-1].Text))
		l.found.Report(upstreamIgnores, span, "an installed PInsight does not find all of these units, so it traces more than these").
			Helped("write them without blanks before the parentheses, one comma between two, and ` : : ` before them where nothing is inherited")
	}
}

// reads reports whether an installed PInsight finds the same kinds of units in
// the text behind a header's bracket.
func (l *comparison) reads(tail string, refs []syntax.Ref) bool {
	if l.reader == nil {
		l.reader = installed.New(l.Catalog.Catalog, l.Catalog.policies)
	}
	found := l.reader.HeaderUnits(tail)
	for i := range refs {
		name := l.tree.Of(refs[i].Name) + "." + l.tree.Of(refs[i].Member)
		if !slices.ContainsFunc(found, func(u trace.Constraint) bool { return u.Unit() == name }) {
			return false
		}
	}
	return true
}

// resetDomain says what RESET leaves as it is.
func (l *comparison) resetDomain(s *syntax.Section, domain string) {
	for _, have := range l.lasting[domain] {
		l.found.Report(upstreamRange, l.tree.Span(s.Target), "an installed PInsight keeps `%s` as it is", l.tree.Of(have.Key)).
			At(l.tree.Span(have.Key), "set here").Helped("set it again below")
	}
	delete(l.lasting, domain)
}

// sameName finds names that differ in their file only: the first one counts.
func (l *comparison) sameName() {
	type identity struct{ domain, name string }
	var first map[identity]source.Span
	for i, s := range l.Regions {
		if s.Match.Name == "" {
			continue
		}
		if first == nil {
			first = make(map[identity]source.Span, len(l.Regions)-i)
		}
		id := identity{s.Match.Domain, s.Match.Name}
		if at, twice := first[id]; twice {
			l.found.Report(upstreamName, s.At, "an installed PInsight takes this for the other region called `%s`", s.Match.Name).
				At(at, "the other one")
			continue
		}
		first[id] = s.At
	}
}

// events finds regions that an installed PInsight traces more of: without
// events of their own they do not see those of the domain.
func (l *comparison) events() {
	if len(l.Regions) > installed.MaxRegions {
		return
	}
	for d, dom := range l.Domains {
		name := l.Catalog.Name(dom.Domain)
		off := l.switchedOff(dom, l.PerDomain[d])
		if off == nil {
			continue
		}
		seen := map[source.Span]bool{}
		for _, s := range l.Regions {
			if !s.Removed.IsZero() || l.names(s, off.Event) || l.namesAbove(l.Default, off.Event, s.At) || s.Match.Domain != "" && s.Match.Domain != name || seen[s.At] {
				continue
			}
			seen[s.At] = true
			l.found.Report(upstreamEvents, s.At, "an installed PInsight traces `%s` in this region", l.Catalog.event(off.Event).Name).
				At(off.Span, "this does not reach regions with a section of their own").
				Helped("inherit the events: `[%s] : %s.default`", s.Name, name)
		}
	}
}

// switchedOff is the first event that a default switches off.
func (l *comparison) switchedOff(sections ...*Section) *Setting {
	for _, s := range sections {
		for have := range s.live {
			if have.kind == eventSetting && have.Event.domain == s.Domain && !have.On && l.Catalog.event(have.Event).On {
				return have
			}
		}
	}
	return nil
}

// names reports whether a section says something about the events of a domain.
func (l *comparison) names(s *Section, of eventID) bool {
	for have := range s.live {
		if have.kind == eventSetting && have.Event.domain == of.domain {
			return true
		}
	}
	return slices.ContainsFunc(s.inherit, func(snap *snapshot) bool { return snap.domain == of.domain })
}

// namesAbove is names for what stands above a place, where an installed PInsight
// copies the section.
func (l *comparison) namesAbove(s *Section, of eventID, at source.Span) bool {
	above := func(span source.Span) bool { return span.File != at.File || span.Start < at.Start }
	for have := range s.live {
		first := have
		for first.Prev != nil {
			first = first.Prev
		}
		if have.kind == eventSetting && have.Event.domain == of.domain && above(first.Span) {
			return true
		}
	}
	return slices.ContainsFunc(s.inherit, func(snap *snapshot) bool { return snap.domain == of.domain && above(snap.at) })
}
