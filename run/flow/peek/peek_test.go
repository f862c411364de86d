package peek_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func ramp(kind tensor.Kind, shape ...int) *tensor.Tensor {
	t := tensor.New(kind, shape...)
	for i := range t.Count() {
		t.SetFloats(i, []float64{float64(i)})
	}
	return t
}

// TestKinds: every kind of datum has its own view, and the view is small.
func TestKinds(t *testing.T) {
	odd := ramp(tensor.Float64, 3)
	odd.SetFloats(1, []float64{math.NaN()})
	deep := map[string]any{"a": int64(1)}
	for range 20 {
		deep = map[string]any{"in": deep}
	}
	for name, c := range map[string]struct {
		datum flow.Datum
		typ   string
		kind  string
		want  []string // in the JSON of the view
	}{
		"whole number": {flow.OfInt(-7), "integer", peek.Number, []string{`"text":"-7"`, `"noun":"a whole number"`}},
		"number":       {flow.OfFloat(0.1), "", peek.Number, []string{`"text":"0.1"`}},
		"no number":    {flow.OfFloat(math.NaN()), "", peek.Number, []string{`"text":"NaN"`}},
		"text":         {flow.OfText("<b>\xff"), "string", peek.Text, []string{`"text":"\u003cb\u003e�"`, `"bytes":4`}},
		"long text":    {flow.OfText(strings.Repeat("ä", 1<<20)), "string", peek.Text, []string{`"cut":true`, `"bytes":2097152`}},
		"empty":        {flow.OfEmpty(), "", peek.Empty, nil},
		"error":        {flow.OfError("too large"), "", peek.Error, []string{`"text":"too large"`}},
		"curve":        {flow.Of(odd), "", peek.Curve, []string{`"low":[0,null,2]`, `"high":[0,null,2]`, `"odd":1`, `"shape":[1,3]`, `"min":0,"max":2`}},
		"list":         {flow.Of([]any{int64(4), int64(5)}), "", peek.Curve, []string{`"low":[4,5]`}},
		"long curve":   {flow.Of(ramp(tensor.Float32, 3<<20)), "", peek.Curve, []string{`"cells":[1,256]`, `"read":1048576`, `"bytes":12582912`}},
		"map":          {flow.Of(ramp(tensor.Int32, 2, 3)), "", peek.Map, []string{`"mean":[0,1,2,3,4,5]`, `"cells":[2,3]`}},
		"large map":    {flow.Of(ramp(tensor.Uint8, 1500, 1200)), "", peek.Map, []string{`"cells":[128,128]`, `"read":1048576`}},
		"cube":         {flow.Of(ramp(tensor.Float64, 2, 2, 9)), "", peek.Map, []string{`"part":"the first 2 × 9"`, `"noun":"an array of 2 × 2 × 9 float64"`}},
		"scalar":       {flow.Of(ramp(tensor.Float32)), "", peek.Number, []string{`"text":"0"`}},
		"no elements":  {flow.Of(ramp(tensor.Float32, 0, 4)), "", peek.Other, []string{`an array of 0 × 4 float32`}},
		"no image":     {flow.Of(ramp(tensor.Float32, 4, 5, 9)), pipe.ImageType, peek.Map, nil},
		"record":       {flow.Of(map[string]any{"b": []any{int64(1), "x"}, "a": true}), "", peek.Other, []string{`"text":"a: true\nb: \n  1\n  \"x\""`}},
		"deep record":  {flow.Of(deep), "", peek.Other, []string{`1 inside`}},
		"timestamp":    {flow.Of(image.Timestamp{Frame: 3, Time: 0.5}), "", peek.Other, []string{`frame: 3\ntime: 0.5`}},
		"long list":    {flow.Of([]any{[]any{}, strings.Repeat("y", 5000), make([]string, 1<<20)}), "", peek.Other, []string{`and 1048526 more`, `none`}},
		"own kind":     {flow.Of(struct{ A int }{1}), "", peek.Other, []string{`a value of another type`}},
	} {
		t.Run(name, func(t *testing.T) {
			v := peek.Of(flow.Sample{Number: 1, Datum: c.datum, Type: c.typ, Stamp: 5})
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if v.Kind != c.kind || v.Stamp != 5 || len(text) > 128<<10 {
				t.Errorf("it is seen as %s, %d bytes; want v.Kind = %v, v.Stamp = 5 and len(text) at most %v", v.Kind, len(text), c.kind, 128<<10)
			}
			for _, want := range c.want {
				if !bytes.Contains(text, []byte(want)) {
					t.Errorf("%s is missing in %.600s", want, text)
				}
			}
		})
	}
}

// TestImage: the view of an image is smaller and has the same colours.
func TestImage(t *testing.T) {
	for _, c := range []struct {
		typ           string
		shape         []int
		width, height int
	}{
		{pipe.ImageType, []int{3, 4}, 4, 3},
		{pipe.ImageType, []int{900, 1800, 3}, 400, 200},
		{"", []int{2, 5, 4}, 5, 2},
		{pipe.ImageType, []int{5000, 1, 1}, 1, 400},
	} {
		array := ramp(tensor.Uint8, c.shape...)
		v := peek.Of(flow.Sample{Number: 1, Datum: flow.Of(array), Type: c.typ})
		img, err := png.Decode(bytes.NewReader(v.PNG))
		if err != nil || v.Kind != peek.Image {
			t.Errorf("%v is seen as %s: %v", c.shape, v.Kind, err)
			continue
		}
		if b := img.Bounds(); b.Dx() != c.width || b.Dy() != c.height {
			t.Errorf("%v becomes an image of %v, want b.Dx() = %v and b.Dy() = %v", c.shape, b, c.width, c.height)
		}
		whole, _ := image.From(flow.Of(array))
		got, _, _, _ := img.At(0, 0).RGBA()
		if want, _, _, _ := whole.At(0, 0).RGBA(); got != want {
			t.Errorf("the first pixel of %v is %x, want %x", c.shape, got, want)
		}
	}
}

// TestFollow: each view says how many data were skipped, and the tap is closed when following ends.
func TestFollow(t *testing.T) {
	p := flow.New(catalog.Standard())
	p.AddProcess("src", "numbers", pipe.Set("end", "1000000000000"))
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.number", "snk.sink")
	run, err := p.Start(t.Context(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { run.Abort(); _ = run.Wait() }()
	tap, err := run.Tap("snk.sink")
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []peek.View
	err = peek.Follow(ctx, tap, func(v peek.View) error {
		if v.Kind == peek.Number {
			seen = append(seen, v)
		}
		if len(seen) == 2 {
			cancel()
		}
		return nil
	})
	if err != nil || len(seen) < 2 {
		t.Fatalf("%d views, %v", len(seen), err)
	}
	first, second := seen[0], seen[1]
	if second.Number-first.Number != second.Skipped+1 || second.Stamp <= first.Stamp || second.Passed < second.Number || second.WatchedNS <= 0 {
		t.Errorf("after\n%+v\ncomes\n%+v", first, second)
	}
}
