package trace

import (
	"cmp"
	"slices"
)

// Units returns the units in within on which an event of a region is traced, as far as the rate
// allows. Each list of constraints is the set of units that meet all of them; the lists do not
// overlap. It works with sets of ids, so its time does not depend on the number of units.
func (p *Policy) Units(r Region, e EventID, within Constraints) ([]Constraints, Rate) {
	pieces, rate := p.pieces(r, e, within)
	return p.boxes(join(pieces)), rate
}

// pieces returns these units as disjoint sets, each decided by a single layer.
func (p *Policy) pieces(r Region, e EventID, within Constraints) ([]where, Rate) {
	rule, table := p.rule(&r), &p.domains[r.Domain]
	if table.mode != Tracing || rule.rate.Max == 0 {
		return nil, rule.rate
	}
	b := newBuilder(p.catalog)
	everywhere := where(nil).and(b.tests(within))
	if table.rateOnly.Has(e) {
		return []where{everywhere}, rule.rate
	}
	rest := []where{everywhere.and(p.wheres[table.limits]).and(p.wheres[rule.where])}
	var found []where
	// The last layer that names the event decides.
	layers := append([]section{}, table.sections...)
	layers = append(layers, section{0, rule.change})
	for i := len(layers) - 1; i >= 0; i-- {
		o := &p.changes[layers[i].change]
		if !o.named.Has(e) {
			continue
		}
		w := p.wheres[layers[i].where]
		var outside []where
		for _, box := range rest {
			if o.value.Has(e) {
				found = append(found, box.and(w))
			}
			outside = append(outside, box.minus(w)...)
		}
		rest = drop(outside)
	}
	if table.base.Has(e) {
		found = append(found, rest...)
	}
	return drop(found), rule.rate
}

// and returns the intersection, with one test per kind, sorted by kind.
func (w where) and(o where) where {
	both := slices.Clone(w)
	for _, t := range o {
		if i := slices.IndexFunc(both, func(b test) bool { return b.kind == t.kind }); i >= 0 {
			both[i].set = both[i].set.Intersect(t.set)
		} else {
			both = append(both, t)
		}
	}
	slices.SortFunc(both, func(a, b test) int { return cmp.Compare(a.kind, b.kind) })
	return both
}

// minus returns the units of w that are not in o, as disjoint sets: for each test of o, the part of
// w that meets the tests before it and fails this one.
func (w where) minus(o where) []where {
	var list []where
	met := w
	for _, t := range o {
		list = append(list, met.and(where{{t.kind, all.Minus(t.set)}}))
		met = met.and(where{t})
	}
	return list
}

// drop removes the empty sets.
func drop(list []where) []where {
	return slices.DeleteFunc(list, func(w where) bool {
		return slices.ContainsFunc(w, func(t test) bool { return t.set.Empty() })
	})
}

// maxJoined is the number of sets above which they are not joined.
const maxJoined = 256

// join merges two sets whose tests differ for one unit kind only, and repeats this until there are
// no such sets.
func join(list []where) []where {
	for i := 0; i < len(list) && len(list) <= maxJoined; i++ {
		for j := i + 1; j < len(list); j++ {
			if one, ok := list[i].or(list[j]); ok {
				list[i] = one
				list = slices.Delete(list, j, j+1)
				i = -1
				break
			}
		}
	}
	return list
}

// or returns the union of two sets. ok is false if it cannot be described by one list of tests.
func (w where) or(o where) (where, bool) {
	if len(w) != len(o) {
		return nil, false
	}
	differs := -1
	for i := range w {
		switch {
		case w[i].kind != o[i].kind:
			return nil, false
		case w[i].set.Equal(o[i].set):
		case differs >= 0:
			return nil, false
		default:
			differs = i
		}
	}
	one := slices.Clone(w)
	if differs >= 0 {
		one[differs].set = w[differs].set.Union(o[differs].set)
	}
	return one, true
}

// boxes returns sets of units as configurations write them. A test that all ids meet is left out.
func (p *Policy) boxes(list []where) []Constraints {
	out := make([]Constraints, len(list))
	for i, w := range list {
		for _, t := range w {
			if k := p.catalog.kinds[t.kind]; !t.set.Equal(all) {
				out[i] = append(out[i], Constraint{Domain: p.catalog.Name(k.domain), Kind: k.kind.Name, Set: t.set})
			}
		}
	}
	return out
}
