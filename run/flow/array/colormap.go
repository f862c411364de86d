package array

import (
	"fmt"
	"image/color"
	"math"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func colormapType() *pipe.Type {
	return &pipe.Type{
		Name: "colormap",
		New:  func() pipe.Process { return &colormap{} },
		Doc:  "Paints each plane or line of numbers: low is dark, high is bright, NaN is grey.",
		In:   []pipe.Port{{Name: "field", Type: pipe.ArrayType, Flags: pipe.Required, Doc: "An array of one or two axes; `slice` and `reduce` make one from an array of more axes."}},
		Out:  []pipe.Port{{Name: "image", Type: pipe.ImageType, Flags: pipe.Shared | pipe.Required, Doc: "The image of the array."}},
		Keys: []pipe.Key{
			{Name: "low", Kind: pipe.Double, Default: "0", Tunable: true, Doc: "The value of the darkest colour."},
			{Name: "high", Kind: pipe.Double, Default: "100", Tunable: true, Doc: "The value of the brightest colour."},
			{Name: "scale", Kind: pipe.Unsigned, Default: "3", Doc: "Width and height of a cell in pixels."},
		},
		Judge: judgeColours,
		Tell: func(_ string, v pipe.Values, in func(string) pipe.Facts) (pipe.Facts, error) {
			picture := pipe.Facts{Kind: tensor.Uint8, Shape: []int{-1, -1, 3}}
			shape := in("field").Shape
			if shape == nil {
				return picture, nil
			}
			rows, cols, err := plane(shape)
			if err == nil && known(shape) {
				scale := int(v.Int("scale"))
				picture.Shape = []int{rows * scale, cols * scale, 3}
				err = paintable(rows, cols, scale)
			}
			return picture, err
		},
	}
}

// plane returns the number of rows and columns of an array that can be painted.
func plane(shape []int) (rows, cols int, err error) {
	switch n := len(shape); {
	case n == 1:
		return 1, shape[0], nil
	case n == 2, n == 3 && shape[2] == 1: // painted as a grey image is
		return shape[0], shape[1], nil
	case n == 3 && shape[2] < 0:
		return -1, -1, nil
	}
	return 0, 0, fmt.Errorf("an array of %s cannot be painted: an image has 2 axes; use `slice` to cut a plane out of it", axes(len(shape)))
}

// maxPixels is the maximum number of pixels of a painted array.
const maxPixels = 1 << 27

func paintable(rows, cols, scale int) error {
	if rows > 0 && cols > maxPixels/rows/scale/scale {
		return fmt.Errorf("an image of %d by %d pixels is too large: the limit is %d pixels; make `scale` smaller", rows*scale, cols*scale, maxPixels)
	}
	return nil
}

func judgeColours(v pipe.Values) error {
	if scale := v.Int("scale"); scale < 1 || scale > 64 {
		return v.Errorf("scale", "a cell of %d pixels cannot be drawn: expected 1 to 64", scale)
	}
	if low, high := v.Float("low"), v.Float("high"); !(low < high) {
		return v.Errorf("high", "the range from %v to %v is empty: `high` must be larger than `low`", low, high)
	}
	return nil
}

type colormap struct {
	low, high float64
	scale     int
	line      []float64
	in        *flow.In
	out       *flow.Out
}

func (p *colormap) Setup(s *flow.Setup) error {
	p.in, p.out, p.scale = s.In("field"), s.Out("image"), int(s.Int("scale"))
	return p.Reconfigure(s)
}

func (p *colormap) Reconfigure(s *flow.Setup) error {
	p.low, p.high = s.Float("low"), s.Float("high")
	return nil
}

func (p *colormap) Step(pipe.Step) error {
	t := p.in.Take().Array()
	rows, cols, err := plane(t.Shape)
	if err == nil {
		err = paintable(rows, cols, p.scale)
	}
	if err != nil {
		return err
	}
	img := tensor.New(tensor.Uint8, rows*p.scale, cols*p.scale, 3)
	if cap(p.line) < cols {
		p.line = make([]float64, cols)
	}
	p.line = p.line[:cols]
	width := 3 * cols * p.scale
	for row := range rows {
		t.Floats(p.line, row*cols)
		first := img.Data[row*p.scale*width:][:width]
		for col, v := range p.line {
			c := paint((v - p.low) / (p.high - p.low))
			for k := range p.scale {
				at := 3 * (col*p.scale + k)
				first[at], first[at+1], first[at+2] = c.R, c.G, c.B
			}
		}
		for k := 1; k < p.scale; k++ {
			copy(img.Data[(row*p.scale+k)*width:], first)
		}
	}
	p.out.Push(flow.Of(img))
	return nil
}

// anchors are the evenly spaced colours of the map, from cold to hot. They resemble the
// colours of a glowing body.
var anchors = []color.RGBA{
	{8, 8, 32, 255}, {60, 16, 110, 255}, {150, 30, 110, 255}, {225, 80, 60, 255}, {250, 165, 40, 255}, {255, 245, 190, 255},
}

// paint returns the colour of a value between 0 and 1.
func paint(v float64) color.RGBA {
	if math.IsNaN(v) {
		return color.RGBA{128, 128, 128, 255}
	}
	v = min(max(v, 0), 1) * float64(len(anchors)-1)
	i := min(int(v), len(anchors)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*(v-float64(i)) + 0.5) }
	a, b := anchors[i], anchors[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
