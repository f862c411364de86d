package array

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// of returns an array with these elements.
func of(kind tensor.Kind, shape []int, list ...float64) *tensor.Tensor {
	t := tensor.New(kind, shape...)
	t.SetFloats(0, list)
	return t
}

func data(list ...any) (all []flow.Datum) {
	for _, v := range list {
		all = append(all, flow.Of(v))
	}
	return all
}

func TestTypesKeepTheRules(t *testing.T) {
	plane := of(tensor.Float64, []int{2, 2}, 0, 1, 2, 5)
	flowtest.Verify(t, flowtest.Case{Type: statsType(), In: flowtest.Data{"field": data(plane, plane)}})
	flowtest.Verify(t, flowtest.Case{Type: colormapType(), Config: pipe.Set("high", "5"), In: flowtest.Data{"field": data(plane)}})
	flowtest.Verify(t, flowtest.Case{Type: sliceType(), In: flowtest.Data{"array": data(plane)}})
	flowtest.Verify(t, flowtest.Case{Type: reduceType(), Config: pipe.Set("axes", "0"), In: flowtest.Data{"array": data(plane)}})
}

// feed returns the result of a type for one array: the array or number at its output, or its error.
func feed(typ *pipe.Type, config pipe.Config, in, out string, v any) string {
	got, err := flowtest.Feed(typ, config, flowtest.Data{in: data(v)}, []string{out}, 10, flow.Options{})
	if err != nil {
		return err.Error()
	}
	if len(got[out]) != 1 {
		return fmt.Sprintf("%d data", len(got[out]))
	}
	if d := got[out][0]; d.IsNumber() {
		return d.Text()
	}
	a := got[out][0].Array()
	text, err := a.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return a.Kind.String() + " " + string(text)
}

func TestSlice(t *testing.T) {
	cube := of(tensor.Int16, []int{2, 3, 4})
	for i := range cube.Count() {
		cube.SetInt(i, int64(i))
	}
	for _, c := range []struct{ at, want string }{
		{"1", "int16 [[12,13,14,15],[16,17,18,19],[20,21,22,23]]"},
		{"-1", "int16 [[12,13,14,15],[16,17,18,19],[20,21,22,23]]"},
		{":, 1", "int16 [[4,5,6,7],[16,17,18,19]]"},
		{":,:,-1", "int16 [[3,7,11],[15,19,23]]"},
		{"1, :, 0", "int16 [12,16,20]"},
		{"0,2", "int16 [8,9,10,11]"},
		{"1,2,3", "int16 23"},
		{":", "int16 [[[0,1,2,3],[4,5,6,7],[8,9,10,11]],[[12,13,14,15],[16,17,18,19],[20,21,22,23]]]"},
		{"2", "there is no index 2 on axis 0 of an array of 2 × 3 × 4: its extent is 2"},
		{":,-4", "there is no index -4 on axis 1 of an array of 2 × 3 × 4: its extent is 3"},
		{"0,0,0,0", "the cut names 4 axes, but an array of 2 × 3 × 4 has 3"},
		{"1.5", "`1.5` is not a whole number, and no `:`"},
		{"", "`` is not a whole number, and no `:`"},
		{strings.Repeat("0,", 40) + "0", "it names 41 axes, but arrays have at most 32"},
	} {
		if got := feed(sliceType(), pipe.Set("at", c.at), "array", "array", cube); !strings.HasSuffix(got, c.want) {
			t.Errorf("at %s: %s, want %s", c.at, got, c.want)
		}
	}
	if got := feed(sliceType(), nil, "array", "array", "text"); !strings.HasSuffix(got, "got a string where an array was expected") {
		t.Errorf("%v; want %q at the end", got, "got a string where an array was expected")
	}
	if cut, err := (cut{1}).apply(cube); err != nil || &cut.Data[0] != &cube.Data[24] {
		t.Errorf("a plane that lies together was copied, %v", err)
	}
}

// TestSliceIsIndexing checks that every element of a cut array equals the element at the same place
// of the whole array.
func TestSliceIsIndexing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "shape")
		a := tensor.New(tensor.Int32, shape...)
		for i := range a.Count() {
			a.SetInt(i, int64(i))
		}
		var c cut
		for _, n := range shape[:rapid.IntRange(0, len(shape)).Draw(t, "named")] {
			if rapid.Bool().Draw(t, "keep") {
				c = append(c, keep)
			} else {
				c = append(c, rapid.IntRange(-n, n-1).Draw(t, "place"))
			}
		}
		got, err := c.apply(a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Count() {
			at, rest := 0, i
			kept := len(got.Shape)
			places := make([]int, len(shape))
			for axis := len(shape) - 1; axis >= 0; axis-- {
				if axis < len(c) && c[axis] != keep {
					places[axis] = (c[axis] + shape[axis]) % shape[axis]
					continue
				}
				kept--
				places[axis] = rest % got.Shape[kept]
				rest /= got.Shape[kept]
			}
			for axis, n := range shape {
				at = at*n + places[axis]
			}
			if got.Int(i) != int64(at) {
				t.Fatalf("element %d is %d, want %d", i, got.Int(i), at)
			}
		}
	})
}

