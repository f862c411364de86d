package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// compare returns the lines that an installed PInsight reads differently.
func compare(m *Model) diag.List {
	l := &comparison{Model: m, lasting: map[string][]*syntax.Entry{}}
	l.sections()
	l.ranges()
	l.rates()
	l.events()
	l.filled()
	l.copied()
	l.inherited()
	l.parallel()
	l.sameName()
	l.knobs()
	if n := len(l.Regions); n > installed.MaxRegions {
		l.found.Report(upstreamLimit, l.Regions[installed.MaxRegions].At, "an installed PInsight has room for %d regions and crashes at this one; the file has %d", installed.MaxRegions, n)
	}
	return l.found
}

type comparison struct {
	*Model
	found   diag.List
	reader  *installed.State           // reads lists of units
	lasting map[string][]*syntax.Entry // by domain: what RESET does not reset there
}

// does reports whether a section has an action.
func (l *comparison) does(s *syntax.Section, act syntax.Action) bool {
	have, known := syntax.ParseAction(l.tree.Of(s.Action))
	return known && have == act
}

// sections goes through the file.
func (l *comparison) sections() {
	perDomain := map[string]source.Span{}
	for i := range l.tree.Sections {
		s := &l.tree.Sections[i]
		if s.Broken || len(s.Targets) == 0 {
			continue
		}
		l.longLine(s.Line)
		l.headerForm(s)
		target := l.tree.Of(s.Target)
		switch ref := &s.Targets[0]; {
		case l.tree.Of(ref.Name) != "Lexgion":
			l.otherSection(s, ref)
		case ref.HasArgs && l.tree.Of(ref.Member) == "default":
			if _, known := l.Catalog.Domain(l.tree.Of(ref.Args)); known && l.notThere(s, l.tree.Of(ref.Args)) {
				continue
			}
			if first, again := perDomain[target]; again && l.does(s, syntax.Set) {
				l.found.Report(upstreamReinit, l.tree.Span(s.Target), "an installed PInsight forgets what the earlier `%s` says", target).
					At(first, "the earlier one").Helped("write both as one section")
			}
			perDomain[target] = l.tree.Span(s.Target)
		case ref.HasArgs:
			l.regionSection(s, ref)
		}
		l.entries(s)
	}
}

func (l *comparison) longLine(r syntax.Range) {
	if span := l.tree.RangeSpan(r); span.Len() >= installed.LineBuffer {
		l.found.Report(upstreamLimit, span.File.Span(span.Start, span.Start+1), "an installed PInsight cuts this line after %d bytes and reads the rest as another line", installed.LineBuffer)
	}
}

// notThere reports a section for a domain that an installed PInsight does not have.
func (l *comparison) notThere(s *syntax.Section, domain string) bool {
	_, has := l.options.upstream().Domain(domain)
	if !has {
		l.found.Report(upstreamIgnores, l.tree.Span(s.Target), "an installed PInsight has no domain `%s` and ignores this section", domain)
	}
	return !has
}

// otherSection is about sections of domains and units.
func (l *comparison) otherSection(s *syntax.Section, ref *syntax.Ref) {
	d, known := l.Catalog.Domain(l.tree.Of(ref.Name))
	if !known || l.notThere(s, l.tree.Of(ref.Name)) {
		return
	}
	if ref.HasArgs {
		l.found.Report(upstreamIgnores, l.tree.Span(s.Target), "an installed PInsight ignores this section, although it writes such sections itself").
			Helped("write `%s.default`; both read it", l.Catalog.Name(d))
	} else if l.does(s, syntax.Reset) {
		l.resetDomain(s, l.Catalog.Name(d))
	}
	if !ref.HasSet || !l.does(s, syntax.Set) {
		return
	}
	l.found.Report(upstreamUnits, l.tree.Span(s.Target), "an installed PInsight reads this section and never uses it")
	if l.tooLarge(ref) {
		l.found.Report(upstreamLimit, l.tree.Span(ref.Set), "an installed PInsight knows ids up to %d and drops this section", installed.MaxSetID)
	}
}

