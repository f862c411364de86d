package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Span is the unit ids from Lo to Hi, both included; empty when Lo > Hi.
type Span struct{ Lo, Hi uint32 }

// Set is a set of unit ids, kept as ascending spans that neither overlap nor touch. The
// zero Set is empty. Sets are immutable.
type Set struct{ spans []Span }

// NewSet returns the ids of all spans, in whatever order they come.
func NewSet(spans ...Span) Set {
	sorted := make([]Span, 0, len(spans))
	for _, s := range spans {
		if s.Lo <= s.Hi {
			sorted = append(sorted, s)
		}
	}
	slices.SortFunc(sorted, func(a, b Span) int { return cmp.Compare(a.Lo, b.Lo) })
	var joined []Span
	for _, s := range sorted {
		if n := len(joined); n > 0 && uint64(s.Lo) <= uint64(joined[n-1].Hi)+1 {
			joined[n-1].Hi = max(joined[n-1].Hi, s.Hi)
			continue
		}
		joined = append(joined, s)
	}
	return Set{joined}
}

// Contains reports whether id is in the set.
func (s Set) Contains(id uint32) bool {
	i, found := slices.BinarySearchFunc(s.spans, id, func(p Span, id uint32) int { return cmp.Compare(p.Lo, id) })
	return found || i > 0 && id <= s.spans[i-1].Hi
}

// Union returns the ids that are in s or in t.
func (s Set) Union(t Set) Set { return NewSet(slices.Concat(s.spans, t.spans)...) }

// all contains every id.
var all = Set{[]Span{{0, math.MaxUint32}}}

// Intersect returns the ids that are in both s and t.
func (s Set) Intersect(t Set) Set {
	var kept []Span
	for i, j := 0, 0; i < len(s.spans) && j < len(t.spans); {
		a, b := s.spans[i], t.spans[j]
		if lo, hi := max(a.Lo, b.Lo), min(a.Hi, b.Hi); lo <= hi {
			kept = append(kept, Span{lo, hi})
		}
		if a.Hi < b.Hi {
			i++
		} else {
			j++
		}
	}
	return Set{kept}
}

// Minus returns the ids of s that are not in t.
func (s Set) Minus(t Set) Set {
	var others []Span
	next := uint64(0)
	for _, p := range t.spans {
		if uint64(p.Lo) > next {
			others = append(others, Span{uint32(next), p.Lo - 1})
		}
		next = uint64(p.Hi) + 1
	}
	if next <= math.MaxUint32 {
		others = append(others, Span{uint32(next), math.MaxUint32})
	}
	return s.Intersect(Set{others})
}

// Len returns the number of ids in the set.
func (s Set) Len() (n uint64) {
	for _, p := range s.spans {
		n += uint64(p.Hi) - uint64(p.Lo) + 1
	}
	return n
}

// Clip returns the ids of s that lie in p.
func (s Set) Clip(p Span) Set {
	var kept []Span
	for _, q := range s.spans {
		if lo, hi := max(p.Lo, q.Lo), min(p.Hi, q.Hi); lo <= hi {
			kept = append(kept, Span{lo, hi})
		}
	}
	return Set{kept}
}

// Overlaps reports whether some id is in both sets.
func (s Set) Overlaps(t Set) bool {
	for i, j := 0, 0; i < len(s.spans) && j < len(t.spans); {
		a, b := s.spans[i], t.spans[j]
		if a.Lo <= b.Hi && b.Lo <= a.Hi {
			return true
		}
		if a.Hi < b.Hi {
			i++
		} else {
			j++
		}
	}
	return false
}

// Within reports whether all ids of the set lie in p.
func (s Set) Within(p Span) bool {
	return s.Empty() || s.spans[0].Lo >= p.Lo && s.spans[len(s.spans)-1].Hi <= p.Hi
}

// Equal reports whether both sets have the same ids.
func (s Set) Equal(t Set) bool { return slices.Equal(s.spans, t.spans) }

// Empty reports whether the set is empty.
func (s Set) Empty() bool { return len(s.spans) == 0 }

// Spans returns a copy of the set's spans, ascending.
func (s Set) Spans() []Span { return slices.Clone(s.spans) }

// String returns the canonical form: `0-3,7`.
func (s Set) String() string {
	var b []byte
	for i, p := range s.spans {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(p.Lo), 10)
		if p.Hi > p.Lo {
			b = append(b, '-')
			b = strconv.AppendUint(b, uint64(p.Hi), 10)
		}
	}
	return string(b)
}

// SetFault is an error in the text of a set, from byte Start to byte End.
type SetFault struct {
	Start, End int
	Message    string
}

// ParseSet reads `0-3, 7, 12-20` with ids up to largest. Repeated commas are allowed, and an empty text is the empty set.
// On an error it also returns the set of the ids before the error.
func ParseSet(text string, largest uint32) (Set, *SetFault) {
	var spans []Span
	i := 0
	skip := func(commas bool) {
		for i < len(text) && (isBlank(text[i]) || commas && text[i] == ',') {
			i++
		}
	}
	number := func() (uint32, *SetFault) {
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		if i == start {
			end := start
			for end < len(text) && text[end] != ',' && !isBlank(text[end]) {
				end++
			}
			if end == start {
				return 0, &SetFault{start - 1, start, "a number is missing here"}
			}
			return 0, &SetFault{start, end, fmt.Sprintf("`%s` is not a number", text[start:end])}
		}
		n, err := strconv.ParseUint(text[start:i], 10, 64)
		if err != nil || n > uint64(largest) {
			return 0, &SetFault{start, i, fmt.Sprintf("`%s` is larger than the largest id, %d", text[start:i], largest)}
		}
		return uint32(n), nil
	}
	for skip(true); i < len(text); skip(true) {
		start := i
		lo, fault := number()
		if fault != nil {
			return NewSet(spans...), fault
		}
		hi, end := lo, i
		if skip(false); i < len(text) && text[i] == '-' {
			i++
			skip(false)
			if hi, fault = number(); fault != nil {
				return NewSet(spans...), fault
			}
			end = i
		}
		if lo > hi {
			return NewSet(spans...), &SetFault{start, end, fmt.Sprintf("the range `%s` runs backwards", text[start:end])}
		}
		spans = append(spans, Span{lo, hi})
		if skip(false); i < len(text) && text[i] != ',' {
			return NewSet(spans...), &SetFault{i, len(text), fmt.Sprintf("there is no comma before `%s`", text[i:])}
		}
	}
	return NewSet(spans...), nil
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\v' || b == '\f' }
