package filter

import (
	"encoding/binary"
	"math"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/vision/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func debayer() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "ocv_debayer",
		Doc:  "Makes colours of what a camera with a filter before each pixel saw; images with several channels pass.",
		Keys: []flow.Key{
			{Name: "pattern", Kind: flow.String, Default: "BG", Choices: []string{"BG", "GB", "RG", "GR"}, Doc: "Colours of the second and third pixel of the second row."},
			{Name: "force_8bit", Kind: flow.Bool, Default: "false", Doc: "Whether deeper images are stretched to 8 bits, from the darkest to the brightest."},
		},
		New: func(s algo.Settings) (Filter, error) {
			d := &debayerer{bytes: s.Bool("force_8bit")}
			switch s.Value("pattern") { // which pixel of the first two rows is red
			case "GB":
				d.redX = 1
			case "RG":
				d.redX, d.redY = 1, 1
			case "GR":
				d.redY = 1
			}
			return d, nil
		},
	}
}

type debayerer struct {
	redX, redY int
	bytes      bool
}

func (d *debayerer) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	if t.Shape[2] != 1 {
		return t, nil
	}
	h, w := t.Shape[0], t.Shape[1]
	if h < 3 || w < 3 {
		return nil, errKind("ocv_debayer", t, "at least three rows and columns")
	}
	out := tensor.New(t.Kind, h, w, 3)
	switch t.Kind {
	case tensor.Uint8:
		interpolate(out.Data, t.Data, h, w, d.redX, d.redY)
	case tensor.Uint16:
		in := make([]uint16, h*w)
		for i := range in {
			in[i] = binary.LittleEndian.Uint16(t.Data[2*i:])
		}
		rgb := make([]uint16, 3*h*w)
		interpolate(rgb, in, h, w, d.redX, d.redY)
		for i, v := range rgb {
			binary.LittleEndian.PutUint16(out.Data[2*i:], v)
		}
	default:
		return nil, errKind("ocv_debayer", t, "8 or 16 bits")
	}
	if d.bytes && t.Kind != tensor.Uint8 {
		return toBytes(out), nil
	}
	return out, nil
}

// interpolate takes at each pixel the colour that it has, and the means of its neighbours for
// the others. The edge repeats the pixels beside it.
func interpolate[T uint8 | uint16](out, in []T, h, w, redX, redY int) {
	for y := 1; y < h-1; y++ {
		above, row, below := in[(y-1)*w:y*w], in[y*w:(y+1)*w], in[(y+1)*w:(y+2)*w]
		to := out[3*y*w : 3*(y+1)*w]
		first, blue := redX, y&1 != redY // where the colour of the row is known
		if blue {
			first = 1 - redX
		}
		fillRow(to, above, row, below, first == 1, blue)
		copy(to[:3], to[3:6])
		copy(to[3*(w-1):], to[3*(w-2):3*(w-1)])
	}
	copy(out[:3*w], out[3*w:6*w])
	copy(out[3*(h-1)*w:], out[3*(h-2)*w:3*(h-1)*w])
}

// fillRow fills a row but for its ends. The first pixel after the edge shows the colour of the
// row, red or blue, where own is set, else green; the others take turns.
func fillRow[T uint8 | uint16](to, above, row, below []T, own, blue bool) {
	c, o := 0, 2 // the channels of the row's colour and of the third
	if blue {
		c, o = 2, 0
	}
	x := 1
	if !own {
		x = 0 // the pixel before the first shows the colour; it is the edge, which is written later
	}
	w := len(row)
	above, below = above[:w], below[:w]
	for ; x+2 < w; x += 2 { // a pixel with the colour, and a green one
		left := max(x-1, 0)
		a0, a1, a2, b0, b1, b2 := uint32(above[left]), uint32(above[x]), uint32(above[x+1]), uint32(below[left]), uint32(below[x]), uint32(below[x+1])
		r0, r1, r2, r3 := uint32(row[left]), uint32(row[x]), uint32(row[x+1]), uint32(row[x+2])
		p := (*[6]T)(to[3*x:])
		p[c], p[1], p[o] = T(r1), T((a1+b1+r0+r2+2)>>2), T((a0+a2+b0+b2+2)>>2)
		p[3+c], p[4], p[3+o] = T((r1+r3+1)>>1), T(r2), T((a2+b2+1)>>1)
	}
	if x+1 < w { // the last before the edge shows the colour
		p := (*[3]T)(to[3*x:])
		p[c] = row[x]
		p[1] = T((uint32(above[x]) + uint32(below[x]) + uint32(row[x-1]) + uint32(row[x+1]) + 2) >> 2)
		p[o] = T((uint32(above[x-1]) + uint32(above[x+1]) + uint32(below[x-1]) + uint32(below[x+1]) + 2) >> 2)
	}
}

// toBytes stretches an image from its darkest to its brightest level over 8 bits.
func toBytes(t *tensor.Tensor) *tensor.Tensor {
	low, high := math.Inf(1), math.Inf(-1)
	row := make([]float64, t.Shape[1]*t.Shape[2])
	for y := range t.Shape[0] {
		t.Floats(row, y*len(row))
		for _, v := range row {
			low, high = min(low, v), max(high, v)
		}
	}
	scale := 0.0
	if high > low {
		scale = 255 / (high - low)
	}
	out := tensor.New(tensor.Uint8, t.Shape...)
	eachRow(out, t, func(row []float64) {
		for i, v := range row {
			row[i] = math.RoundToEven((v - low) * scale)
		}
	})
	return out
}
