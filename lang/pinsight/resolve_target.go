package pinsight

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

var serviceNames = []string{"Knob", "Energy", "Manifest"}

// target finds what a header is for, and carries out RESET and REMOVE.
func (r *resolver) target(s *syntax.Section, act action) (target, bool) {
	if len(s.Targets) == 0 {
		r.report(badTarget, r.tree.RangeSpan(s.Line), "the section header names no target").
			Helped("write for instance `[OpenMP.default]` or `[Lexgion(0x400500)]`")
		return target{}, false
	}
	ref := &s.Targets[0]
	name, member := r.tree.Of(ref.Name), r.tree.Of(ref.Member)
	if len(s.Targets) > 1 && (member == "default" || name == "Lexgion" || slices.Contains(serviceNames, name)) {
		r.report(badTarget, r.tree.Span(s.Targets[1].Text), "only units can be listed; `%s` is a section of its own", r.tree.Of(s.Targets[1].Text)).
			Helped("write a section for each; several regions are `[Lexgion(0x400500, 0x400600)]`")
		return target{}, false
	}
	switch {
	case name == "Lexgion":
		return r.regionTarget(s, ref, act)
	case slices.Contains(serviceNames, name) && !ref.HasArgs && member == "" && !ref.Odd:
		return r.serviceTarget(s, name, act)
	case member == "default" && !ref.HasSet && !ref.Odd:
		return r.domainTarget(s, ref, act)
	case ref.HasSet && !ref.HasArgs && !ref.Odd:
		return r.unitTarget(s, act)
	}
	r.oddTarget(s, ref)
	return target{}, false
}

// unclosed says that a parenthesis is missing, if one is.
func (r *resolver) unclosed(span source.Span) bool {
	text := span.Text()
	if strings.Count(text, "(") <= strings.Count(text, ")") {
		return false
	}
	r.report(badTarget, span, "`%s` has no `)`", text).Helped("close the parenthesis: `%s)`", text)
	return true
}

// oddTarget says what a target without a form could have been.
func (r *resolver) oddTarget(s *syntax.Section, ref *syntax.Ref) {
	span := r.tree.Span(s.Target)
	if r.unclosed(span) {
		return
	}
	d := r.report(unknownSection, span, "`%s` is not a section of a trace configuration", span.Text())
	name := r.tree.Of(ref.Name)
	id, known := r.Catalog.Domain(name)
	_, hex := parseAddress(span.Text())
	switch {
	case known && ref.Member.Empty() && !ref.HasArgs:
		d.Helped("did you mean `%s.default`?", name).Replace(false, name+".default")
	case known && !ref.Member.Empty():
		oddMember(d, name, r.tree.Of(ref.Member), r.Catalog.kindNames(id))
	case hex:
		d.Helped("did you mean `Lexgion(%s)`?", span.Text()).Replace(false, "Lexgion("+span.Text()+")")
	default:
		d.Suggest(false, append(r.Catalog.domainNames(), append([]string{"Lexgion.default"}, serviceNames...)...)...)
		if len(d.Help) == 0 {
			d.Helped("sections are `Domain.default`, `Domain.Kind(Set)`, `Lexgion.default`, `Lexgion(Domain).default` and `Lexgion(Address)`")
		}
	}
}

// oddMember says what the second part of `Domain.member` could have been.
func oddMember(d *diag.Diagnostic, domain, member string, kinds []string) {
	const dflt = "default"
	kind, _ := problem.Nearest(member, append([]string{dflt}, kinds...))
	switch {
	case kind == dflt:
		d.Helped("did you mean `%s.%s`?", domain, dflt).Replace(true, domain+"."+dflt)
		return
	case slices.Contains(kinds, member):
		kind = member
	case kind == "" && len(kinds) > 0:
		kind = kinds[0]
	}
	d.Helped("write the units in parentheses: `%s.%s(0-3)`", domain, cmp.Or(kind, "Kind"))
}

// wrong says that the target does not have the action.
func (r *resolver) wrong(s *syntax.Section, act action, use string) {
	r.report(wrongAction, r.tree.Span(s.Action), "`%s` cannot be %s", r.tree.Of(s.Target), map[action]string{actionReset: "RESET", actionRemove: "REMOVEd"}[act]).
		Helped("use %s", use)
}

