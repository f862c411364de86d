package filter

import (
	"math/rand/v2"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func hueShift() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "ocv_random_hue_shift",
		Doc:  "Changes the colours of random images, all pixels of an image in the same way.",
		Keys: []pipe.Key{
			{Name: "trigger_percent", Kind: pipe.Double, Default: "0.50", Doc: "Share of the images that are changed, from 0 to 1."},
			{Name: "hue_range", Kind: pipe.Double, Default: "0.0", Doc: "Width of the range of hue changes, in half degrees."},
			{Name: "sat_range", Kind: pipe.Double, Default: "0.0", Doc: "Width of the range of saturation changes, out of 255."},
			{Name: "int_range", Kind: pipe.Double, Default: "0.0", Doc: "Width of the range of brightness changes, out of 255."},
			{Name: "rgb_shift_range", Kind: pipe.Double, Default: "0.0", Doc: "Width of the range of changes to red, green and blue separately, out of 255."},
		},
		New: func(s algo.Settings) (Filter, error) {
			return &shifter{trigger: s.Float("trigger_percent"), hue: s.Float("hue_range"), sat: s.Float("sat_range"), value: s.Float("int_range"), rgb: s.Float("rgb_shift_range"), random: rand.Float64}, nil
		},
	}
}

type shifter struct {
	trigger, hue, sat, value, rgb float64
	random                        func() float64 // returns numbers from 0 to 1
}

func (s *shifter) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	if s.random() >= s.trigger {
		return t, nil
	}
	if t.Kind != tensor.Uint8 || t.Shape[2] != 3 {
		return nil, errKind("ocv_random_hue_shift", t, "three channels of 8 bits")
	}
	shift := func(span float64) float64 { return span*s.random() - span/2 }
	hue, sat, value := shift(s.hue), shift(s.sat), shift(s.value)
	var rgb [3]float64
	if s.rgb != 0 {
		rgb = [3]float64{shift(s.rgb), shift(s.rgb), shift(s.rgb)}
	}
	out := tensor.New(tensor.Uint8, t.Shape...)
	for i := 0; i < len(t.Data); i += 3 {
		h, sa, v := toHSV(t.Data[i], t.Data[i+1], t.Data[i+2])
		turned := float64(h) + hue
		if turned > 180 {
			turned -= 180
		} else if turned < 0 {
			turned += 180
		}
		r, g, b := fromHSV(uint8(turned), whole(float64(sa)+sat), whole(float64(v)+value))
		out.Data[i], out.Data[i+1], out.Data[i+2] = whole(float64(r)+rgb[0]), whole(float64(g)+rgb[1]), whole(float64(b)+rgb[2])
	}
	return out, nil
}

// whole truncates a number to a byte.
func whole(v float64) uint8 { return uint8(min(max(v, 0), 255)) }
