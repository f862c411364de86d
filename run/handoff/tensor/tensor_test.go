package tensor

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

var kinds = []Kind{Bool, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64}

func TestKindsHaveNames(t *testing.T) {
	for _, k := range kinds {
		if KindOf(k.String()) != k || k.Size() == 0 {
			t.Errorf("%v is %v, with %d bytes; want KindOf(k.String()) = %v and k.Size() other than 0", k, KindOf(k.String()), k.Size(), k)
		}
	}
	if KindOf("double") != 0 || Kind('z').Size() != 0 || Kind('z').String() != "kind 122" {
		t.Error("there are kinds that do not exist")
	}
}

func TestString(t *testing.T) {
	for want, a := range map[string]*Tensor{
		"an array of 3 × 4 float32": New(Float32, 3, 4), "an array of one int8": New(Int8), "an array of 0 bool": New(Bool, 0),
	} {
		if a.String() != want {
			t.Errorf("%s, want %s", a, want)
		}
	}
	if got := Extents([]int64{3, -1}); got != "3 × ?" {
		t.Errorf("%v; want %q", got, "3 × ?")
	}
}

// TestElements checks that every kind returns the numbers that were stored, singly and in a row.
func TestElements(t *testing.T) {
	for _, k := range kinds {
		list := []float64{0, 1}
		if k != Bool {
			low, high := -2.0, 100.0
			if !k.IsFloat() {
				low, high = k.Range()
				low, high = max(low, -1<<52), min(high, 1<<52)
			}
			list = append(list, low, high)
		}
		a := New(k, len(list))
		a.SetFloats(0, list)
		row := make([]float64, len(list)-1)
		a.Floats(row, 1)
		for i, want := range list {
			if a.At(i) != want || i > 0 && row[i-1] != want || !k.IsFloat() && a.Int(i) != int64(want) {
				t.Errorf("%v: element %d is %v, want %v", k, i, a.At(i), want)
			}
			if got := string(a.AppendText(nil, i)); got != fmt.Sprint(int64(want)) {
				t.Errorf("%v: element %d is written %s, want %v", k, i, got, want)
			}
		}
	}
}

// TestConvert checks that an element keeps its value or is refused, even if a float64 would round it.
func TestConvert(t *testing.T) {
	of := func(k Kind, v float64) *Tensor { a := New(k, 1); a.SetFloats(0, []float64{v}); return a }
	bits := func(k Kind, v int64) *Tensor { a := New(k, 1); a.SetInt(0, v); return a }
	for _, c := range []struct {
		from *Tensor
		to   Kind
		want string
	}{
		{of(Float64, 127), Int8, "127"}, {of(Float64, 128), Int8, "128 does not fit into int8"}, {of(Float64, -1), Uint8, "-1 does not fit into uint8"},
		{of(Float64, 1.5), Int32, "1.5 is not a whole number"}, {of(Float64, math.NaN()), Int32, "NaN is not a whole number"},
		{of(Float64, math.Inf(1)), Int32, "+Inf does not fit into int32"}, {of(Float64, 1.0/3), Float32, "0.33333334"},
		{bits(Int64, math.MaxInt64), Uint64, "9223372036854775807"}, {bits(Int64, -1), Uint64, "-1 does not fit into uint64"},
		{bits(Uint64, -1), Int64, "18446744073709551615 does not fit into int64"}, {bits(Uint64, 1<<62+1), Int64, "4611686018427387905"},
		{bits(Int64, 1<<53+1), Int64, "9007199254740993"}, {of(Float64, 1<<63), Int64, "9.223372036854776e+18 does not fit into int64"},
		{of(Float64, 1<<63), Uint64, "9223372036854775808"}, {of(Float64, 2*(1<<63)), Uint64, "1.8446744073709552e+19 does not fit into uint64"},
		{of(Int8, -128), Float64, "-128"}, {of(Bool, 1), Float32, "1"}, {of(Float64, 2), Bool, "2 does not fit into bool"},
	} {
		got := ""
		if a, err := c.from.Convert(c.to); err != nil {
			got = err.Error()
		} else {
			got = string(a.AppendText(nil, 0))
		}
		if got != c.want {
			t.Errorf("%v %s to %v: %s, want %s", c.from.Kind, c.from.AppendText(nil, 0), c.to, got, c.want)
		}
	}
	if a := New(Int8, 3); func() *Tensor { b, _ := a.Convert(Int8); return b }() != a {
		t.Error("an array of the right kind was copied")
	}
}