func (r *resolver) serviceTarget(s *syntax.Section, name string, act action) (target, bool) {
	if act != actionSet {
		r.wrong(s, act, "keys: `"+name+"` can only be SET")
		return target{}, false
	}
	return target{kind: service, sections: []*Section{r.Services[slices.Index(serviceNames, name)]}}, true
}

func (r *resolver) domainTarget(s *syntax.Section, ref *syntax.Ref, act action) (target, bool) {
	d, ok := r.Catalog.Domain(r.tree.Of(ref.Name))
	if !ok {
		r.unknownDomain(ref.Name, []string{"Lexgion"})
		return target{}, false
	}
	t := target{kind: domainDefault, domain: d, sections: []*Section{r.Domains[d]}}
	if ref.HasArgs {
		t.group = r.tree.Of(ref.Args)
		var groups []string
		for _, e := range r.Catalog.Domains()[d].Events {
			if !slices.Contains(groups, e.Subdomain) {
				groups = append(groups, e.Subdomain)
			}
		}
		if !slices.Contains(groups, t.group) {
			r.report(unknownSection, r.tree.Span(ref.Args), "%s has no group of events `%s`; there are %s",
				r.tree.Of(ref.Name), t.group, strings.Join(groups, ", ")).Suggest(true, groups...)
			return target{}, false
		}
	}
	switch act {
	case actionRemove:
		r.wrong(s, act, "RESET to go back to the install defaults")
		return target{}, false
	case actionReset:
		r.resetDomain(t, r.tree.Span(s.Target))
	}
	return t, true
}

// resetDomain takes D.default back, or the events of one group of it.
func (r *resolver) resetDomain(t target, at source.Span) {
	delete(r.snapshots, t.domain)
	if t.group == "" {
		r.Domains[t.domain].clear(at)
		return
	}
	r.Domains[t.domain].clearSome(at, func(have *Setting) bool {
		return have.kind == eventSetting && r.Catalog.event(have.Event).Subdomain == t.group
	})
}

func (r *resolver) regionTarget(s *syntax.Section, ref *syntax.Ref, act action) (target, bool) {
	member := r.tree.Of(ref.Member)
	switch {
	case ref.Odd || ref.HasSet || !ref.Member.Empty() && member != "default" || member == "" && !ref.HasArgs:
		if span := r.tree.Span(s.Target); !r.unclosed(span) {
			d := r.report(badTarget, span, "`%s` is not a target", span.Text()).Suggest(true, "Lexgion.default")
			if len(d.Help) == 0 {
				d.Helped("regions are `Lexgion.default`, `Lexgion(OpenMP).default` and `Lexgion(0x400500)`, without blanks before the parenthesis")
			}
		}
		return target{}, false
	case member == "default" && !ref.HasArgs:
		if !r.defaultAction(s, r.Default, act) {
			return target{}, false
		}
		return target{kind: regionDefault, sections: []*Section{r.Default}}, true
	case member == "default":
		d, ok := r.Catalog.Domain(r.tree.Of(ref.Args))
		if !ok {
			r.unknownDomain(ref.Args, nil)
			return target{}, false
		}
		sec := r.PerDomain[d]
		if !r.defaultAction(s, sec, act) {
			return target{}, false
		}
		if act == actionReset {
			sec.base = r.snapshot(d, r.tree.Span(s.Target))
		}
		return target{kind: regionDomainDefault, domain: d, sections: []*Section{sec}}, true
	}
	return r.singleRegions(s, ref, act)
}

// defaultAction carries out RESET of a Lexgion default.
func (r *resolver) defaultAction(s *syntax.Section, sec *Section, act action) bool {
	switch act {
	case actionRemove:
		r.wrong(s, act, "RESET to go back to the default")
		return false
	case actionReset:
		sec.clear(r.tree.Span(s.Target))
	}
	return true
}

