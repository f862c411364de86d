package pinsight

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// compare returns findings about lines that an installed PInsight reads differently.
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
	reader  *installed.State           // parses lists of units
	lasting map[string][]*syntax.Entry // by domain: the lines that an installed PInsight does not undo at a RESET
}

// does reports whether a section contains an action.
func (l *comparison) does(s *syntax.Section, act syntax.Action) bool {
	have, known := syntax.ParseAction(l.tree.Of(s.Action))
	return known && have == act
}

// sections visits the sections of the file.
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
			if _, known := l.Catalog.Domain(l.tree.Of(ref.Args)); known && l.unknownUpstream(s, l.tree.Of(ref.Args)) {
				continue
			}
			if first, again := perDomain[target]; again && l.does(s, syntax.Set) {
				l.found.Report(upstreamReinit, l.tree.Span(s.Target), "an installed PInsight forgets the earlier `%s`", target).
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

// unknownUpstream reports a section for a domain that an installed PInsight does not have.
func (l *comparison) unknownUpstream(s *syntax.Section, domain string) bool {
	_, has := l.options.upstream().Domain(domain)
	if !has {
		l.found.Report(upstreamIgnores, l.tree.Span(s.Target), "an installed PInsight has no domain `%s` and ignores this section", domain)
	}
	return !has
}

// otherSection checks a section of a domain or of units.
func (l *comparison) otherSection(s *syntax.Section, ref *syntax.Ref) {
	d, known := l.Catalog.Domain(l.tree.Of(ref.Name))
	if !known || l.unknownUpstream(s, l.tree.Of(ref.Name)) {
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
			l.found.Report(upstreamName, l.tree.Span(item), "an installed PInsight reads `%s` as a name", text)
		}
	}
	for i := range s.Units {
		if l.tooLarge(&s.Units[i]) {
			l.found.Report(upstreamLimit, l.tree.Span(s.Units[i].Set), "an installed PInsight knows ids up to %d; this makes it drop the limit, so it traces all units", installed.MaxSetID)
		}
	}
}

// tooLarge reports whether a set has ids that an installed PInsight cannot read.
func (l *comparison) tooLarge(ref *syntax.Ref) bool {
	set, err := trace.ParseSet(l.tree.Of(ref.Set), maxUnit)
	return err == nil && !set.Clip(trace.Span{Lo: installed.MaxSetID + 1, Hi: maxUnit}).Empty()
}

// entries checks the keys of a section.
func (l *comparison) entries(s *syntax.Section) {
	ref := &s.Targets[0]
	inRegion := l.tree.Of(ref.Name) == "Lexgion"
	var named [1 << 8]bool // by domain: the section also sets the other events of the domain
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
			// Unless the section also sets its domain's default, the other events would be switched off; in Lexgion.default, the line would be
			// overwritten.
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
					Labelled("must be written without its domain there").
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

// comment reports a comment at the end of a line.
func (l *comparison) comment(line syntax.Range, of string) bool {
	comment, ok := l.tree.Trailing(line)
	if ok {
		l.found.Report(upstreamComment, comment, "an installed PInsight reads this comment as part of the %s", of).
			Helped("put the comment on a line of its own")
	}
	return ok
}

// ranges compares how Pentode and an installed PInsight read each range of units in the file.
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

// rates compares the rate of every region with its rate in an installed PInsight. There, it is the rate in Lexgion.default at the line where the
// region is first mentioned.
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

// headerForm reports headers in a form that only Pentode can read.
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
			Helped("write them without blanks before the parentheses, one comma between two, and ` : : ` before them if nothing is inherited")
	}
}

// reads reports whether an installed PInsight finds the same kinds of units in the text after a header's bracket.
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

// resetDomain reports the keys that an installed PInsight leaves unchanged at a RESET.
func (l *comparison) resetDomain(s *syntax.Section, domain string) {
	for _, have := range l.lasting[domain] {
		l.found.Report(upstreamRange, l.tree.Span(s.Target), "an installed PInsight keeps `%s` as it is", l.tree.Of(have.Key)).
			At(l.tree.Span(have.Key), "set here").Helped("set it again below")
	}
	delete(l.lasting, domain)
}

// sameName reports regions with the same name in different files. An installed PInsight always uses the first one.
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

// events reports regions for which an installed PInsight traces more events, because a region without its own events does not get the events of
// the domain.
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
				At(off.Span, "this does not reach regions with their own section").
				Helped("inherit the events: `[%s] : %s.default`", s.Name, name)
		}
	}
}

// switchedOff returns the first event that a default switches off.
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

// names reports whether a section sets or inherits events of a domain.
func (l *comparison) names(s *Section, of eventID) bool {
	for have := range s.live {
		if have.kind == eventSetting && have.Event.domain == of.domain {
			return true
		}
	}
	return slices.ContainsFunc(s.inherit, func(snap *snapshot) bool { return snap.domain == of.domain })
}

// namesAbove is like names, but only for the lines above a place, at which an installed PInsight copies the section.
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

// filled reports events of Lexgion.default, which an installed PInsight overwrites with the events of each domain.
func (l *comparison) filled() {
	for have := range l.Default.live {
		if have.kind == eventSetting && have.Span.File == l.tree.File() {
			domain := l.Catalog.Name(have.Event.domain)
			l.found.Report(upstreamFilled, have.Span, "an installed PInsight uses this only for regions with their own section").
				Helped("write it in `[Lexgion(%s).default]`; both read it", domain)
		}
	}
	for _, snap := range l.Default.inherit {
		if snap.at.File == l.tree.File() && l.fillsOther(snap) {
			l.found.Report(upstreamFilled, snap.at, "an installed PInsight uses this only for regions with their own section").
				Helped("inherit it in `[Lexgion(%s).default]`, below its inheritance", l.Catalog.Name(snap.domain))
		}
	}
}

// fillsOther reports whether Lexgion(D).default gets events other than those that Lexgion.default inherited, or whether sections for units apply
// too.
func (l *comparison) fillsOther(snap *snapshot) bool {
	fill := l.PerDomain[snap.domain].base
	if fill == nil {
		fill = l.Domains[snap.domain].snapshot(snap.at)
	}
	return !slices.Equal(fill.events, snap.events) ||
		slices.ContainsFunc(l.Units, func(s *Section) bool { return s.Domain == snap.domain })
}

// copied reports regions for which an installed PInsight keeps outdated events: it copied them from Lexgion.default before they changed.
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

// inherited reports sections that inherit from a domain after they set events of that domain. An installed PInsight replaces these events by the
// inherited ones.
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

// parallel reports settings that an installed PInsight does not apply to parallel regions.
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
		copies := s.inherit // copies remain after a RESET of the section they came from
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
			continue // not a parallel region, but for instance a process of a pipeline
		}
		if at := s.Units[0].Place; !seen[at] && at.File == l.tree.File() {
			seen[at] = true
			l.found.Report(upstreamParallel, at, "an installed PInsight traces the beginning and the end of parallel regions on all units")
		}
	}
}

// knobs reports knobs that exceed the table of an installed PInsight.
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