func (l *comparison) regionSection(s *syntax.Section, ref *syntax.Ref) {
	if l.does(s, syntax.Remove) {
		l.found.Report(upstreamRemove, l.tree.Span(s.Target), "an installed PInsight does not stop tracing here; the defaults apply to the region").
			Helped("set `max_num_traces = 0` for it; both read it")
	}
	count := 0
	for item := range l.tree.Items(ref.Args) {
		if count++; count == installed.MaxIDs+1 {
			l.found.Report(upstreamLimit, l.tree.Span(item), "an installed PInsight takes %d regions from one header and drops the rest", installed.MaxIDs)
		}
		text := l.tree.Of(item)
		_, line, file := strings.Cut(text, ":")
		if file && isDigits(line) {
			l.found.Report(upstreamName, l.tree.Span(item), "an installed PInsight takes `%s` for a name", text)
		}
	}
	for i := range s.Units {
		if l.tooLarge(&s.Units[i]) {
			l.found.Report(upstreamLimit, l.tree.Span(s.Units[i].Set), "an installed PInsight knows ids up to %d; this makes it drop the limit, so it traces all units", installed.MaxSetID)
		}
	}
}

// tooLarge reports whether a set has ids that make it unreadable there.
func (l *comparison) tooLarge(ref *syntax.Ref) bool {
	set, err := trace.ParseSet(l.tree.Of(ref.Set), maxUnit)
	return err == nil && !set.Clip(trace.Span{Lo: installed.MaxSetID + 1, Hi: maxUnit}).Empty()
}

// entries is about the keys of a section.
func (l *comparison) entries(s *syntax.Section) {
	ref := &s.Targets[0]
	inRegion := l.tree.Of(ref.Name) == "Lexgion"
	var named [1 << 8]bool // by domain: the section says what its other events are
	for _, i := range s.Inherit {
		if d, ok := l.Catalog.Domain(l.tree.Of(i.Name)); ok {
			named[d] = true
		}
	}
	if !ref.Member.Empty() {
		if d, ok := l.Catalog.Domain(l.tree.Of(ref.Args)); ok {
			named[d] = true
		}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		l.longLine(e.Line)
		l.comment(e.Line, "value")
		key := l.tree.Of(e.Key)
		if inRegion && key == trace.BacktraceKey {
			l.found.Report(upstreamIgnores, l.tree.Span(e.Key), "an installed PInsight ignores this line: it records no calls")
		}
		if regionKeys.Key(key) != nil && key != installed.EndActionKey {
			continue
		}
		domain, name, dotted := strings.Cut(key, ".")
		d, known := l.Catalog.Domain(domain)
		ids := l.Catalog.events[key]
		switch {
		case inRegion && len(ids) > 0:
			// Alone it would switch the others off there, and in Lexgion.default be written over.
			safe := named[ids[0].domain] && (ref.HasArgs || ref.Member.Empty())
			full := l.Catalog.Name(ids[0].domain) + "." + key
			l.found.Report(upstreamIgnores, l.tree.Span(e.Key), "an installed PInsight ignores this line").
				Labelled("needs its domain there").
				Helped("write `%s = %s`; both read it", full, l.tree.Of(e.Value)).Replace(safe, full)
		case inRegion && dotted && known && !named[d]:
			if _, ok := l.Catalog.Event(d, name); ok {
				named[d] = true
				l.found.Report(upstreamAllOff, l.tree.Span(e.Key), "an installed PInsight switches all other events of %s off here", domain).
					Helped("inherit them: `[%s] : %s.default`", l.tree.Of(s.Target), domain)
			}
		case !inRegion && dotted && known:
			if _, ok := l.Catalog.Event(d, name); ok {
				l.found.Report(upstreamIgnores, l.tree.Span(e.Key), "an installed PInsight ignores this line").
					Labelled("must stand without its domain there").
					Helped("write `%s = %s`; both read it", name, l.tree.Of(e.Value)).Replace(true, name)
			} else if _, ok := l.Catalog.Kind(d, name); ok {
				l.lasting[domain] = append(l.lasting[domain], e)
			}
		case !inRegion && (key == siteKey.Name || key == moduleKey.Name):
			l.found.Report(upstreamIgnores, l.tree.Span(e.Key), "an installed PInsight ignores this line").Labelled("is not known there")
		case !inRegion && key == policyKey.Name:
			l.lasting[l.tree.Of(ref.Name)] = append(l.lasting[l.tree.Of(ref.Name)], e)
		case key == installed.EndActionKey && strings.Contains(strings.ReplaceAll(l.tree.Of(e.Value), "\t", " "), " ,"):
			l.found.Report(upstreamMode, l.tree.Span(e.Value), "an installed PInsight reads the mode before the blank as TRACING").
				Helped("write no blank before the comma")
		}
	}
}

