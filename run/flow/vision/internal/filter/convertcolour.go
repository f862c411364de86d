package filter

import (
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func convertColour() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "ocv_convert_color",
		Doc:  "Converts between colour spaces.",
		Keys: []pipe.Key{
			{Name: "input_color_space", Kind: pipe.String, Default: "RGB", Doc: "Colour space of the input: RGB, BGR or HSV."},
			{Name: "output_color_space", Kind: pipe.String, Default: "HLS", Doc: "Colour space of the output: RGB, BGR, HSV, HLS, or Lab with 255 as the brightest."},
		},
		New: func(s algo.Settings) (Filter, error) {
			in, out := strings.ToUpper(s.Value("input_color_space")), strings.ToUpper(s.Value("output_color_space"))
			from, to := spacesIn[in], spacesOut[out]
			if from == nil {
				return nil, s.Errorf("input_color_space", "`%s` is not known here: expected RGB, BGR or HSV", in)
			}
			if to == nil {
				return nil, s.Errorf("output_color_space", "`%s` is not known here: expected RGB, BGR, HSV, HLS or Lab", out)
			}
			return colourConverter{from, to}, nil
		},
	}
}

type space func(a, b, c uint8) (x, y, z uint8)

func same(a, b, c uint8) (x, y, z uint8)   { return a, b, c }
func turned(a, b, c uint8) (x, y, z uint8) { return c, b, a }

var (
	spacesIn  = map[string]space{"RGB": same, "BGR": turned, "HSV": fromHSV}
	spacesOut = map[string]space{"RGB": same, "BGR": turned, "HSV": toHSV, "HLS": toHLS, "LAB": labBytes}
)

func labBytes(r, g, b uint8) (x, y, z uint8) { return labs().of(r, g, b) }

type colourConverter struct{ in, out space }

func (c colourConverter) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	if t.Kind != tensor.Uint8 || t.Shape[2] != 3 {
		return nil, errKind("ocv_convert_color", t, "three channels of 8 bits")
	}
	out := tensor.New(tensor.Uint8, t.Shape...)
	for i := 0; i < len(t.Data); i += 3 {
		out.Data[i], out.Data[i+1], out.Data[i+2] = c.out(c.in(t.Data[i], t.Data[i+1], t.Data[i+2]))
	}
	return out, nil
}
