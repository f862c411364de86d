package table

import (
	"math/bits"
	"slices"
)

// MaxFeatures limits the features of one ISA, so that a Set can be an array.
const MaxFeatures = 512

// Set is a set of features of one ISA. The zero value is empty; sets can be compared with ==.
type Set [MaxFeatures / 64]uint64

// Has reports whether the feature is in the set.
func (s Set) Has(id ID) bool { return s[id/64]&(1<<(id%64)) != 0 }

// Add adds the feature to the set.
func (s *Set) Add(id ID) { s[id/64] |= 1 << (id % 64) }

// Union returns the features in either set.
func (s Set) Union(o Set) Set {
	for i := range s {
		s[i] |= o[i]
	}
	return s
}

// Intersect returns the features in both sets.
func (s Set) Intersect(o Set) Set {
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

// Minus returns the features of s that o lacks.
func (s Set) Minus(o Set) Set {
	for i := range s {
		s[i] &^= o[i]
	}
	return s
}

// Within reports whether s is a subset of o.
func (s Set) Within(o Set) bool { return s.Minus(o) == Set{} }

// List returns the features in rising order.
func (s Set) List() Features {
	var out Features
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, ID(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// Set returns the features as a set.
func (fs Features) Set() Set {
	var out Set
	for _, id := range fs {
		out.Add(id)
	}
	return out
}

// Closure returns a feature with everything it implies; a group itself is left out.
func (s *ISA) Closure(id ID) Set {
	f := &s.Features[id]
	out := f.Implies.Set()
	if !f.Group {
		out.Add(id)
	}
	return out
}

// Meaning returns the closure of the named features, and the unknown names.
func (s *ISA) Meaning(names []string) (set Set, unknown []string) {
	for _, n := range names {
		m := s.Feature(n)
		switch {
		case m.Feature == nil || m.How == Prefixed:
			unknown = append(unknown, n)
		case m.How == Composed:
			set = set.Union(m.Implies.Set())
		default:
			set = set.Union(s.Closure(m.ID))
		}
	}
	return set, unknown
}

// Reduce drops the features that another member of the set implies: the shortest way to name the set.
func (s *ISA) Reduce(set Set) Features {
	implied := Set{}
	for _, id := range set.List() {
		implied = implied.Union(s.Features[id].Implies.Set())
	}
	return set.Minus(implied).List()
}

// Processor returns the features of a named processor, including implied ones.
func (s *ISA) Processor(name string) (Set, bool) {
	i, ok := slices.BinarySearchFunc(s.Processors, name, func(p Processor, n string) int {
		if p.Name < n {
			return -1
		} else if p.Name > n {
			return 1
		}
		return 0
	})
	if !ok {
		return Set{}, false
	}
	return s.has(&s.Processors[i]), true
}

// has returns the features of a processor, including implied ones.
func (s *ISA) has(p *Processor) Set {
	var out Set
	for _, id := range p.Features {
		out = out.Union(s.Closure(id))
	}
	return out
}

// Nearest returns the largest processor within a set of features among those that known accepts, or nil. Between equal
// processors, it prefers a level of an architecture, such as x86-64-v3, to a product.
func (s *ISA) Nearest(within Set, known func(*Processor) bool) *Processor {
	var best *Processor
	size := 0
	for i := range s.Processors {
		p := &s.Processors[i]
		has := s.has(p)
		n := len(has.List())
		if known(p) && has.Within(within) && (n > size || n == size && p.Level) {
			best, size = p, n
		}
	}
	return best
}

// Brings returns the features that a processor's option switches on.
func (s *ISA) Brings(p *Processor, o Option) Set {
	var lacks, adds Set
	for _, key := range o.Lacks {
		lacks.Add(s.Feature(key).ID)
	}
	for _, key := range o.Adds {
		adds = adds.Union(s.Closure(s.Feature(key).ID))
	}
	return s.has(p).Union(adds).Minus(lacks)
}

// Always returns the features that every machine of a mode has in addition to the given ones. A base that conflicts with
// a given feature is not assumed: a machine with RISC-V's E does not have I.
func (s *ISA) Always(m *Mode, with Set) Set {
	out := s.Base.Set()
	for _, id := range m.Base {
		if !s.displaced(id, with) {
			out = out.Union(s.Closure(id))
		}
	}
	return out
}

func (s *ISA) displaced(base ID, with Set) bool {
	if with.Has(base) {
		return false
	}
	return slices.ContainsFunc(s.Conflicts, func(c Conflict) bool {
		return c.A == base && with.Has(c.B) || c.B == base && with.Has(c.A)
	})
}