// comment reports a comment behind something else.
func (l *comparison) comment(line syntax.Range, of string) bool {
	comment, ok := l.tree.Trailing(line)
	if ok {
		l.found.Report(upstreamComment, comment, "an installed PInsight reads this comment as part of the %s", of).
			Helped("put the comment on a line of its own")
	}
	return ok
}

// ranges compares what both make of each range of units in the file.
func (l *comparison) ranges() {
	for _, s := range l.Domains {
		for _, have := range s.settings {
			for ; have != nil; have = have.Prev {
				if have.kind == rangeSetting && have.Span.File == l.tree.File() {
					l.unitRange(have)
				}
			}
		}
	}
}

func (l *comparison) unitRange(have *Setting) {
	at := have.Span
	at.Start += strings.IndexByte(at.Text(), '(')
	theirs := installed.ParseRange(at.Text())
	spans, usual := have.units.Spans(), l.Catalog.IDs(have.constraint())
	switch {
	case len(spans) != 1 || int32(spans[0].Lo) != theirs.Low || int32(spans[0].Hi) != theirs.High:
		l.found.Report(upstreamRange, at, "an installed PInsight reads `%s`", theirs).
			Helped("write one range; units are chosen in the header of a section")
	case spans[0].Lo > usual.Lo || spans[0].Hi < usual.Hi:
		l.found.Report(upstreamRange, at, "an installed PInsight traces the other units all the same").
			Helped("limit regions in their headers: `[Lexgion(0x400500)] : : %s%s`", have.Key, at.Text())
	}
}

// rates compares the rate of every region with what an installed PInsight
// has for it: Lexgion.default as it was where the region was first written.
func (l *comparison) rates() {
	if len(l.Regions) > installed.MaxRegions {
		return
	}
	seen := map[source.Span]bool{} // a header may name several regions
	for _, s := range l.Regions {
		if !s.Removed.IsZero() || seen[s.At] {
			continue
		}
		for _, key := range rateKeys {
			if have := s.get(key); have != nil && have.kind != resetSetting {
				continue
			}
			if d := l.rate(s, key); d != nil {
				seen[s.At] = true
				l.found.Add(d)
				break
			}
		}
	}
}

func (l *comparison) rate(s *Section, key string) *diag.Diagnostic {
	value := func(have *Setting) string {
		if have == nil || have.kind == resetSetting {
			return regionKeys.Key(key).Default
		}
		return have.Value
	}
	now := l.Default.get(key)
	then := now
	for then != nil && then.Span.Start >= s.At.Start {
		then = then.Prev
	}
	for _, per := range l.PerDomain {
		if s.Match.Domain != "" && s.Match.Domain != l.Catalog.Name(per.Domain) {
			continue
		}
		if have := per.get(key); have != nil && have.kind != resetSetting {
			return diag.New(upstreamRate, s.At, "an installed PInsight does not use `%s` of `%s` for this region", key, per.Name).
				At(have.Span, "set here").Helped("set `%s` in the region itself", key)
		}
		if per.base != nil && value(per.filling(key)) != value(then) {
			return diag.New(upstreamRate, s.At, "an installed PInsight has `%s = %s` for this region, not what `%s` was filled with", key, value(then), per.Name).
				At(per.base.at, "filled here").Helped("set `%s` in the region itself", key)
		}
	}
	if value(then) == value(now) {
		return nil
	}
	return diag.New(upstreamRate, s.At, "an installed PInsight has `%s = %s` for this region, as it was here", key, value(then)).
		At(now.Span, "set later").Helped("write `Lexgion.default` above the region, or set `%s` in it", key)
}
