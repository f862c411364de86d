package pinsight

import (
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
)

// filled finds events of Lexgion.default, over which an installed PInsight fills
// those of each domain.
func (l *comparison) filled() {
	for have := range l.Default.live {
		if have.kind == eventSetting && have.Span.File == l.tree.File() {
			domain := l.Catalog.Name(have.Event.domain)
			l.found.Report(upstreamFilled, have.Span, "an installed PInsight uses this only for regions with a section of their own").
				Helped("write it in `[Lexgion(%s).default]`; both read it", domain)
		}
	}
	for _, snap := range l.Default.inherit {
		if snap.at.File == l.tree.File() && l.fillsOther(snap) {
			l.found.Report(upstreamFilled, snap.at, "an installed PInsight uses this only for regions with a section of their own").
				Helped("inherit it in `[Lexgion(%s).default]`, below what it inherits", l.Catalog.Name(snap.domain))
		}
	}
}

// fillsOther reports whether Lexgion(D).default is filled with other events than
// Lexgion.default inherited, or sections for units come in between.
func (l *comparison) fillsOther(snap *snapshot) bool {
	fill := l.PerDomain[snap.domain].base
	if fill == nil {
		fill = l.Domains[snap.domain].snapshot(snap.at)
	}
	return !slices.Equal(fill.events, snap.events) ||
		slices.ContainsFunc(l.Units, func(s *Section) bool { return s.Domain == snap.domain })
}

// copied finds regions for which an installed PInsight keeps events of
// Lexgion.default that were changed after it copied them.
func (l *comparison) copied() {
	if len(l.Regions) > installed.MaxRegions {
		return
	}
	seen := map[source.Span]bool{} // a header may name several regions
	for _, s := range l.Regions {
		for _, now := range l.Default.settings {
			if !s.Removed.IsZero() || seen[s.At] {
				break
			}
			then := now
			for then != nil && then.Span.Start >= s.At.Start {
				then = then.Prev
			}
			if then == nil || then == now || then.kind != eventSetting || now.kind == eventSetting && now.On == then.On {
				continue
			}
			if _, inherits := s.inherited(l.Model, then.Event); inherits || s.get(then.Key) != nil {
				continue
			}
			seen[s.At] = true
			l.found.Report(upstreamEvents, s.At, "an installed PInsight has `%s = %s` for this region, as `Lexgion.default` was here", then.Key, then.Value).
				At(now.Span, "changed later").Helped("write `Lexgion.default` above the region, or `%s` in it", then.Key)
		}
	}
}

// inherited finds sections that inherit a domain below events of it: there an
// installed PInsight takes what is inherited.
func (l *comparison) inherited() {
	for kind, s := range l.Model.sections {
		if kind != region && kind != regionDefault {
			continue
		}
		for _, snap := range s.inherit {
			for have := range s.live {
				if have.kind != eventSetting || have.Event.domain != snap.domain || have.Span.File != snap.at.File || have.Span.Start > snap.at.Start {
					continue
				}
				if on, _ := snap.state(l.Catalog, have.Event); on != have.On {
					l.found.Report(upstreamReinit, snap.at, "an installed PInsight forgets `%s = %s`, which is written above", have.Key, have.Value).
						At(have.Span, "here").Helped("write it again below, or inherit once only")
					break
				}
			}
		}
	}
}

// parallel finds what an installed PInsight does not ask about parallel regions.
func (l *comparison) parallel() {
	openMP, ok := l.Catalog.Domain("OpenMP")
	if !ok {
		return
	}
	seen := map[source.Span]bool{}
	off := func(have *Setting) {
		if have.kind != eventSetting || have.On || have.Event.domain != openMP || have.Span.File != l.tree.File() || seen[have.Span] {
			return
		}
		if name := l.Catalog.event(have.Event).Name; slices.Contains(installed.RateOnly, name) {
			seen[have.Span] = true
			l.found.Report(upstreamParallel, have.Span, "an installed PInsight traces `%s` whenever the rate allows it", name).
				Helped("limit the rate: `max_num_traces = 0`")
		}
	}
	for _, s := range l.Model.sections {
		for have := range s.live {
			off(have)
		}
		copies := s.inherit // which outlive a RESET of what they were taken from
		if s.base != nil {
			copies = append(slices.Clone(copies), s.base)
		}
		for _, snap := range copies {
			for _, have := range snap.events {
				off(have)
			}
		}
	}
	theirs := func(snap *snapshot) bool {
		_, has := l.options.upstream().Domain(l.Catalog.Name(snap.domain))
		return has
	}
	for _, s := range l.Regions {
		if len(s.Units) == 0 || s.Match.Domain != "" && s.Match.Domain != l.Catalog.Name(openMP) {
			continue
		}
		if len(s.inherit) > 0 && !slices.ContainsFunc(s.inherit, theirs) {
			continue // a process of a pipeline, say: no parallel region
		}
		if at := s.Units[0].Place; !seen[at] && at.File == l.tree.File() {
			seen[at] = true
			l.found.Report(upstreamParallel, at, "an installed PInsight traces the beginning and the end of parallel regions on all units")
		}
	}
}

// knobs finds what the table of knobs has no room for.
func (l *comparison) knobs() {
	count := 0
	for have := range l.service("Knob").live {
		if count++; count == installed.MaxKnobs+1 {
			l.found.Report(upstreamLimit, have.Span, "an installed PInsight has room for %d knobs and drops this one and those below", installed.MaxKnobs)
		}
		if n, err := strconv.ParseInt(have.Value, 0, 64); err == nil && int64(int32(n)) != n {
			l.found.Report(upstreamLimit, have.Span, "an installed PInsight keeps 32 bits of this number: %d", int32(n))
		}
	}
}
