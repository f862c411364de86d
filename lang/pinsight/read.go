package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// reader reads the headers and lines of a tree. What is wrong with them goes to
// list. While resolving there is none: resolve only remembers where something
// is wrong, and check reads that again with a list.
type reader struct {
	*Model
	tree    *syntax.Tree
	list    *diag.List
	wrong   bool        // something was reported since this was last set to false
	regions []regionRef // room for those of one header
}

func (r *reader) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	r.wrong = true
	return r.list.Report(code, span, format, args...)
}

// header is what a section header means.
type header struct {
	target
	act     syntax.Action
	regions []regionRef       // of Lexgion(address or name)
	units   trace.Constraints // of D.Kind(Set)
	inherit []inheritRef
	limits  trace.Constraints // the third part
}

// target is what a section is for.
type target struct {
	kind   targetKind
	domain trace.DomainID
	group  string          // of D(group).default
	keys   *schema.Section // that the section can have besides events
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

// inheritRef is a domain whose default a header inherits.
type inheritRef struct {
	domain trace.DomainID
	at     source.Span
}

// header reads a header; false where the section has no use.
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

// noBody reports what follows RESET and REMOVE.
func (r *reader) noBody(s *syntax.Section, act syntax.Action) {
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

// inheritance reads the second part of the header.
func (r *reader) inheritance(s *syntax.Section, h *header) {
	if (h.kind == domainDefault || h.kind == service) && len(s.Inherit) > 0 {
		r.report(inheritanceHere, r.all(s.Inherit), "`%s` cannot inherit: it is what others inherit from", r.tree.Of(s.Target)).
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
				d.Helped("units stand in the third part: `[%s] : : %s`", r.tree.Of(s.Target), span.Text())
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

// all is the place of a list of names.
func (r *reader) all(refs []syntax.Ref) source.Span {
	return r.tree.Span(refs[0].Text).To(r.tree.Span(refs[len(refs)-1].Text))
}

// domain finds a domain by its name; more are other names that it could be.
func (r *reader) domain(name syntax.Text, more ...string) (trace.DomainID, bool) {
	d, ok := r.Catalog.Domain(strings.TrimSpace(r.tree.Of(name)))
	if r.wrong = r.wrong || !ok; !ok && r.list != nil { // the names are only made to be shown
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

// kind finds the domain of `Domain.Kind(Set)`, if it has the kind.
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
