package pinsight

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// reader parses the headers and lines of a tree and adds findings to list. While resolving, list is nil: resolve only records where the errors are,
// and check parses those places again with a list.
type reader struct {
	*Model
	tree    *syntax.Tree
	list    *diag.List
	wrong   bool        // a mistake was found since this was last set to false
	regions []regionRef // buffer for the regions of one header
}

func (r *reader) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	r.wrong = true
	return r.list.Report(code, span, format, args...)
}

// header is the meaning of a section header.
type header struct {
	target
	act     syntax.Action
	regions []regionRef       // for Lexgion(address or name)
	units   trace.Constraints // for D.Kind(Set)
	inherit []inheritRef
	limits  trace.Constraints // the third part
}

// inheritRef is a domain whose default a header inherits.
type inheritRef struct {
	domain trace.DomainID
	at     source.Span
}

// header reads a header. It returns false if the section cannot be used.
func (r *reader) header(s *syntax.Section) (h header, ok bool) {
	if h.act, ok = r.action(s); !ok {
		return h, false
	}
	if !r.target(s, &h) {
		return h, false
	}
	if h.act != syntax.Set {
		r.noBody(s, h.act)
		return h, true
	}
	r.inheritance(s, &h)
	r.limits(s, &h)
	return h, true
}

// action reads the word before the target.
func (r *reader) action(s *syntax.Section) (syntax.Action, bool) {
	word := r.tree.Of(s.Action)
	act, ok := syntax.ParseAction(word)
	if !ok {
		d := r.report(unknownAction, r.tree.Span(s.Action), "`%s` is not an action; there are SET, RESET and REMOVE", word).
			Suggest(false, "SET", "RESET", "REMOVE")
		if _, known := r.Catalog.Domain(word); known || word == "Lexgion" {
			d.Helped("a target has no blanks in it: `Lexgion(0x400500)`, `OpenMP.default`, `OpenMP.thread(0-3)`")
		}
	}
	return act, ok
}

// noBody reports keys and parts of the header that are not allowed with RESET and REMOVE.
func (r *reader) noBody(s *syntax.Section, act syntax.Action) {
	switch {
	case len(s.Entries) > 0:
		r.report(bodyAfterAction, r.tree.Span(s.Entries[0].Key), "%s has no keys, so this one is not read", act).
			At(r.tree.Span(s.Action), "%s here", act).
			Helped("end it, and begin a section `[%s]` for the keys", r.tree.Of(s.Target))
	case s.Colons > 0:
		end := r.tree.RangeSpan(s.Line)
		r.report(bodyAfterAction, source.Span{File: end.File, Start: int(s.Target.End) + 1, End: end.End}, "%s takes nothing after the `]`", act).
			Helped("leave it out")
	}
}

// inheritance reads the second part of the header.
func (r *reader) inheritance(s *syntax.Section, h *header) {
	if (h.kind == domainDefault || h.kind == service) && len(s.Inherit) > 0 {
		r.report(inheritanceHere, r.all(s.Inherit), "`%s` cannot inherit: other sections inherit from it", r.tree.Of(s.Target)).
			Helped("inheritance is for regions and for units of a domain")
		return
	}
	for i := range s.Inherit {
		ref := &s.Inherit[i]
		span, name := r.tree.Span(ref.Text), r.tree.Of(ref.Name)
		if ref.Odd || ref.HasArgs || ref.HasSet || r.tree.Of(ref.Member) != "default" || name == "Lexgion" {
			d := r.report(badInheritance, span, "`%s` cannot be inherited from; only a domain's default can", span.Text())
			switch {
			case ref.HasSet && s.Colons == 1:
				d.Helped("write units in the third part: `[%s] : : %s`", r.tree.Of(s.Target), span.Text())
				continue
			case name != "Lexgion" && !ref.HasSet:
				d.Suggest(true, name+".default")
			}
			if len(d.Help) == 0 {
				d.Helped("write the domain, for instance `OpenMP.default`")
			}
			continue
		}
		if own := r.Catalog.Name(h.domain); h.kind == domainUnits && name != own {
			r.report(badInheritance, span, "units of %s inherit events of %s only", own, own).Helped("write `%s.default`", own)
		} else if d, ok := r.domain(ref.Name); ok {
			h.inherit = append(h.inherit, inheritRef{d, span})
		}
	}
}