func TestReduce(t *testing.T) {
	plane := of(tensor.Int16, []int{2, 3}, 1, 2, 3, 4, 5, 9)
	large := tensor.New(tensor.Uint64, 2)
	large.SetInt(0, -1)
	large.SetInt(1, -2)
	for _, c := range []struct {
		by, axes string
		in       any
		want     string
	}{
		{"sum", "", plane, "24"}, {"mean", "", plane, "4"}, {"min", "", plane, "1"}, {"max", "", plane, "9"},
		{"sum", "0", plane, "float64 [5,7,12]"}, {"mean", "1", plane, "float64 [2,6]"}, {"max", "-1", plane, "int16 [3,9]"}, {"min", "0", plane, "int16 [1,2,3]"},
		{"max", "0, 1", plane, "int16 9"},
		{"max", "0", large, "uint64 18446744073709551615"}, {"min", "0", large, "uint64 18446744073709551614"},
		{"sum", "", []any{int64(1), 2.5}, "3.5"},
		{"mean", "", of(tensor.Float64, []int{2}, 1, math.NaN()), "NaN"}, {"max", "", of(tensor.Float64, []int{2}, math.NaN(), 1), "NaN"},
		{"sum", "", tensor.New(tensor.Int8, 0, 3), "0"}, {"sum", "0", tensor.New(tensor.Int8, 0, 3), "float64 [0,0,0]"},
		{"min", "1", tensor.New(tensor.Int8, 0, 3), "int8 []"},
		{"min", "0", tensor.New(tensor.Int8, 0, 3), "an array of 0 × 3 has no elements along these axes, and so no min"},
		{"sum", "2", plane, "there is no axis 2 in an array of 2 × 3: it has 2 axes"},
		{"sum", "0,-2", plane, "axis 0 is named twice"},
		{"sum", "0;1", plane, "key `axes` is `0;1`: `0;1` is not a whole number"},
		{"sum", strings.Repeat("0,", 40) + "0", plane, "it names 41 axes, but arrays have at most 32"},
		{"sum", "", []any{int64(1), "x"}, "got a list of 2 that is not an array (it contains a value that is not a number) where an array was expected"},
	} {
		if got := feed(reduceType(), pipe.Set("by", c.by, "axes", c.axes), "array", "result", c.in); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s along %s: %s, want %s", c.by, c.axes, got, c.want)
		}
	}
}

// naive reduces an array element by element, as a reference.
func naive(t *tensor.Tensor, gone []bool, by string) []float64 {
	results := map[int][]float64{}
	for i := range t.Count() {
		rest, to, step := i, 0, 1
		for axis := len(t.Shape) - 1; axis >= 0; axis-- {
			if !gone[axis] {
				to += rest % t.Shape[axis] * step
				step *= t.Shape[axis]
			}
			rest /= t.Shape[axis]
		}
		results[to] = append(results[to], t.At(i))
	}
	list := make([]float64, len(results))
	for to, all := range results {
		sum := 0.0
		for _, v := range all {
			sum += v
		}
		list[to] = map[string]float64{"sum": sum, "mean": sum / float64(len(all)), "min": slices.Min(all), "max": slices.Max(all)}[by]
	}
	return list
}

// TestReduceIsNaive checks that reduce gives the same results as a naive loop, for all kinds,
// shapes and axes.
func TestReduceIsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 5).Draw(t, "shape")
		if rapid.Bool().Draw(t, "long") {
			shape[rapid.IntRange(0, len(shape)-1).Draw(t, "which")] = 1500 // more elements than a fold reads at a time
			shape = shape[:min(len(shape), 3)]
		}
		kind := rapid.SampledFrom([]tensor.Kind{tensor.Int8, tensor.Uint16, tensor.Float32, tensor.Float64, tensor.Int64, tensor.Uint64}).Draw(t, "kind")
		a := tensor.New(kind, shape...)
		seed := rapid.IntRange(1, 1000).Draw(t, "seed")
		for i := range a.Count() {
			a.SetFloats(i, []float64{float64((i*7919 + seed*31) % 120)})
		}
		gone := make([]bool, len(shape))
		for i := range gone {
			gone[i] = rapid.Bool().Draw(t, "gone")
		}
		by := rapid.SampledFrom([]string{"sum", "mean", "min", "max"}).Draw(t, "by")
		var f folder
		got, err := f.reduce(a, gone, by)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range naive(a, gone, by) {
			if have := got.At(i); math.Abs(have-want) > 1e-9*math.Abs(want) {
				t.Fatalf("%s of %v: result %d is %v, want %v", by, a, i, have, want)
			}
		}
	})
}

