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
		redRow := y&1 == redY
		for x := 1; x < w-1; x++ {
			p := to[3*x : 3*x+3 : 3*x+3]
			cross := T((uint32(above[x]) + uint32(below[x]) + uint32(row[x-1]) + uint32(row[x+1]) + 2) >> 2)
			across := T((uint32(row[x-1]) + uint32(row[x+1]) + 1) >> 1)
			down := T((uint32(above[x]) + uint32(below[x]) + 1) >> 1)
			switch redColumn := x&1 == redX; {
			case redRow && redColumn:
				p[0], p[1], p[2] = row[x], cross, corners(above, below, x)
			case redRow:
				p[0], p[1], p[2] = across, row[x], down
			case redColumn:
				p[0], p[1], p[2] = down, row[x], across
			default:
				p[0], p[1], p[2] = corners(above, below, x), cross, row[x]
			}
		}
		copy(to[:3], to[3:6])
		copy(to[3*(w-1):], to[3*(w-2):3*(w-1)])
	}
	copy(out[:3*w], out[3*w:6*w])
	copy(out[3*(h-1)*w:], out[3*(h-2)*w:3*(h-1)*w])
}

// corners is the mean of the four pixels at the corners of one.
func corners[T uint8 | uint16](above, below []T, x int) T {
	return T((uint32(above[x-1]) + uint32(above[x+1]) + uint32(below[x-1]) + uint32(below[x+1]) + 2) >> 2)
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
