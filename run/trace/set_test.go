package trace

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSetString(t *testing.T) {
	for _, c := range []struct {
		spans []Span
		want  string
	}{
		{nil, ""},
		{[]Span{{7, 7}, {0, 3}}, "0-3,7"},
		{[]Span{{0, 3}, {4, 4}}, "0-4"},
		{[]Span{{5, 9}, {0, 20}, {3, 4}}, "0-20"},
		{[]Span{{5, 2}}, ""},
		{[]Span{{1, 1}, {2, 2}}, "1-2"},
		{[]Span{{math.MaxInt32, math.MaxInt32}, {0, 0}}, "0,2147483647"},
		{[]Span{{0, math.MaxUint32}, {math.MaxUint32, math.MaxUint32}}, "0-4294967295"},
	} {
		if got := NewSet(c.spans...).String(); got != c.want {
			t.Errorf("NewSet(%v) = %q, want %q", c.spans, got, c.want)
		}
	}
}

func TestSetOverlaps(t *testing.T) {
	low, high := NewSet(Span{1, 5}, Span{20, 20}), NewSet(Span{5, 9}, Span{21, 30})
	if !low.Overlaps(high) || !high.Overlaps(low) {
		t.Errorf("%v and %v share 5, want it found in both directions", low, high)
	}
	if apart := NewSet(Span{6, 19}, Span{21, 21}); low.Overlaps(apart) || apart.Overlaps(low) {
		t.Errorf("%v and %v share nothing", low, apart)
	}
}

func TestParseSet(t *testing.T) {
	for _, c := range []struct{ text, want, at, fault string }{
		{"", "", "", ""},
		{"0-3, 7, 12-20", "0-3,7,12-20", "", ""},
		{"\t1\t-\t2\t,\t4\t", "1-2,4", "", ""},
		{",,1,,2,", "1-2", "", ""},
		{"1\n2", "1", "\n2", "there is no comma before `\n2`"},
		{"1 2, 3", "1", "2, 3", "there is no comma before `2, 3`"},
		{"1, x-2, 3", "1", "x-2", "`x-2` is not a number"},
		{"-2", "", "-2", "`-2` is not a number"},
		{"1, 2-", "1", "-", "a number is missing here"},
		{"1, 2-, 3", "1", "-", "a number is missing here"},
		{" 5 - 2 , 3", "", "5 - 2", "the range `5 - 2` runs backwards"},
		{"5-5", "5", "", ""},
		{"99, 100", "99", "100", "`100` is larger than the largest id, 99"},
		{"1-99999999999999999999", "", "99999999999999999999", "`99999999999999999999` is larger than the largest id, 99"},
	} {
		set, fault := ParseSet(c.text, 99)
		at, message := "", ""
		if fault != nil {
			at, message = c.text[fault.Start:fault.End], fault.Message
		}
		if set.String() != c.want || at != c.at || message != c.fault {
			t.Errorf("%q: %v, %s at `%s`; want set.String() = %v, at = %v and message = %v", c.text, set, message, at, c.want, c.at, c.fault)
		}
	}
}

func TestSetWithin(t *testing.T) {
	for _, c := range []struct {
		set  Set
		span Span
		want bool
	}{
		{NewSet(Span{1, 5}, Span{20, 20}), Span{1, 20}, true},
		{NewSet(Span{1, 5}, Span{20, 20}), Span{2, 20}, false},
		{NewSet(Span{1, 5}, Span{20, 20}), Span{1, 19}, false},
		{NewSet(), Span{7, 7}, true},
	} {
		if got := c.set.Within(c.span); got != c.want {
			t.Errorf("%v within %v: %v, want %v", c.set, c.span, got, c.want)
		}
	}
}

const smallIDs = 40

func genSpans(t *rapid.T, label string) []Span {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Span {
		return Span{rapid.Uint32Range(0, smallIDs).Draw(t, "lo"), rapid.Uint32Range(0, smallIDs).Draw(t, "hi")}
	}), 0, 6).Draw(t, label)
}

// model represents a set as a map.
func model(spans []Span) map[uint32]bool {
	m := map[uint32]bool{}
	for _, s := range spans {
		for id := s.Lo; id <= s.Hi; id++ {
			m[id] = true
		}
	}
	return m
}

func TestSetAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, clip := genSpans(t, "a"), genSpans(t, "b"), genSpans(t, "clip")
		clip = append(clip, Span{3, 30})
		s, r := NewSet(a...), NewSet(b...)
		sm, rm := model(a), model(b)
		overlap, equal := false, len(sm) == len(rm)
		union, clipped := s.Union(r), s.Clip(clip[0])
		both, less := s.Intersect(r), s.Minus(r)
		if both.Len()+less.Len() != s.Len() || s.Len() != uint64(len(sm)) {
			t.Fatalf("%v has %d ids, %v and %v of it %d and %d; want as many in both together, and %d in all", s, s.Len(), both, less, both.Len(), less.Len(), len(sm))
		}
		for id := range uint32(smallIDs + 2) {
			if s.Contains(id) != sm[id] {
				t.Fatalf("%v contains %d: %v, want %v", s, id, !sm[id], sm[id])
			}
			if both.Contains(id) != (sm[id] && rm[id]) || less.Contains(id) != (sm[id] && !rm[id]) {
				t.Fatalf("%v and %v share %v, and %v is left: wrong about %d", s, r, both, less, id)
			}
			if union.Contains(id) != (sm[id] || rm[id]) {
				t.Fatalf("union %v of %v and %v is wrong about %d", union, s, r, id)
			}
			if in := id >= clip[0].Lo && id <= clip[0].Hi; clipped.Contains(id) != (sm[id] && in) {
				t.Fatalf("%v clipped to %v is wrong about %d", s, clip[0], id)
			}
			overlap = overlap || sm[id] && rm[id]
			equal = equal && sm[id] == rm[id]
		}
		if s.Overlaps(r) != overlap {
			t.Fatalf("%v overlaps %v: %v, want %v", s, r, !overlap, overlap)
		}
		if s.Equal(r) != equal || (s.String() == r.String()) != equal {
			t.Fatalf("%v equals %v: %v, want %v, and the same of their texts", s, r, s.Equal(r), equal)
		}
		if s.Empty() != (len(sm) == 0) || !NewSet(s.Spans()...).Equal(s) {
			t.Fatalf("%v is not canonical", s)
		}
	})
}