func TestStats(t *testing.T) {
	for _, in := range []any{
		of(tensor.Float32, []int{2, 2}, 4, 1, 2, 5), of(tensor.Uint8, []int{4}, 4, 1, 2, 5), of(tensor.Int64, []int{2, 1, 2}, 4, 1, 2, 5), []any{int64(4), 1.0, int64(2), 5.0},
	} {
		got, err := flowtest.Feed(statsType(), nil, flowtest.Data{"field": data(in)}, []string{"min", "max", "mean"}, 10, flow.Options{})
		if err != nil || got["min"][0].Float() != 1 || got["max"][0].Float() != 5 || got["mean"][0].Float() != 3 {
			t.Errorf("%v: %v, %v", in, got, err)
		}
	}
	if got := feed(statsType(), nil, "field", "min", tensor.New(tensor.Int8, 0)); !strings.HasSuffix(got, "an array without elements has no statistics") {
		t.Errorf("%v; want %q at the end", got, "an array without elements has no statistics")
	}
}

func TestColormap(t *testing.T) {
	low, high := fmt.Sprintf("[%d,%d,%d]", anchors[0].R, anchors[0].G, anchors[0].B), fmt.Sprintf("[%d,%d,%d]", anchors[5].R, anchors[5].G, anchors[5].B)
	for _, c := range []struct {
		in    any
		scale string
		want  string
	}{
		{of(tensor.Uint8, []int{1, 2}, 0, 100), "1", "uint8 [[" + low + "," + high + "]]"},
		{of(tensor.Float64, []int{2}, -5, 200), "1", "uint8 [[" + low + "," + high + "]]"},
		{of(tensor.Float32, []int{2, 1, 1}, 0, math.NaN()), "1", "uint8 [[" + low + "],[[128,128,128]]]"},
		{[]any{[]any{int64(100)}}, "2", "uint8 [[" + high + "," + high + "],[" + high + "," + high + "]]"},
		{of(tensor.Int8, []int{2, 2, 2}), "1", "an array of 3 axes cannot be painted: an image has 2 axes; use `slice` to cut a plane out of it"},
		{tensor.New(tensor.Int8, 2, 2, 0), "1", "an array of 3 axes cannot be painted: an image has 2 axes; use `slice` to cut a plane out of it"},
		{tensor.New(tensor.Int8), "1", "an array of 0 axes cannot be painted: an image has 2 axes; use `slice` to cut a plane out of it"},
		{tensor.New(tensor.Int8, 4000, 4000), "64", "an image of 256000 by 256000 pixels is too large: the limit is 134217728 pixels; make `scale` smaller"},
	} {
		if got := feed(colormapType(), pipe.Set("scale", c.scale), "field", "image", c.in); !strings.HasSuffix(got, c.want) {
			t.Errorf("%v: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestPaint(t *testing.T) {
	if paint(-1) != anchors[0] || paint(2) != anchors[len(anchors)-1] {
		t.Error("values outside the range are not painted as its ends")
	}
	for v := 0.0; v < 1; v += 0.01 {
		a, b := paint(v), paint(v+0.01)
		if brightness := func(r, g, b uint8) int { return 3*int(r) + 6*int(g) + int(b) }; brightness(a.R, a.G, a.B) > brightness(b.R, b.G, b.B) {
			t.Errorf("at %v hotter is darker, want at least as bright", v)
		}
	}
}

func BenchmarkReduce(b *testing.B) {
	a := tensor.New(tensor.Float64, 64, 128, 128)
	for _, axes := range [][]bool{{true, false, false}, {false, true, true}, {true, false, true}} {
		b.Run(fmt.Sprint(axes), func(b *testing.B) {
			var f folder
			b.ReportAllocs()
			b.SetBytes(int64(len(a.Data)))
			for b.Loop() {
				if _, err := f.reduce(a, axes, "mean"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSlice(b *testing.B) {
	a := tensor.New(tensor.Float64, 64, 128, 128)
	for _, at := range []string{"3", ":,3", ":,:,3"} {
		c, err := readCut(at)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(at, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.apply(a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestPictureBefore checks what is known about an image before the run. An extent of -1 is not
// known.
func TestPictureBefore(t *testing.T) {
	typ := colormapType()
	for _, c := range []struct{ shape, want []int }{
		{nil, []int{-1, -1, 3}},
		{[]int{4, -1}, []int{-1, -1, 3}},
	} {
		got, err := typ.Tell("image", pipe.Values{}, func(string) pipe.Facts { return pipe.Facts{Shape: c.shape} })
		if err != nil || got.Kind != tensor.Uint8 || !slices.Equal(got.Shape, c.want) {
			t.Errorf("%v: %+v, %v", c.shape, got, err)
		}
	}
}