// limits reads the third part of the header.
func (r *reader) limits(s *syntax.Section, h *header) {
	if h.kind != domainUnits && h.kind != region && len(s.Units) > 0 {
		d := r.report(unitsHere, r.all(s.Units), "`%s` cannot be limited to units", r.tree.Of(s.Target))
		if h.kind == domainDefault {
			d.Helped("limit the domain with a key, for instance `OpenMP.team = (0-3)`")
		} else {
			d.Helped("limit single regions, or the domain with a key such as `OpenMP.team = (0-3)`")
		}
		return
	}
	for i := range s.Units {
		if c, ok := r.constraint(&s.Units[i]); ok {
			h.limits = append(h.limits, c)
		}
	}
}

// all returns the place of a whole list of names.
func (r *reader) all(refs []syntax.Ref) source.Span {
	return r.tree.Span(refs[0].Text).To(r.tree.Span(refs[len(refs)-1].Text))
}

// domain finds a domain by its name. more are other names that may be suggested.
func (r *reader) domain(name syntax.Text, more ...string) (trace.DomainID, bool) {
	d, ok := r.Catalog.Domain(strings.TrimSpace(r.tree.Of(name)))
	if r.wrong = r.wrong || !ok; !ok && r.list != nil { // the names are needed only for the message
		names := r.Catalog.DomainNames()
		r.report(unknownDomain, r.tree.Span(name), "`%s` is not a domain; there are %s", r.tree.Of(name), strings.Join(names, ", ")).
			Suggest(true, append(names, more...)...)
	}
	return d, ok
}

// constraint reads `Domain.Kind(Set)`.
func (r *reader) constraint(ref *syntax.Ref) (trace.Constraint, bool) {
	c := trace.Constraint{Domain: r.tree.Of(ref.Name), Kind: r.tree.Of(ref.Member), Place: r.tree.Span(ref.Text)}
	if ref.Odd || ref.HasArgs || !ref.HasSet {
		if !r.unclosed(c.Place) {
			r.report(badTarget, c.Place, "`%s` names no units; they are written `Domain.Kind(Set)`", c.Place.Text()).
				Helped("for instance `MPI.rank(0-3)`")
		}
		return c, false
	}
	if _, ok := r.kind(ref); !ok {
		return c, false
	}
	if r.tree.Of(ref.Set) == "*" {
		r.report(wildcard, r.tree.Span(ref.Set), "`(*)` goes with REMOVE only").Helped("leave the constraint out to allow all units")
		return c, false
	}
	set, ok := r.set(ref.Set)
	c.Set = set
	return c, ok
}

// kind finds the domain of `Domain.Kind(Set)`, if that domain has the kind.
func (r *reader) kind(ref *syntax.Ref) (trace.DomainID, bool) {
	d, ok := r.domain(ref.Name)
	if !ok {
		return d, false
	}
	if _, ok = r.Catalog.Kind(d, r.tree.Of(ref.Member)); !ok {
		r.noKind(d, ref.Member)
	}
	return d, ok
}

func (r *reader) noKind(d trace.DomainID, at syntax.Text) {
	names := r.Catalog.KindNames(d)
	r.report(unknownKind, r.tree.Span(at), "%s has no units called `%s`; it has %s",
		r.Catalog.Name(d), strings.TrimSpace(r.tree.Of(at)), strings.Join(names, ", ")).Suggest(true, names...)
}

// maxUnit is the largest id of a unit.
const maxUnit = 1<<31 - 1