// singleRegions finds the sections of single regions.
func (r *resolver) singleRegions(s *syntax.Section, ref *syntax.Ref, act action) (target, bool) {
	if act == actionReset {
		r.wrong(s, act, "REMOVE to stop tracing the region")
		return target{}, false
	}
	t := target{kind: region, sections: r.found[:0]}
	named := false
	for item := range r.tree.Items(ref.Args) {
		named = true
		for _, match := range r.matches(item) {
			sec := r.regionOf(match, len(s.Entries))
			if sec.header == r.headers {
				r.report(repeatedSection, r.tree.Span(item), "`%s` is named twice in this header", r.tree.Of(item)).
					Helped("leave one out")
				continue
			}
			sec.header = r.headers
			sec.byLine = r.byLine
			if act == actionRemove {
				sec.clear(r.tree.Span(item))
				sec.Units, sec.At, sec.Removed = nil, r.tree.Span(item), r.tree.Span(item)
			}
			t.sections = append(t.sections, sec)
		}
	}
	if !named {
		r.report(badTarget, r.tree.Span(s.Target), "`%s` names no region", r.tree.Of(s.Target)).
			Helped("write its address: `Lexgion(0x400500)`")
	}
	r.found = t.sections
	return t, len(t.sections) > 0
}

// regionOf finds or makes the section of a region; keys is how many to expect.
func (r *resolver) regionOf(m trace.Match, keys int) *Section {
	sec := r.byAddress[m.Address]
	if m.Address == 0 {
		sec = r.byName[m]
	}
	if sec != nil {
		return sec
	}
	sec = keep(&r.sectionRoom, Section{Name: regionName(m), Match: m, settings: r.room(keys)})
	if m.Address == 0 {
		r.byName[m] = sec
	} else {
		r.byAddress[m.Address] = sec
	}
	r.Regions = append(r.Regions, sec)
	return sec
}

// room is an empty list for so many settings.
func (r *resolver) room(keys int) []*Setting {
	at := len(r.listRoom)
	if cap(r.listRoom)-at < keys {
		r.listRoom, at = make([]*Setting, 0, max(keys, 4096)), 0
	}
	r.listRoom = r.listRoom[:at+keys]
	return r.listRoom[at : at : at+keys]
}

// regionName is `Lexgion(0x400500)`; files have thousands of these.
func regionName(m trace.Match) string {
	if m.Address == 0 {
		return m.String()
	}
	b := append(make([]byte, 0, 32), "Lexgion(0x"...)
	return string(append(strconv.AppendUint(b, m.Address, 16), ')'))
}

// matches reads an address, a name, or a file and line, which may be in
// several functions; nothing where it is none of these.
func (r *resolver) matches(item syntax.Text) []trace.Match {
	text, span := r.tree.Of(item), r.tree.Span(item)
	r.matched, r.byLine = r.matched[:0], false
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		address, ok := parseAddress(text)
		if !ok {
			r.report(badAddress, span, "`%s` is not an address; it has `0x` and 1 to 16 hexadecimal digits, and is not 0", text)
			return nil
		}
		r.matched = append(r.matched, trace.Match{Address: address})
		return r.matched
	}
	parts := strings.Split(text, ":")
	if len(parts) > 1 && isDigits(parts[len(parts)-1]) {
		r.sourceLine(text, span)
		return r.matched
	}
	m, ok := r.named(parts)
	if !ok {
		d := r.report(badTarget, span, "`%s` names no region; a name is `name`, `Domain:name`, `file:name` or `Domain:file:name`", text)
		if strings.Contains(text, "::") {
			d.Helped("a name cannot have `::` in it; write the linker's name of the function, or its file and line")
		}
		return nil
	}
	if len(parts) == 1 && text[0] >= '0' && text[0] <= '9' {
		d := r.report(numberName, span, "`%s` is read as a name; an address begins with `0x`", text)
		if _, ok := parseAddress("0x" + text); ok {
			d.Helped("did you mean `0x%s`?", text).Replace(false, "0x"+text)
		}
	}
	r.matched = append(r.matched, m)
	return r.matched
}

// named reads the name of a region, with domain and file before it or without.
func (r *resolver) named(parts []string) (trace.Match, bool) {
	m := trace.Match{Name: parts[len(parts)-1]}
	_, domain := r.Catalog.Domain(parts[0])
	switch {
	case len(parts) == 1:
	case len(parts) == 2 && domain:
		m.Domain = parts[0]
	case len(parts) == 2 && parts[0] != "":
		m.File = parts[0]
	case len(parts) == 3 && domain:
		m.Domain, m.File = parts[0], parts[1]
	default:
		return m, false
	}
	return m, m.Name != ""
}

