package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// TestArraysFit: an array fits an array of the same shape whose elements can hold its own; the memory is shared if nothing needs to be converted.
func TestArraysFit(t *testing.T) {
	of := func(kind tensor.Kind, shape []int, list ...float64) *tensor.Tensor {
		a := tensor.New(kind, shape...)
		a.SetFloats(0, list)
		return a
	}
	plane := func(elem, size string) *data.Node {
		var list []any
		for n := range strings.SplitSeq(size, ",") {
			list = append(list, n)
		}
		return data.Map("type", "array", "subtype", elem, "size", data.List(list...))
	}
	for _, c := range []struct {
		v    any
		tree *data.Node
		want string // the bytes, or the error
	}{
		{of(tensor.Uint8, []int{2, 3}, 1, 2, 3, 4, 5, 6), plane("uint8", "2,3"), "[1 2 3 4 5 6]"},
		{of(tensor.Uint8, []int{2, 3}, 1, 2, 3, 4, 5, 6), data.Map("type", "array", "subtype", plane("uint8", "3"), "size", "2"), "[1 2 3 4 5 6]"},
		{of(tensor.Float64, []int{2}, 1, 2), plane("int8", "2"), "[1 2]"},
		{of(tensor.Float32, []int{2}, 1, -1), plane("int16", "2"), "[1 0 255 255]"},
		{[]any{int64(1), int64(2)}, plane("uint16", "2"), "[1 0 2 0]"},
		{[]any{int64(1), int64(2)}, plane("float", "2"), "[0 0 128 63 0 0 0 64]"},
		{of(tensor.Uint8, nil, 7), data.Text("int16"), "[7 0]"},
		{of(tensor.Float64, []int{2}, 1, 300), plane("uint8", "2"), "an array of 2 float64 arrives, but the tree declares `array uint8 [2]`: 300 does not fit into uint8"},
		{of(tensor.Float64, []int{1}, 1.5), plane("int32", "1"), "1.5 is not a whole number"},
		{of(tensor.Float64, []int{12, 20}), plane("double", "20,12"), "an array of 12 × 20 float64 arrives, but the tree declares 20 × 12: its axes are in reverse order"},
		{of(tensor.Float64, []int{12, 20}), plane("double", "240"), "an array of 12 × 20 float64 arrives, but the tree declares 240"},
		{of(tensor.Float64, []int{3}), data.Text("double"), "an array of 3 float64 arrives, but the tree declares one `double`"},
		{[]any{[]any{int64(1)}, []any{}}, plane("double", "2"), "its lists have different lengths, 1 and 0"},
		{[]any{"x"}, plane("double", "1"), "a list that is not an array arrives, but the tree declares"},
		{map[string]any{}, plane("double", "1"), "a record cannot be exposed: expected a number, a text or an array"},
		{true, plane("double", "1"), "true or false cannot be exposed"},
		{[]byte("abc"), plane("char", "4"), "3 bytes arrive, but the tree declares 4"},
	} {
		template, err := data.ParseType(c.tree, &data.Env{})
		if err != nil {
			t.Fatal(err)
		}
		typ, err := template.Evaluate()
		if err != nil {
			t.Fatal(err)
		}
		memory, err := memoryFor(typ, flow.Of(c.v))
		got := fmt.Sprint(memory)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v into %v: %s\nwant %s", c.v, typ, got, c.want)
		}
	}
	a := of(tensor.Float64, []int{2, 2})
	template, _ := data.ParseType(plane("double", "2,2"), &data.Env{})
	typ, _ := template.Evaluate()
	if memory, err := memoryFor(typ, flow.Of(a)); err != nil || &memory.([]byte)[0] != &a.Data[0] {
		t.Errorf("the array was copied, %v", err)
	}
}

func BenchmarkArrayFor(b *testing.B) {
	template, _ := data.ParseType(data.Map("type", "array", "subtype", "double", "size", "131072"), &data.Env{})
	typ, err := template.Evaluate()
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range []tensor.Kind{tensor.Float64, tensor.Float32} {
		d := flow.Of(tensor.New(kind, 131072))
		b.Run(kind.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := memoryFor(typ, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
