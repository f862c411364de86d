package fingerprint

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
)

type inner struct {
	N     int
	Place source.Span
}

type outer struct {
	Name    string
	Tags    []string `fingerprint:"set"`
	Steps   []string
	Note    string `fingerprint:"-"`
	By      map[string]inner
	Maybe   *int
	Any     any
	Pattern *regexp.Regexp
	Ratio   float64
	Inner   inner
	hidden  bool
}

// TestEqual: neutral fields, places, the order of sets and maps, and empty lists do not
// change a sum.
func TestEqual(t *testing.T) {
	file := source.NewFile("a", "text")
	a := outer{Name: "x", Tags: []string{"b", "a"}, By: map[string]inner{"p": {N: 1}, "q": {N: 2}}, Note: "one"}
	b := outer{Name: "x", Tags: []string{"a", "b"}, By: map[string]inner{"q": {N: 2}, "p": {N: 1, Place: file.Span(0, 2)}}, Note: "two",
		Steps: []string{}, Inner: inner{Place: file.Span(1, 2)}}
	if Of(a) != Of(b) {
		t.Error("values that mean the same have different sums")
	}
}

// TestDifferent: everything else changes the sum, and different values never have the same
// bytes.
func TestDifferent(t *testing.T) {
	zero, one := 0, 1
	negative := math.Copysign(0, -1)
	values := []any{
		outer{}, outer{Name: "x"}, outer{Name: "xy"}, outer{Tags: []string{"x"}}, outer{Tags: []string{"x", "x"}}, outer{Steps: []string{"x"}},
		outer{Steps: []string{"x", "y"}}, outer{Steps: []string{"y", "x"}}, outer{Steps: []string{"xy"}}, outer{Steps: []string{"", "xy"}}, outer{Steps: []string{""}},
		outer{Tags: []string{"x", "y"}}, outer{Tags: []string{"xy"}}, outer{Maybe: &zero}, outer{Maybe: &one}, outer{By: map[string]inner{"": {}}},
		outer{By: map[string]inner{"x": {}}}, outer{By: map[string]inner{"x": {N: 1}}}, outer{By: map[string]inner{"x": {N: -1}}}, outer{Any: 1},
		outer{Any: int64(1)}, outer{Any: "1"}, outer{Any: 1.0}, outer{Any: true}, outer{Any: uint(1)}, outer{Any: []string{}}, outer{Any: inner{}}, outer{Any: &inner{}},
		outer{Ratio: 1}, outer{Ratio: negative}, outer{Ratio: math.NaN()}, outer{Inner: inner{N: 1}}, outer{hidden: true},
		outer{Pattern: regexp.MustCompile("a")}, outer{Pattern: regexp.MustCompile("b")}, nil,
	}
	seen := map[Sum]int{}
	for i, v := range values {
		if other, ok := seen[Of(v)]; ok {
			t.Errorf("%+v and %+v have the same sum, want different ones", values[other], v)
		}
		seen[Of(v)] = i
	}
}

// TestInjective: two lists of texts have the same bytes only if they are equal.
func TestInjective(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(3))
		for i := range b {
			b[i] = "sl\x00\x01\x02"[r.IntN(5)]
		}
		return string(b)
	}
	list := func() []string {
		l := make([]string, r.IntN(3))
		for i := range l {
			l[i] = word()
		}
		return l
	}
	for range 20_000 {
		a, b := list(), list()
		if bytes.Equal(Encode(a), Encode(b)) != slices.Equal(a, b) {
			t.Fatalf("%q and %q, want %v", a, b, slices.Equal(a, b))
		}
	}
}

// TestGrow: adding a field to a struct does not change its sums until the field is set.
func TestGrow(t *testing.T) {
	type v1 struct{ A, C int }
	type v2 struct{ A, B, C int }
	if Of(v1{1, 2}) != Of(v2{A: 1, C: 2}) {
		t.Error("a new field changes the sum of a value that does not have it")
	}
	if Of(v1{1, 2}) == Of(v2{1, 3, 2}) {
		t.Error("a new field is not part of the sum")
	}
}

// TestPinned: sums are kept in files, so the bytes must not change between versions.
func TestPinned(t *testing.T) {
	one := 1
	v := outer{Name: "x", Tags: []string{"b", "a"}, Steps: []string{"s"}, By: map[string]inner{"p": {N: -1}}, Maybe: &one, Any: uint8(3), Ratio: 0.5}
	if got, want := Of(v).String(), "de81385595475f101d59ff9734cc960c0c95f4e7bd5ffb9740999a049abb4081"; got != want {
		t.Errorf("the sum is %s, it was %s", got, want)
	}
}

func TestMistakes(t *testing.T) {
	type loop struct{ Next *loop }
	l := &loop{}
	l.Next = l
	for name, v := range map[string]any{
		"function": struct{ F func() }{func() {}}, "channel": make(chan int), "loop": l,
		"tag": struct {
			A int `fingerprint:"sorted"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("got an encoding, want a panic")
				}
			}()
			Of(v)
		})
	}
}

func TestNeutral(t *testing.T) {
	type with struct {
		F func()
		O []*outer
	}
	if got, want := Neutral(reflect.TypeFor[with]()), []string{"func() has no canonical form", "outer.Note"}; !slices.Equal(got, want) {
		t.Errorf("neutral are %q, want %q", got, want)
	}
}

func TestJSON(t *testing.T) {
	s := Of("x")
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Sum
	if err := json.Unmarshal(text, &back); err != nil || back != s {
		t.Errorf("%s reads as %s: %v", text, back, err)
	}
	for _, bad := range []string{`""`, `"12"`, `"` + s.String()[:63] + `x"`} {
		if json.Unmarshal([]byte(bad), &back) == nil {
			t.Errorf("got no error for %s, which is not a fingerprint", bad)
		}
	}
	if s.Short() != s.String()[:12] {
		t.Error("the short form is the beginning of the long one")
	}
}

func BenchmarkOf(b *testing.B) {
	v := outer{Name: "x", Tags: []string{"b", "a"}, By: map[string]inner{"p": {N: 1}, "q": {N: 2}}}
	for b.Loop() {
		Of(v)
	}
}