// sourceLine finds the addresses of `file:line` through the program, if there is one.
func (r *resolver) sourceLine(text string, span source.Span) {
	var addresses []uint64
	if r.program == nil {
		r.report(needsProgram, span, "`%s` is a line of source, and becomes an address only with the program", text).
			Helped("give the program with --elf FILE")
	} else {
		i := strings.LastIndexByte(text, ':')
		line, err := strconv.Atoi(text[i+1:])
		if err != nil {
			line = math.MaxInt // more than any file has
		}
		if addresses, err = r.program.Places(text[:i], line); err != nil {
			r.report(needsProgram, span, "the program has no code at `%s`", text).Note("%s", err)
		}
	}
	r.byLine = true
	for _, address := range addresses {
		r.matched = append(r.matched, trace.Match{Address: address})
	}
	if len(addresses) == 0 {
		r.matched = append(r.matched, trace.Match{Name: text})
	}
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func parseAddress(text string) (uint64, bool) {
	if len(text) < 3 || text[0] != '0' || text[1] != 'x' && text[1] != 'X' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:], 16, 64)
	return n, err == nil && n != 0
}

// unitTarget finds or removes a section for units.
func (r *resolver) unitTarget(s *syntax.Section, act action) (target, bool) {
	if len(s.Targets) == 1 && r.tree.Of(s.Targets[0].Set) == "*" {
		return r.wildcardTarget(s, act)
	}
	var sets []unitSet
	for i := range s.Targets {
		u, ok := r.unitRef(&s.Targets[i])
		if !ok {
			return target{}, false
		}
		if len(sets) > 0 && u.domain != sets[0].domain {
			r.report(mixedTarget, u.span, "a section is for units of one domain; `%s` belongs to another", u.span.Text()).
				Helped("write it in the third part: `[%s] : : %s`", sets[0].span.Text(), u.span.Text())
			return target{}, false
		}
		sets = replaceUnits(sets, []unitSet{u})
	}
	if act == actionReset {
		r.wrong(s, act, "REMOVE to let the units fall back to the domain's default")
		return target{}, false
	}
	slices.SortFunc(sets, func(a, b unitSet) int { return int(a.kind) - int(b.kind) })
	name := unitsText(sets)
	sec := r.units[name]
	if act == actionRemove {
		r.Dropped = append(r.Dropped, &Section{Name: name, Domain: sets[0].domain, Target: sets, At: r.tree.Span(s.Target)})
		if sec == nil {
			r.nothing(s, sets)
			return target{}, false
		}
		r.drop(sec)
		return target{kind: domainUnits, sections: []*Section{sec}}, true
	}
	for _, u := range sets {
		r.inRange(u)
	}
	if sec == nil {
		sec = &Section{Name: name, Domain: sets[0].domain, Target: sets}
		r.units[name] = sec
		r.Units = append(r.Units, sec)
	}
	return target{kind: domainUnits, domain: sec.Domain, sections: []*Section{sec}}, true
}

func (r *resolver) drop(sec *Section) {
	delete(r.units, sec.Name)
	sec.dropped = true // those that stay are told at the end, at once
}

// mostOverlaps is from how many findings on nobody reads what overlaps.
const mostOverlaps = 200

func (r *resolver) nothing(s *syntax.Section, sets []unitSet) {
	span := r.tree.Span(s.Target)
	d := r.report(nothingToRemove, span, "there is no section `%s` to remove", span.Text())
	if len(r.problems) > mostOverlaps {
		return
	}
	for _, have := range r.Units {
		if !have.dropped && have.Domain == sets[0].domain && have.Target[0].kind == sets[0].kind && have.Target[0].set.Overlaps(sets[0].set) {
			d.At(have.At, "`%s` overlaps it", have.Name)
		}
	}
	if len(d.Labels) > 0 {
		d.Helped("name exactly the set of a section, or remove all with `(*)`")
	}
}

// wildcardTarget is REMOVE D.Kind(*).
func (r *resolver) wildcardTarget(s *syntax.Section, act action) (target, bool) {
	ref := &s.Targets[0]
	d, k, ok := r.kind(ref)
	if !ok {
		return target{}, false
	}
	if act != actionRemove {
		r.report(wildcard, r.tree.Span(ref.Set), "`(*)` goes with REMOVE only").
			Helped("name the units, for instance `(0-3)`; all units of a domain are `%s.default`", r.Catalog.domainName(d))
		return target{}, false
	}
	name := r.tree.Of(ref.Name) + "." + r.tree.Of(ref.Member)
	all := []unitSet{{domain: d, kind: k, name: name, set: trace.AllUnits(), span: r.tree.Span(ref.Text)}}
	r.Dropped = append(r.Dropped, &Section{Name: name + "(*)", Domain: d, Target: all, At: r.tree.Span(s.Target)})
	for _, sec := range r.Units {
		if !sec.dropped && slices.ContainsFunc(sec.Target, func(u unitSet) bool { return u.kind == k }) {
			r.drop(sec)
		}
	}
	return target{kind: domainUnits, domain: d}, true
}