// set reads a set of units.
func (r *reader) set(x syntax.Text) (trace.Set, bool) {
	set, err := trace.ParseSet(r.tree.Of(x), maxUnit)
	if err != nil {
		at := syntax.Text{Start: x.Start + int32(err.Start), End: x.Start + int32(err.End)}
		r.report(badSet, r.tree.Span(at), "%s", err.Message).
			Helped("a set is numbers and ranges with commas between them, for instance `0-3, 7`")
	}
	return set, err == nil
}

// target reads the target of a header.
func (r *reader) target(s *syntax.Section, h *header) bool {
	if len(s.Targets) == 0 {
		r.report(badTarget, r.tree.RangeSpan(s.Line), "the section header names no target").
			Helped("write for instance `[OpenMP.default]` or `[Lexgion(0x400500)]`")
		return false
	}
	ref := &s.Targets[0]
	name, member := r.tree.Of(ref.Name), r.tree.Of(ref.Member)
	isService := slices.Contains(serviceNames, name)
	if len(s.Targets) > 1 && (member == "default" || name == "Lexgion" || isService) {
		second := r.tree.Span(s.Targets[1].Text)
		r.report(badTarget, second, "only units can be listed; `%s` is a separate section", second.Text()).
			Helped("write a section for each; several regions are `[Lexgion(0x400500, 0x400600)]`")
		return false
	}
	switch {
	case name == "Lexgion":
		return r.regionTarget(s, ref, h)
	case isService && !ref.HasArgs && member == "" && !ref.Odd:
		h.kind, h.keys = service, serviceSchema(name)
		return h.act == syntax.Set || r.refuse(s, h, "keys: `"+name+"` can only be SET")
	case member == "default" && !ref.HasSet && !ref.Odd:
		return r.domainTarget(s, ref, h)
	case ref.HasSet && !ref.HasArgs && !ref.Odd:
		return r.unitTarget(s, h)
	}
	r.unknownSection(r.tree.Span(s.Target), ref)
	return false
}

// unclosed reports a missing parenthesis, if one is missing.
func (r *reader) unclosed(span source.Span) bool {
	text := span.Text()
	if strings.Count(text, "(") <= strings.Count(text, ")") {
		return false
	}
	r.report(badTarget, span, "`%s` has no `)`", text).Helped("close the parenthesis: `%s)`", text)
	return true
}

// unknownSection reports a target that is not a section, and suggests a similar one.
func (r *reader) unknownSection(span source.Span, ref *syntax.Ref) {
	if r.unclosed(span) {
		return
	}
	d := r.report(unknownSection, span, "`%s` is not a section of a trace configuration", span.Text())
	name := r.tree.Of(ref.Name)
	id, known := r.Catalog.Domain(name)
	_, hex := parseAddress(span.Text())
	switch {
	case known && ref.Member.Empty() && !ref.HasArgs:
		d.Helped("%s", problem.DidYouMean(name+".default")).Replace(false, name+".default")
	case known && !ref.Member.Empty():
		suggestMember(d, name, r.tree.Of(ref.Member), r.Catalog.KindNames(id))
	case hex:
		d.Helped("%s", problem.DidYouMean("Lexgion("+span.Text()+")")).Replace(false, "Lexgion("+span.Text()+")")
	default:
		d.Suggest(false, slices.Concat(r.Catalog.DomainNames(), []string{"Lexgion.default"}, serviceNames)...)
		if len(d.Help) == 0 {
			d.Helped("sections are `Domain.default`, `Domain.Kind(Set)`, `Lexgion.default`, `Lexgion(Domain).default` and `Lexgion(Address)`")
		}
	}
}

