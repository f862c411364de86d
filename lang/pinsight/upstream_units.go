package pinsight

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
)

// maxSetID is the largest id in a set; larger ones make it unreadable.
const maxSetID = 1024

// unitSection begins a section for units.
func (r *installer) unitSection(act action, target, inherit, units string) {
	if act == actionReset {
		return
	}
	if act == actionRemove && r.removeAll(target) {
		return
	}
	sets, left := r.unitList(target)
	if left != "" || len(sets) == 0 {
		return
	}
	d := sets[0].domain
	for _, s := range sets {
		d = min(d, s.domain)
	}
	sets = ofDomain(sets, d)
	have := r.exact(d, sets)
	if act == actionRemove {
		if have != nil {
			have.events, have.sets = events{}, sets
		}
		return
	}
	if have == nil {
		have = &installedUnits{target: sets, sets: slices.Clone(sets)}
		r.domains[d].units = append(r.domains[d].units, have)
		r.know(d, have)
	}
	if i := strings.Index(inherit, ".default"); i >= 0 {
		if from, ok := r.catalog.Domain(inherit[:i]); ok {
			have.events = r.domains[from].events
		}
	}
	more, _ := r.unitList(units)
	have.sets = replaceUnits(have.sets, more)
	if slices.ContainsFunc(more, func(s unitSet) bool { return s.domain == d }) {
		r.learn(d)
	}
	r.kind, r.domain, r.units = inUnits, d, have
}

// ofDomain are the sets of one domain, by kind.
func ofDomain(sets []unitSet, d trace.DomainID) []unitSet {
	var list []unitSet
	for _, s := range sets {
		if s.domain == d {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b unitSet) int { return int(a.kind) - int(b.kind) })
	return list
}

// exact finds the section with the same sets of its domain. It looks in the
// right place for the first domain only; the others never find theirs.
func (r *installer) exact(d trace.DomainID, sets []unitSet) *installedUnits {
	if d != 0 {
		return nil
	}
	return r.domains[d].exact[unitsText(sets)]
}

// know makes a section known by its sets, unless an earlier one has the same.
func (r *installer) know(d trace.DomainID, u *installedUnits) {
	if d != 0 {
		return
	}
	dom, key := &r.domains[d], unitsText(ofDomain(u.sets, d))
	if dom.exact == nil {
		dom.exact = map[string]*installedUnits{}
	}
	if dom.exact[key] == nil {
		dom.exact[key] = u
	}
}

// learn makes all sections known anew.
func (r *installer) learn(d trace.DomainID) {
	r.domains[d].exact = nil
	for _, u := range r.domains[d].units {
		r.know(d, u)
	}
}

func sameUnits(a, b unitSet) bool { return a.kind == b.kind && a.set.Equal(b.set) }

// removeAll removes all sections of `Domain.Kind(*)`, if the target is one.
// What follows the star does not matter.
func (r *installer) removeAll(target string) bool {
	head, rest, _ := strings.Cut(target, "(")
	set, _, closed := strings.Cut(rest, ")")
	if !closed || !strings.HasPrefix(strings.TrimLeft(set, space), "*") {
		return false
	}
	domain, kind, _ := strings.Cut(head, ".")
	d, known := r.catalog.Domain(domain)
	k, has := r.catalog.Kind(d, kind)
	if known && has {
		r.domains[d].units = slices.DeleteFunc(r.domains[d].units, func(u *installedUnits) bool {
			return slices.ContainsFunc(u.sets, func(s unitSet) bool { return s.kind == k })
		})
		r.learn(d)
	}
	return true
}

// unitList reads `Domain.Kind(Set), …`. Names that it does not know are
// passed over. Where it cannot read on it stops, with what it has so far of a set, and left
// is the text up to there: the rest is gone for whoever reads the text again.
func (r *installer) unitList(list string) (sets []unitSet, left string) {
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
		d, known := r.catalog.Domain(domain)
		k, has := r.catalog.Kind(d, kind)
		if known && has {
			set, problem := parseSet(text, maxSetID)
			if problem == nil {
				set = r.clip(set, d, kind)
			}
			sets = replaceUnits(sets, []unitSet{{domain: d, kind: k, name: domain + "." + kind, set: set}})
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

// clip drops the ids outside the kind's range, except the largest id, which
// its loop does not reach.
func (r *installer) clip(set trace.Set, d trace.DomainID, kind string) trace.Set {
	rng := r.domains[d].ranges[slices.Index(r.catalog.kindNames(d), kind)]
	var out trace.Set
	if rng.low <= rng.high && rng.high >= 0 {
		out = set.Clip(trace.Span{Lo: uint32(max(rng.low, 0)), Hi: uint32(rng.high)})
	}
	if set.Contains(maxSetID) {
		out = out.Union(trace.NewSet(trace.Span{Lo: maxSetID, Hi: maxSetID}))
	}
	return out
}
