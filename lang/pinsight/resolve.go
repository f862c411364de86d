package pinsight

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// resolve gives a tree its meaning.
func resolve(o Options, env *load.Env, t *syntax.Tree) *Model {
	m := &Model{
		Catalog: o.catalog(), program: o.Program, tree: t,
		Default: &Section{Name: "Lexgion.default"},
	}
	for i, d := range m.Catalog.Domains() {
		id := trace.DomainID(i)
		m.Domains = append(m.Domains, &Section{Name: d.Name + ".default", Domain: id})
		m.PerDomain = append(m.PerDomain, &Section{Name: "Lexgion(" + d.Name + ").default", Domain: id})
	}
	for _, name := range serviceNames {
		m.Services = append(m.Services, &Section{Name: name})
	}
	r := &resolver{
		Model: m, snapshots: map[trace.DomainID]*snapshot{}, units: map[string]*Section{},
		byName: map[trace.Match]*Section{}, byAddress: make(map[uint64]*Section, len(t.Sections)),
	}
	for _, e := range t.Stray {
		r.report(strayKey, t.Span(e.Key), "`%s` stands before the first section, so it belongs to none", t.Of(e.Key)).
			Helped("put it below a header such as `[OpenMP.default]`")
	}
	for i := range t.Sections {
		if s := &t.Sections[i]; !s.Broken {
			r.section(s)
		}
	}
	over := r.overrides(env.Overrides)
	m.Units = slices.DeleteFunc(m.Units, func(s *Section) bool { return s.dropped })
	if env.Dialect == load.Upstream {
		m.Installed = install(o, env, t, over)
	}
	return m
}

// resolver applies sections to a model in file order.
type resolver struct {
	*Model
	settingRoom []Setting // files have thousands
	sectionRoom []Section
	listRoom    []*Setting
	headers     int                 // read so far
	found       []*Section          // the sections of the header that is being read
	matched     []trace.Match       // the regions of the item that is being read
	byLine      bool                // that is a file and line
	units       map[string]*Section // by target
	byName      map[trace.Match]*Section
	byAddress   map[uint64]*Section
	snapshots   map[trace.DomainID]*snapshot // of each domain's events as they are now
}

// newSetting keeps a setting.
func (r *resolver) newSetting(s Setting) *Setting {
	return keep(&r.settingRoom, s)
}

// keep puts a value into an array with room for many, and returns its place there.
func keep[T any](slab *[]T, v T) *T {
	if len(*slab) == cap(*slab) {
		*slab = make([]T, 0, min(max(64, 2*cap(*slab)), 4096))
	}
	*slab = append(*slab, v)
	return &(*slab)[len(*slab)-1]
}

// action is what a section does to its target.
type action uint8

const (
	actionSet action = iota
	actionReset
	actionRemove
)

func (a action) String() string { return [...]string{"SET", "RESET", "REMOVE"}[a] }

// target is what a header is for.
type target struct {
	kind     targetKind
	sections []*Section // none where something is wrong with the header
	domain   trace.DomainID
	group    string // of D(group).default
}

type targetKind uint8

const (
	domainDefault targetKind = iota
	domainUnits
	regionDefault
	regionDomainDefault
	region
	service
)

func (r *resolver) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	return r.problems.Report(code, span, format, args...)
}

func (r *resolver) section(s *syntax.Section) {
	r.headers++
	act, ok := r.action(s)
	if !ok {
		return
	}
	tgt, ok := r.target(s, act)
	if !ok {
		return
	}
	if act != actionSet {
		r.noBody(s, act)
		return
	}
	inherit := r.inheritance(s, tgt)
	units := r.constraints(s, tgt)
	span := r.tree.Span(s.Target)
	for i, sec := range tgt.sections {
		if sec.At.File == span.File && i == 0 && sec.Removed.IsZero() && sec.reset.Start <= sec.At.Start {
			r.report(repeatedSection, span, "`%s` is written again; both sections count, and the later line wins", sec.Name).
				At(sec.At, "first written here")
		}
		if !sec.Removed.IsZero() {
			*sec = Section{Name: sec.Name, Domain: sec.Domain, Match: sec.Match, reset: sec.Removed}
		}
		if tgt.kind == regionDomainDefault && sec.base == nil {
			sec.base = r.snapshot(tgt.domain, span)
		}
		if sec.At.IsZero() || sec.reset.Start > sec.At.Start {
			sec.At = span
		}
		sec.inherit = append(sec.inherit, inherit...)
		sec.Units = replaceUnits(sec.Units, units)
	}
	for i := range s.Entries {
		r.entry(s, tgt, &s.Entries[i])
	}
	if tgt.kind == domainDefault {
		delete(r.snapshots, tgt.domain)
	}
}