// kind finds the domain and kind of `Domain.Kind(Set)`.
func (r *resolver) kind(ref *syntax.Ref) (trace.DomainID, trace.KindID, bool) {
	d, ok := r.Catalog.Domain(r.tree.Of(ref.Name))
	if !ok {
		r.unknownDomain(ref.Name, nil)
		return 0, 0, false
	}
	k, ok := r.Catalog.Kind(d, r.tree.Of(ref.Member))
	if !ok {
		names := r.Catalog.kindNames(d)
		r.report(unknownKind, r.tree.Span(ref.Member), "%s has no units called `%s`; it has %s",
			r.Catalog.domainName(d), r.tree.Of(ref.Member), strings.Join(names, ", ")).Suggest(true, names...)
		return 0, 0, false
	}
	return d, k, true
}

// unitRef reads `Domain.Kind(Set)`.
func (r *resolver) unitRef(ref *syntax.Ref) (unitSet, bool) {
	span := r.tree.Span(ref.Text)
	if (ref.Odd || ref.HasArgs || !ref.HasSet) && r.unclosed(span) {
		return unitSet{}, false
	}
	if ref.Odd || ref.HasArgs || !ref.HasSet {
		r.report(badTarget, span, "`%s` names no units; they are written `Domain.Kind(Set)`", span.Text()).
			Helped("for instance `MPI.rank(0-3)`")
		return unitSet{}, false
	}
	d, k, ok := r.kind(ref)
	if !ok {
		return unitSet{}, false
	}
	if r.tree.Of(ref.Set) == "*" {
		r.report(wildcard, r.tree.Span(ref.Set), "`(*)` goes with REMOVE only").Helped("leave the constraint out to allow all units")
		return unitSet{}, false
	}
	set, ok := r.set(ref.Set)
	if !ok {
		return unitSet{}, false
	}
	u := unitSet{domain: d, kind: k, name: r.tree.Of(ref.Name) + "." + r.tree.Of(ref.Member), set: set, span: span}
	if set.Empty() {
		r.report(emptySet, span, "`%s` holds no units, so this never applies", span.Text()).Helped("name at least one unit")
	}
	return u, true
}

// inRange warns about ids that the kind does not have.
func (r *resolver) inRange(u unitSet) {
	low, high := r.kindRange(u)
	spans := u.set.Spans()
	for _, s := range spans {
		if s.Lo < low || s.Hi > high {
			r.report(outsideRange, u.span, "%s has the ids %d to %d; `%s` goes beyond", u.name, low, high, rangeText(s.Lo, s.Hi)).
				Helped("widen the range first: `%s = (0-%d)` in `[%s.default]`", u.name, max(high, spans[len(spans)-1].Hi), r.Catalog.domainName(u.domain))
			return
		}
	}
}

// rangeText is a range as it is written.
func rangeText(low, high uint32) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d-%d", low, high)
}

// kindRange is the catalogue's range of a kind, or the one that D.default sets.
func (r *resolver) kindRange(u unitSet) (low, high uint32) {
	if have := r.Domains[u.domain].get(u.name); have != nil && have.kind == rangeSetting {
		if set, problem := parseSet(strings.Trim(have.Value, "()"), maxUnit); problem == nil && !set.Empty() {
			spans := set.Spans()
			return spans[0].Lo, spans[len(spans)-1].Hi
		}
	}
	_, member, _ := strings.Cut(u.name, ".")
	for _, k := range r.Catalog.Domains()[u.domain].Kinds {
		if k.Name == member {
			return k.Low, k.High
		}
	}
	return 0, maxUnit
}

// unitsText is the canonical form of sets: `OpenMP.team(0-1), OpenMP.thread(2-3)`.
func unitsText(sets []unitSet) string {
	var parts []string
	for _, u := range sets {
		parts = append(parts, fmt.Sprintf("%s(%s)", u.name, u.set))
	}
	return strings.Join(parts, ", ")
}
