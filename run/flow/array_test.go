package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// giver and taker return process types with a single port, an output or an input, of a given type.
func giver(typ string) *pipe.Type {
	return &pipe.Type{Name: "giver", Out: []pipe.Port{{Name: "out", Type: typ, Flags: pipe.Shared}}, New: func() pipe.Process { return nil }}
}

func taker(typ string) *pipe.Type {
	return &pipe.Type{Name: "taker", In: []pipe.Port{{Name: "in", Type: typ}}, New: func() pipe.Process { return nil }}
}

// TestArrayTypesMeet checks that two ports of array types can be connected if data can be of both
// types, directly or through other processes, and that the edge has the combined type.
func TestArrayTypesMeet(t *testing.T) {
	for _, c := range []struct{ out, in, edge string }{
		{"array", "array", "array"}, {"array:float64:2", "array", "array:float64:2"}, {"array", "array:float64:2", "array:float64:2"},
		{"array:float64", "array:2", "array:float64:2"}, {"array:float64:2", "array:float32:2", ""}, {"array:float64:2", "array:3", ""},
		{"array:0", "array:1", ""}, {"array:3", "kwiver:image", "kwiver:image"}, {"array:uint8:2", "kwiver:image", "kwiver:image"},
		{"array:4", "kwiver:image", ""}, {"kwiver:image", "array:1", ""}, {"kwiver:image", "array", "kwiver:image"},
		{"array:float64:2", "double", ""}, {"array:double:2", "array:2", ""}, {"array:2:float64", "array:2", ""}, {"array:02", "array:2", ""},
		{"array:double:2", "array:double:2", "array:double:2"}, {"arrays", "array", ""}, {"array:float64:99", "array", ""}, {"array:-1", "array", ""},
	} {
		for _, text := range []string{"g :: giver\nt :: taker\ng.out -> t.in", "g :: giver\np :: pass\nt :: taker\ng.out -> p.pass\np.pass -> t.in", "g :: giver\np :: pass\nt :: taker\np.pass -> t.in\ng.out -> p.pass"} {
			p := with(build(text), giver(c.out), taker(c.in))
			plan, list := pipe.Resolve(&p.Graph, p.Registry)
			if list.HasErrors() != (c.edge == "") {
				t.Errorf("%s into %s: %s; want %v", c.out, c.in, strings.Join(texts(list), "; "), (c.edge == ""))
			}
			if c.edge != "" && plan.Edges[0].Type != c.edge {
				t.Errorf("%s into %s makes an edge of %s, want %s", c.out, c.in, plan.Edges[0].Type, c.edge)
			}
			if pipe.IsArray(c.out) && c.edge == "" && !slices.ContainsFunc(texts(list), func(s string) bool { return strings.Contains(s, "`"+c.out+"`") }) {
				t.Errorf("%s into %s: no message names it: %q", c.out, c.in, texts(list))
			}
		}
	}
}

