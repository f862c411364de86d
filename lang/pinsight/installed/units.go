package installed

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// MaxSetID is the largest id in a set; a set with larger ids cannot be read.
const MaxSetID = 1024

// unitSection begins a section for units.
func (r *loader) unitSection(act syntax.Action, target, inherit, units string) {
	if act == syntax.Reset {
		return
	}
	if act == syntax.Remove && r.removeAll(target) {
		return
	}
	sets, left := r.unitList(target)
	if left != "" || len(sets) == 0 {
		return
	}
	d, _ := r.catalog.Domain(sets[0].Domain)
	for _, s := range sets {
		other, _ := r.catalog.Domain(s.Domain)
		d = min(d, other)
	}
	have := r.exact(d, sets)
	sets = r.ofDomain(sets, d)
	if act == syntax.Remove {
		if have != nil {
			have.Events, have.Sets = trace.Mask{}, sets
		}
		return
	}
	if have == nil {
		have = &Units{target: sets, Sets: sets}
		r.Domains[d].Units = append(r.Domains[d].Units, have)
		r.register(d, have)
	}
	if i := strings.Index(inherit, ".default"); i >= 0 {
		if from, ok := r.catalog.Domain(inherit[:i]); ok {
			have.Events = r.Domains[from].Events
		}
	}
	more, _ := r.unitList(units)
	have.Sets = have.Sets.With(more...)
	if slices.ContainsFunc(more, func(s trace.Constraint) bool { return s.Domain == r.catalog.Name(d) }) {
		r.registerAll(d)
	}
	r.kind, r.domain, r.units = inUnits, d, have
}

// ofDomain returns the sets of one domain, by kind.
func (n *State) ofDomain(sets trace.Constraints, d trace.DomainID) trace.Constraints {
	list := slices.DeleteFunc(slices.Clone(sets), func(s trace.Constraint) bool { return s.Domain != n.catalog.Name(d) })
	slices.SortFunc(list, n.catalog.ByKind)
	return list
}

// exact finds the section of a domain for exactly these sets. It reproduces an error of PInsight, which doubles the index of the target's first
// domain and so compares the sets of another domain.
func (r *loader) exact(d trace.DomainID, target trace.Constraints) *Units {
	compared := 2 * d
	if int(compared) >= len(r.Domains) || len(r.ofDomain(target, compared)) == 0 {
		return nil
	}
	return r.Domains[d].exact[r.kindSets(target, compared)]
}

// kindSets returns the sets of one domain as a text, ordered by kind.
func (n *State) kindSets(sets trace.Constraints, d trace.DomainID) string {
	var text strings.Builder
	for _, k := range n.catalog.Domains()[d].Kinds {
		own := trace.Constraint{Domain: n.catalog.Name(d), Kind: k.Name}
		if i := slices.IndexFunc(sets, own.SameKind); i >= 0 {
			compared := sets[i].Set.Clip(trace.Span{Hi: MaxSetID - 1}) // PInsight does not compare the last word of the sets, which holds the last id
			text.WriteString("(" + compared.String() + ")")
		}
		text.WriteByte(';')
	}
	return strings.TrimRight(text.String(), ";")
}

// register makes a section known by its sets, unless an earlier section has the same sets.
func (r *loader) register(d trace.DomainID, u *Units) {
	dom, key := &r.Domains[d], r.kindSets(u.Sets, d)
	if dom.exact == nil {
		dom.exact = map[string]*Units{}
	}
	if dom.exact[key] == nil {
		dom.exact[key] = u
	}
}

// registerAll registers all sections again.
func (r *loader) registerAll(d trace.DomainID) {
	r.Domains[d].exact = nil
	for _, u := range r.Domains[d].Units {
		r.register(d, u)
	}
}

// removeAll removes all sections of a kind if the target is `Domain.Kind(*)`. It ignores text after the star.
func (r *loader) removeAll(target string) bool {
	head, rest, _ := strings.Cut(target, "(")
	set, _, closed := strings.Cut(rest, ")")
	if !closed || !strings.HasPrefix(strings.TrimLeft(set, space), "*") {
		return false
	}
	domain, kind, _ := strings.Cut(head, ".")
	d, known := r.catalog.Domain(domain)
	if _, has := r.catalog.Kind(d, kind); known && has {
		r.Domains[d].Units = slices.DeleteFunc(r.Domains[d].Units, func(u *Units) bool {
			return slices.ContainsFunc(u.Sets, trace.Constraint{Domain: domain, Kind: kind}.SameKind)
		})
		r.registerAll(d)
	}
	return true
}

// unitList reads `Domain.Kind(Set), …`. It skips unknown names. At an error it stops and keeps what it has read. After an error inside a set, left
// is the text up to that set's end, so that a second reading finds no more than that; after any other error, left is the whole list.
func (n *State) unitList(list string) (sets trace.Constraints, left string) {
	at := 0
	for {
		at += len(list[at:]) - len(strings.TrimLeft(list[at:], "."+space))
		if at == len(list) {
			return sets, ""
		}
		domain, rest, dotted := strings.Cut(list[at:], ".")
		kind, rest, opened := strings.Cut(rest, "(")
		text, after, closed := strings.Cut(rest, ")")
		if !dotted || !opened || !closed {
			return sets, list
		}
		at = len(list) - len(after)
		d, known := n.catalog.Domain(domain)
		if _, has := n.catalog.Kind(d, kind); known && has {
			set, problem := trace.ParseSet(text, MaxSetID)
			if problem == nil {
				set = clip(set, n.Domains[d].Ranges[kind])
			}
			sets = sets.With(trace.Constraint{Domain: domain, Kind: kind, Set: set})
			if problem != nil {
				return sets, list[:at-1]
			}
		}
		at = len(list) - len(strings.TrimLeft(after, space))
		if at == len(list) {
			return sets, ""
		}
		if list[at] != ',' {
			return sets, list
		}
		at++
	}
}

// clip removes the ids outside the kind's range. It keeps the largest possible id, because PInsight's loop stops before it.
func clip(set trace.Set, to Range) trace.Set {
	var out trace.Set
	if to.Low <= to.High && to.High >= 0 {
		out = set.Clip(trace.Span{Lo: uint32(max(to.Low, 0)), Hi: uint32(to.High)})
	}
	if set.Contains(MaxSetID) {
		out = out.Union(trace.NewSet(trace.Span{Lo: MaxSetID, Hi: MaxSetID}))
	}
	return out
}
