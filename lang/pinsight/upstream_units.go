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
	if d, k, ok := r.wildcard(target); ok {
		if act == actionRemove {
			dom := &r.domains[d]
			dom.units = slices.DeleteFunc(dom.units, func(u *installedUnits) bool {
				return slices.ContainsFunc(u.sets, func(s unitSet) bool { return s.kind == k })
			})
		}
		return
	}
	sets, ok := r.unitList(target)
	if !ok || len(sets) == 0 || act == actionReset {
		return
	}
	d := sets[0].domain
	for _, s := range sets {
		d = min(d, s.domain)
	}
	sets = slices.DeleteFunc(sets, func(s unitSet) bool { return s.domain != d })
	slices.SortFunc(sets, func(a, b unitSet) int { return int(a.kind) - int(b.kind) })
	have := r.exact(d, sets)
	if act == actionRemove {
		if have != nil {
			have.events, have.more = events{}, nil
		}
		return
	}
	if have == nil {
		have = &installedUnits{sets: sets, name: unitsText(sets)}
		r.domains[d].units = append(r.domains[d].units, have)
	}
	if i := strings.Index(inherit, ".default"); i >= 0 {
		name := strings.Trim(inherit[:i], space)
		if from, ok := r.catalog.Domain(name); ok {
			have.events = r.domains[from].events
		}
	}
	more, _ := r.unitList(units)
	have.more = replaceUnits(have.more, more)
	r.kind, r.domain, r.units = inUnits, d, have
}

// exact finds the section with the same sets. It looks in the right place for
// the first domain only; the others never find theirs.
func (r *installer) exact(d trace.DomainID, sets []unitSet) *installedUnits {
	if d != 0 {
		return nil
	}
	for _, u := range r.domains[d].units {
		if slices.EqualFunc(u.sets, sets, func(a, b unitSet) bool { return a.kind == b.kind && a.set.Equal(b.set) }) {
			return u
		}
	}
	return nil
}

// wildcard reads `Domain.Kind(*)`.
func (r *installer) wildcard(target string) (trace.DomainID, trace.KindID, bool) {
	head, rest, ok := strings.Cut(target, "(")
	set, _, closed := strings.Cut(rest, ")")
	if !ok || !closed || strings.Trim(set, space) != "*" {
		return 0, 0, false
	}
	domain, kind, _ := strings.Cut(strings.Trim(head, space), ".")
	d, ok := r.catalog.Domain(domain)
	if !ok {
		return 0, 0, false
	}
	k, ok := r.catalog.Kind(d, kind)
	return d, k, ok
}

// unitList reads `Domain.Kind(Set), …`. Names that it does not know are
// passed over; a set that cannot be read ends the list, and false says so.
func (r *installer) unitList(list string) ([]unitSet, bool) {
	var sets []unitSet
	for list != "" {
		head, rest, ok := strings.Cut(list, "(")
		if !ok {
			return sets, true
		}
		text, after, closed := strings.Cut(rest, ")")
		if !closed {
			return sets, true
		}
		list = strings.TrimLeft(after, space+",")
		domain, kind, _ := strings.Cut(strings.Trim(head, space), ".")
		d, known := r.catalog.Domain(domain)
		if !known {
			continue
		}
		k, known := r.catalog.Kind(d, kind)
		if !known {
			continue
		}
		set, problem := parseSet(text)
		if problem != nil || tooLarge(set) {
			return sets, false
		}
		set = r.clip(set, d, kind)
		sets = replaceUnits(sets, []unitSet{{domain: d, kind: k, name: domain + "." + kind, set: set}})
	}
	return sets, true
}

func tooLarge(set trace.Set) bool {
	spans := set.Spans()
	return len(spans) > 0 && spans[len(spans)-1].Hi > maxSetID
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