// TestFacts checks that facts about arrays pass through the pipeline, and that contradictions are
// found before the run.
func TestFacts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"h :: heat rows=6 cols=8\nc :: slice at=2\np :: colormap\ns :: sink\nh.field -> c.array\nc.array -> p.field\np.image -> s.sink", ""},
		{"h :: heat rows=6 cols=8\nc :: slice at=9\ns :: sink\nh.field -> c.array\nc.array -> s.sink", "t.pipe:2:1 process `c`: there is no index 9 on axis 0 of an array of 6 × 8: its extent is 6"},
		{"h :: heat rows=6 cols=8\nc :: slice at=0,0,0\ns :: sink\nh.field -> c.array\nc.array -> s.sink", "t.pipe:2:1 process `c`: the cut names 3 axes, but an array of 6 × 8 has 2"},
		{"h :: heat rows=6 cols=8\nr :: reduce axes=2\ns :: sink\nh.field -> r.array\nr.result -> s.sink", "t.pipe:2:1 process `r`: there is no axis 2 in an array of 6 × 8: it has 2 axes"},
		{"h :: heat rows=6 cols=8\np :: pass\nr :: reduce axes=2\ns :: sink\nh.field -> p.pass\np.pass -> r.array\nr.result -> s.sink", "t.pipe:3:1 process `r`: there is no axis 2 in an array of 6 × 8: it has 2 axes"},
		{"h :: heat\nc :: slice\nt :: taker\nh.field -> c.array\nc.array -> t.in", "t.pipe:5:1 `c.array` gives `array:float64:1`, but `t.in` takes `array:float64:2`"},
		{"h :: heat\nr :: reduce axes=0\nt :: taker\nh.field -> r.array\nr.result -> t.in", "t.pipe:5:1 `r.result` gives `array:float64:1`, but `t.in` takes `array:float64:2`"},
		{"h :: heat\nr :: reduce\nt :: taker\nh.field -> r.array\nr.result -> t.in", "t.pipe:5:1 `r.result` gives `double`, but `t.in` takes `array:float64:2`"},
		{"g :: giver\np :: colormap\ns :: sink\ng.out -> p.field\np.image -> s.sink", "t.pipe:2:1 process `p`: an array of 4 axes cannot be painted: an image has 2 axes; use `slice` to cut a plane out of it"},
		{"e :: exec command=sh\nr :: reduce axes=7\nt :: taker\ne.a -> r.array\nr.result -> t.in", ""}, // the shape is not known before the run
		{"h :: heat\np :: colormap\nc :: slice at=:,:,1\nq :: colormap\ns :: sink\nh.field -> p.field\np.image -> c.array\nc.array -> q.field\nq.image -> s.sink", ""},
		{"h :: heat\np :: colormap\nc :: slice at=:,:,3\ns :: sink\nh.field -> p.field\np.image -> c.array\nc.array -> s.sink", "t.pipe:3:1 process `c`: there is no index 3 on axis 2 of an array of 288 × 384 × 3: its extent is 3"},
	} {
		list := with(build(c.text), giver("array:4"), taker("array:float64:2")).Check()
		got := ""
		for _, p := range list {
			got += p.Span.String() + " " + p.Message
		}
		if got != c.want {
			t.Errorf("%s\nhave %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestArrayOfDatum checks that arrays and lists of numbers can be read as arrays, and that errors
// describe other data.
func TestArrayOfDatum(t *testing.T) {
	a := tensor.New(tensor.Int8, 2)
	if got := flow.Of(a).Array(); got != a {
		t.Error("an array was copied")
	}
	if got := flow.Of([]any{1.5}).Array(); got.At(0) != 1.5 {
		t.Errorf("%v; want 1.5", got)
	}
	for _, c := range []struct {
		d    flow.Datum
		want string
	}{
		{flow.OfInt(1), "a whole number"}, {flow.OfFloat(1), "a number"}, {flow.OfText("x"), "a string"}, {flow.OfEmpty(), "no value (empty)"},
		{flow.Of(true), "true or false"}, {flow.Of([]byte("x")), "bytes"}, {flow.Of(map[string]any{}), "a record"}, {flow.Of(struct{}{}), "a value of another type"},
		{flow.Of([]any{"x"}), "a list of 1 that is not an array (it contains a value that is not a number)"}, {flow.Of([]string{"x"}), "a list"},
	} {
		if got := caught(func() any { return c.d.Array() }); got != "raises got "+c.want+" where an array was expected" {
			t.Errorf("%v; want %v", got, "raises got "+c.want+" where an array was expected")
		}
	}
	if got := caught(func() any { return flow.Of(a).Int() }); got != "raises got an array of 2 int8 where a whole number was expected" {
		t.Errorf("%v; want %q", got, "raises got an array of 2 int8 where a whole number was expected")
	}
	if got := caught(func() any { return flow.As[*tensor.Tensor](flow.OfInt(1)) }); got != "raises got a whole number where an array was expected" {
		t.Errorf("%v; want %q", got, "raises got a whole number where an array was expected")
	}
}