// suggestMember suggests the intended second part of `Domain.member`.
func suggestMember(d *diag.Diagnostic, domain, member string, kinds []string) {
	const dflt = "default"
	members := append([]string{dflt}, kinds...)
	kind, _ := problem.Nearest(member, members)
	switch {
	case kind == dflt:
		d.Helped("%s", problem.DidYouMean(domain+"."+dflt)).Spell(problem.Misspelt(member, members), domain+"."+dflt)
		return
	case member == "global":
		d.Helped("`Domain.global` of older files is `Domain.default` now: write `%s.%s`", domain, dflt).Replace(false, domain+"."+dflt)
		return
	case slices.Contains(kinds, member):
		kind = member
	case kind == "" && len(kinds) > 0:
		kind = kinds[0]
	}
	d.Helped("write the units in parentheses: `%s.%s(0-3)`", domain, cmp.Or(kind, "Kind"))
}

// refuse reports that an action is not allowed for the target.
func (r *reader) refuse(s *syntax.Section, h *header, use string) bool {
	done := map[syntax.Action]string{syntax.Reset: "RESET", syntax.Remove: "REMOVEd"}[h.act]
	r.report(wrongAction, r.tree.Span(s.Action), "`%s` cannot be %s", r.tree.Of(s.Target), done).Helped("use %s", use)
	return false
}

// domainTarget reads `Domain.default` and `Domain(group).default`.
func (r *reader) domainTarget(s *syntax.Section, ref *syntax.Ref, h *header) (ok bool) {
	h.kind, h.keys = domainDefault, &domainKeys
	if h.domain, ok = r.domain(ref.Name, "Lexgion"); !ok {
		return false
	}
	if ref.HasArgs {
		h.group = r.tree.Of(ref.Args)
		if groups := r.Catalog.groups(h.domain); !slices.Contains(groups, h.group) {
			r.report(unknownSection, r.tree.Span(ref.Args), "%s has no group of events `%s`; there are %s",
				r.tree.Of(ref.Name), h.group, strings.Join(groups, ", ")).Suggest(true, groups...)
			return false
		}
	}
	return h.act != syntax.Remove || r.refuse(s, h, "RESET to go back to the install defaults")
}

// regionTarget reads `Lexgion.default`, `Lexgion(Domain).default` and single regions.
func (r *reader) regionTarget(s *syntax.Section, ref *syntax.Ref, h *header) (ok bool) {
	h.keys = &regionKeys
	switch member := r.tree.Of(ref.Member); {
	case ref.Odd || ref.HasSet || member != "" && member != "default" || member == "" && !ref.HasArgs:
		if span := r.tree.Span(s.Target); !r.unclosed(span) {
			d := r.report(badTarget, span, "`%s` is not a target", span.Text()).Suggest(true, "Lexgion.default")
			if len(d.Help) == 0 {
				d.Helped("regions are `Lexgion.default`, `Lexgion(OpenMP).default` and `Lexgion(0x400500)`, without blanks before the parenthesis")
			}
		}
		return false
	case member == "":
		h.kind = region
		return r.singleRegions(s, ref, h)
	case !ref.HasArgs:
		h.kind = regionDefault
	default:
		h.kind = regionDomainDefault
		if h.domain, ok = r.domain(ref.Args); !ok {
			return false
		}
	}
	return h.act != syntax.Remove || r.refuse(s, h, "RESET to go back to the default")
}

// regionRef is a region named in a header.
type regionRef struct {
	match     trace.Match
	at        syntax.Text
	lineStart bool // the address is the start of a source line
	line      bool // the address comes from a place written in another form
}

// singleRegions reads a list of regions.
func (r *reader) singleRegions(s *syntax.Section, ref *syntax.Ref, h *header) bool {
	if h.act == syntax.Reset {
		return r.refuse(s, h, "REMOVE to stop tracing the region")
	}
	r.regions = slices.Grow(r.regions[:0], int(ref.Args.End-ref.Args.Start)/5+1) // an estimate of the number of regions
	named := false
	for item := range r.tree.Items(ref.Args) {
		named = true
		r.region(item)
	}
	if !named {
		r.report(badTarget, r.tree.Span(s.Target), "`%s` names no region", r.tree.Of(s.Target)).
			Helped("write its address: `Lexgion(0x400500)`")
	}
	h.regions = r.regions
	return len(h.regions) > 0
}

