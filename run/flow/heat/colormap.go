package heat

import (
	"image"
	"image/color"

	"github.com/pentode-dev/pentode/run/flow"
)

func colormapType() *flow.Type {
	return &flow.Type{
		Name: "colormap",
		New:  func() flow.Process { return &colormap{} },
		Doc:  "Paints each field: cold is dark, hot is bright.",
		In:   []flow.Port{{Name: "field", Type: FieldType, Flags: flow.Required, Doc: "The field."}},
		Out:  []flow.Port{{Name: "image", Type: "kwiver:image", Flags: flow.Shared | flow.Required, Doc: "Its picture."}},
		Keys: []flow.Key{
			{Name: "low", Kind: flow.Double, Default: "0", Tunable: true, Doc: "The value of the darkest colour."},
			{Name: "high", Kind: flow.Double, Default: "100", Tunable: true, Doc: "The value of the brightest colour."},
			{Name: "scale", Kind: flow.Unsigned, Default: "3", Doc: "Pixels to the side of a cell."},
		},
		Judge: judgeColours,
	}
}

func judgeColours(v flow.Values) error {
	if scale := v.Int("scale"); scale < 1 || scale > 64 {
		return v.Errorf("scale", "a cell of %d pixels cannot be drawn: it has 1 to 64", scale)
	}
	if low, high := v.Float("low"), v.Float("high"); !(low < high) {
		return v.Errorf("high", "the range from %v to %v is empty: `high` must be larger than `low`", low, high)
	}
	return nil
}

type colormap struct {
	low, high float64
	scale     int
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

func (p *colormap) Step(*flow.Step) error {
	f := flow.As[*Field](p.in.Take())
	img := image.NewRGBA(image.Rect(0, 0, f.Cols*p.scale, f.Rows*p.scale))
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			img.SetRGBA(x, y, paint((f.At(y/p.scale, x/p.scale)-p.low)/(p.high-p.low)))
		}
	}
	p.out.Push(flow.Of(image.Image(img)))
	return nil
}

// anchors are the colours at equal distances from cold to hot; black body
// radiation as people imagine it.
var anchors = []color.RGBA{
	{8, 8, 32, 255}, {60, 16, 110, 255}, {150, 30, 110, 255}, {225, 80, 60, 255}, {250, 165, 40, 255}, {255, 245, 190, 255},
}

// paint is the colour of a value between 0 and 1.
func paint(v float64) color.RGBA {
	v = min(max(v, 0), 1) * float64(len(anchors)-1)
	i := min(int(v), len(anchors)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*(v-float64(i)) + 0.5) }
	a, b := anchors[i], anchors[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