func TestLists(t *testing.T) {
	list := func(v ...any) []any { return v }
	for _, c := range []struct {
		v    any
		want string
	}{
		{list(list(int64(1), int64(2)), list(int64(3), int64(4))), "an array of 2 × 2 int64 [[1,2],[3,4]]"},
		{list(int64(1), 2.5), "an array of 2 float64 [1,2.5]"},
		{list(2.5, int64(1)), "an array of 2 float64 [2.5,1]"},
		{[]float64{1, 2}, "an array of 2 float64 [1,2]"},
		{list(), "an array of 0 float64 []"},
		{list(list(), list()), "an array of 2 × 0 float64 [[],[]]"},
		{list(list(int64(1)), list()), "its lists have different lengths, 1 and 0"},
		{list(list(), list(int64(1))), "its lists have different lengths, 0 and 1"},
		{list(list(int64(1)), list(int64(1), int64(2))), "its lists have different lengths, 1 and 2"},
		{list(int64(1), list(int64(2))), "it mixes numbers and lists"},
		{list(list(int64(1)), int64(2)), "it mixes numbers and lists"},
		{list(int64(1), "two"), "it contains a value that is not a number"},
		{"text", "it is not a list of numbers"},
	} {
		got := ""
		if a, err := Of(c.v); err != nil {
			got = err.Error()
		} else {
			text, err := json.Marshal(a)
			got = fmt.Sprintf("%v %s", a, text)
			if err != nil {
				t.Error(err)
			}
		}
		if got != c.want {
			t.Errorf("%v is %s, want %s", c.v, got, c.want)
		}
	}
	deep := any(int64(1))
	for range MaxAxes + 1 {
		deep = list(deep)
	}
	if _, err := Of(deep); err == nil || err.Error() != "it has more than 32 axes" {
		t.Error(err)
	}
	if _, err := json.Marshal(&Tensor{Kind: Float32, Shape: []int{1}, Data: []byte{0, 0, 0xc0, 0x7f}}); err == nil {
		t.Error("NaN was written")
	}
	if text, _ := json.Marshal(&Tensor{Kind: Bool, Shape: []int{2}, Data: []byte{0, 1}}); string(text) != "[false,true]" {
		t.Errorf("%s; want %q", text, "[false,true]")
	}
}

// TestListsThereAndBack checks that an array written as lists is read back unchanged.
func TestListsThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "shape")
		a := New(Int64, shape...)
		for i := range a.Count() {
			a.SetInt(i, rapid.Int64().Draw(t, "element"))
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		back, err := Of(v) // Go reads all numbers of JSON as float64
		if err != nil || fmt.Sprint(back.Shape) != fmt.Sprint(a.Shape) {
			t.Fatalf("%v, %v, want %v", back, err, a)
		}
		for i := range a.Count() {
			if back.At(i) != a.At(i) {
				t.Fatalf("element %d is %v, want %v", i, back.At(i), a.At(i))
			}
		}
	})
}

func BenchmarkFloats(b *testing.B) {
	row := make([]float64, 1024)
	for _, k := range []Kind{Uint8, Float32, Float64} {
		a := New(k, 1<<20)
		b.Run(k.String(), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(a.Data)))
			for b.Loop() {
				for i := 0; i < a.Count(); i += len(row) {
					a.Floats(row, i)
				}
			}
		})
	}
}