// region reads an address, a name, or a file and line.
func (r *reader) region(item syntax.Text) {
	text := r.tree.Of(item)
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		if address, ok := parseAddress(text); ok {
			r.regions = append(r.regions, regionRef{match: trace.Match{Address: address}, at: item})
		} else {
			r.report(badAddress, r.tree.Span(item), "`%s` is not an address; an address has `0x` and 1 to 16 hexadecimal digits, and is not 0", text)
		}
		return
	}
	if strings.ContainsAny(text, "()") {
		r.report(badTarget, r.tree.Span(item), "`%s` contains parentheses; a region is an address or a name", text).
			Helped("leave them out")
		return
	}
	parts := regionParts(text)
	if domain, rest, ok := strings.Cut(text, "::"); ok && rest != "" {
		if _, known := r.Catalog.Domain(domain); known { // the form `Domain::name`, without a file
			parts = append([]string{domain}, regionParts(rest)...)
		}
	}
	if len(parts) > 1 && isDigits(parts[len(parts)-1]) {
		r.sourceLine(item, text)
		return
	}
	m, ok := r.named(parts)
	if !ok {
		r.report(badTarget, r.tree.Span(item), "`%s` names no region; a name is `name`, `Domain:name`, `file:name` or `Domain:file:name`", text)
		return
	}
	if len(parts) == 1 && text[0] >= '0' && text[0] <= '9' {
		d := r.report(numberName, r.tree.Span(item), "`%s` is read as a name; an address begins with `0x`", text)
		if _, ok := parseAddress("0x" + text); ok {
			d.Helped("%s", problem.DidYouMean("0x"+text)).Replace(false, "0x"+text)
		}
	}
	if _, domain := r.Catalog.Domain(text); domain {
		r.report(domainName, r.tree.Span(item), "this is a region called `%s`", text).
			Helped("the default of all regions of %[1]s is `Lexgion(%[1]s).default`", text)
	}
	r.function(item, m)
	if _, _, offset := libraryOffset(m.Name); !offset || m.Domain != "" || !r.loaded(item, m) {
		r.regions = append(r.regions, regionRef{match: m, at: item})
	}
}

// loaded replaces a place in the source by its addresses. So regions that are written in different ways get the same section. It reports whether
// there are any addresses.
func (r *reader) loaded(item syntax.Text, place trace.Match) bool {
	var list []trace.Code
	switch {
	case r.env.Dialect == load.Upstream:
	case r.options.Loaded != nil:
		list = r.options.Loaded(place)
	default:
		list = Code(r.options.Program, place)
	}
	for _, c := range list {
		r.regions = append(r.regions, regionRef{match: trace.Match{Address: c.High}, at: item, line: true})
	}
	return len(list) > 0
}