// action reads the word before the target.
func (r *resolver) action(s *syntax.Section) (action, bool) {
	word := r.tree.Of(s.Action)
	switch strings.ToUpper(word) {
	case "", "SET":
		return actionSet, true
	case "RESET":
		return actionReset, true
	case "REMOVE":
		return actionRemove, true
	}
	d := r.report(unknownAction, r.tree.Span(s.Action), "`%s` is not an action; there are SET, RESET and REMOVE", word).
		Suggest(false, "SET", "RESET", "REMOVE")
	if _, known := r.Catalog.Domain(word); known || word == "Lexgion" {
		d.Helped("a target has no blanks in it: `Lexgion(0x400500)`, `OpenMP.default`, `OpenMP.thread(0-3)`")
	}
	return 0, false
}

// noBody says that nothing may follow RESET and REMOVE.
func (r *resolver) noBody(s *syntax.Section, act action) {
	switch {
	case len(s.Entries) > 0:
		r.report(bodyAfterAction, r.tree.Span(s.Entries[0].Key), "%s has no keys of its own, so this one is not read", act).
			At(r.tree.Span(s.Action), "%s here", act).
			Helped("end it, and begin a section `[%s]` for the keys", r.tree.Of(s.Target))
	case s.Colons > 0:
		end := r.tree.RangeSpan(s.Line)
		r.report(bodyAfterAction, source.Span{File: end.File, Start: int(s.Target.End) + 1, End: end.End}, "%s takes nothing after the `]`", act).
			Helped("leave it out")
	}
}

// snapshot is D.default's events as they are now.
func (r *resolver) snapshot(d trace.DomainID, at source.Span) *snapshot {
	have := r.snapshots[d]
	if have == nil {
		have = r.Domains[d].snapshot(at)
		r.snapshots[d] = have
	}
	if have.at == at {
		return have
	}
	return &snapshot{domain: d, events: have.events, at: at}
}

// inheritance reads the second part of the header.
func (r *resolver) inheritance(s *syntax.Section, tgt target) []*snapshot {
	if tgt.kind == domainDefault || tgt.kind == service {
		if len(s.Inherit) > 0 {
			r.report(inheritanceHere, r.tree.Span(s.Inherit[0].Text).To(r.tree.Span(s.Inherit[len(s.Inherit)-1].Text)),
				"`%s` cannot inherit: it is what others inherit from", r.tree.Of(s.Target)).
				Helped("inheritance is for regions and for units of a domain")
		}
		return nil
	}
	var list []*snapshot
	for _, ref := range s.Inherit {
		span := r.tree.Span(ref.Text)
		if ref.Odd || ref.HasArgs || ref.HasSet || r.tree.Of(ref.Member) != "default" || r.tree.Of(ref.Name) == "Lexgion" {
			d := r.report(badInheritance, span, "`%s` cannot be inherited from; only a domain's default can", span.Text())
			if ref.HasSet && s.Colons == 1 {
				d.Helped("units stand in the third part: `[%s] : : %s`", r.tree.Of(s.Target), span.Text())
				continue
			}
			if name := r.tree.Of(ref.Name); name != "Lexgion" && !ref.HasSet {
				d.Suggest(true, name+".default")
			}
			if len(d.Help) == 0 {
				d.Helped("write the domain, for instance `OpenMP.default`")
			}
			continue
		}
		d, ok := r.Catalog.Domain(r.tree.Of(ref.Name))
		if !ok {
			r.unknownDomain(ref.Name, nil)
			continue
		}
		if tgt.kind == domainUnits && d != tgt.domain {
			r.report(badInheritance, span, "units of %s inherit events of %s only", r.Catalog.domainName(tgt.domain), r.Catalog.domainName(tgt.domain)).
				Helped("write `%s.default`", r.Catalog.domainName(tgt.domain))
			continue
		}
		list = append(list, r.snapshot(d, span))
	}
	return list
}

// constraints reads the third part of the header.
func (r *resolver) constraints(s *syntax.Section, tgt target) []unitSet {
	if tgt.kind != domainUnits && tgt.kind != region {
		if len(s.Units) > 0 {
			d := r.report(unitsHere, r.tree.Span(s.Units[0].Text).To(r.tree.Span(s.Units[len(s.Units)-1].Text)),
				"`%s` cannot be limited to units", r.tree.Of(s.Target))
			if tgt.kind == domainDefault {
				d.Helped("limit the domain with a key, for instance `OpenMP.team = (0-3)`")
			} else {
				d.Helped("limit single regions, or the domain with a key such as `OpenMP.team = (0-3)`")
			}
		}
		return nil
	}
	var list []unitSet
	for i := range s.Units {
		if u, ok := r.unitRef(&s.Units[i]); ok {
			r.inRange(u)
			list = append(list, u)
		}
	}
	return list
}

// replaceUnits puts new constraints over old ones, kind by kind.
func replaceUnits(old, more []unitSet) []unitSet {
	for _, u := range more {
		found := false
		for i := range old {
			if old[i].kind == u.kind {
				old[i], found = u, true
			}
		}
		if !found {
			old = append(old, u)
		}
	}
	return old
}

func (r *resolver) unknownDomain(name syntax.Text, more []string) {
	r.report(unknownDomain, r.tree.Span(name), "`%s` is not a domain; there are %s", r.tree.Of(name), strings.Join(r.Catalog.domainNames(), ", ")).
		Suggest(true, append(r.Catalog.domainNames(), more...)...)
}