// regionParts splits the name of a region at its colons. A double colon is not split, because it is part of a C++ name such as `Solver::step`.
func regionParts(text string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != ':':
		case strings.HasPrefix(text[i:], "::"):
			i++
		default:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// function reports a name of a function that does not exist in the program.
func (r *reader) function(item syntax.Text, m trace.Match) {
	p := r.options.Program
	if p == nil || r.env.Dialect == load.Upstream || m.Domain != "" && m.Domain != "OpenMP" && m.Domain != "MPI" || r.options.Code(m) != nil || p.Mentions(m.Name) || mayBeKernel(p, m.Name) {
		return
	}
	d := r.report(needsProgram, r.tree.Span(item), "the program has no function `%s`, and gives no region this name", m.Name)
	if library, _, ok := libraryOffset(m.Name); ok {
		d.Message = "`" + library + "` is not a library that the program is linked with"
	} else if near, ok := p.Nearest(m.Name, problem.Nearest); ok {
		d.Helped("%s", problem.DidYouMean(near)).Replace(false, strings.TrimSuffix(r.tree.Of(item), m.Name)+near)
	}
	d.Note("a library that it loads while it runs may have it")
}

// mayBeKernel reports whether a program has a kernel of this name, or GPU images that cannot be read and may contain it.
func mayBeKernel(p *debuginfo.File, name string) bool {
	kernels, whole := p.Kernels()
	name, _, _ = strings.Cut(name, "<") // drop template arguments
	return !whole || slices.ContainsFunc(kernels, func(k string) bool { return k == name || strings.HasSuffix(k, "::"+name) })
}

// named reads the name of a region, which may have a domain and a file before it.
func (r *reader) named(parts []string) (trace.Match, bool) {
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
	return m, m.Name != "" && !strings.HasPrefix(m.Name, "::") && !strings.HasSuffix(m.Name, "::")
}

// sourceLine reads `file:line`, which may stand for several regions of the program. Without a program, or without code on that line, it is read as a
// name.
func (r *reader) sourceLine(item syntax.Text, text string) {
	var sites []debuginfo.Site
	i := strings.LastIndexByte(text, ':')
	line, err := strconv.Atoi(text[i+1:])
	if err != nil {
		line = math.MaxInt // an overflow counts as a line that does not exist
	}
	switch {
	case r.options.Loaded != nil && r.loaded(item, trace.Match{Name: text}):
		return
	case r.options.Program != nil:
		if sites, err = Regions(r.options.Program, text[:i], line); err != nil && r.options.Code(trace.Match{Name: text}) == nil {
			r.report(needsProgram, r.tree.Span(item), "the program has no code at `%s`", text).Note("%s", err)
		} else if err == nil && sites[0].Callee == "" {
			r.report(needsProgram, r.tree.Span(item), "`%s` calls neither OpenMP nor MPI, so none of their regions begins there", text).
				Helped("name the line of the pragma or of the call")
		}
	case !r.options.Runs:
		r.report(needsProgram, r.tree.Span(item), "`%s` is a line of source, and only the program gives it an address", text).
			Helped("name the program: `program` below `[pinsight]` of pentode.toml, or `--config pinsight.program=FILE`")
	}
	for _, s := range sites {
		r.regions = append(r.regions, regionRef{trace.Match{Address: s.Address}, item, s.Callee == "", true})
	}
	if len(sites) == 0 {
		r.regions = append(r.regions, regionRef{match: trace.Match{Name: text}, at: item})
	}
}

// unitTarget reads `Domain.Kind(Set)`, several of one domain, and
// `Domain.Kind(*)` after REMOVE.
func (r *reader) unitTarget(s *syntax.Section, h *header) (ok bool) {
	h.kind, h.keys = domainUnits, &unitKeys
	if ref := &s.Targets[0]; len(s.Targets) == 1 && r.tree.Of(ref.Set) == "*" {
		if h.domain, ok = r.kind(ref); !ok {
			return false
		}
		if h.act != syntax.Remove {
			r.report(wildcard, r.tree.Span(ref.Set), "`(*)` goes with REMOVE only").
				Helped("name the units, for instance `(0-3)`; all units of a domain are `%s.default`", r.tree.Of(ref.Name))
			return false
		}
		h.units = trace.Constraints{{Domain: r.tree.Of(ref.Name), Kind: r.tree.Of(ref.Member), Set: trace.AllUnits(), Place: r.tree.Span(ref.Text)}}
		return true
	}
	for i := range s.Targets {
		u, ok := r.constraint(&s.Targets[i])
		if !ok {
			return false
		}
		if len(h.units) > 0 && u.Domain != h.units[0].Domain {
			r.report(mixedTarget, u.Place, "a section is for units of one domain; `%s` belongs to another", u.Place.Text()).
				Helped("write it in the third part: `[%s] : : %s`", h.units[0].Place.Text(), u.Place.Text())
			return false
		}
		h.units = h.units.With(u)
	}
	slices.SortFunc(h.units, r.Catalog.ByKind)
	h.domain, _ = r.Catalog.Domain(h.units[0].Domain)
	return h.act != syntax.Reset || r.refuse(s, h, "REMOVE to let the units fall back to the domain's default")
}
