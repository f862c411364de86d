package filter

import (
	"encoding/binary"
	"math"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func debayer() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "ocv_debayer",
		Doc:  "Computes colours from the raw image of a camera with a Bayer filter; images with several channels pass unchanged.",
		Keys: []pipe.Key{
			{Name: "pattern", Kind: pipe.String, Default: "BG", Choices: []string{"BG", "GB", "RG", "GR"}, Doc: "Colours of the second and third pixel of the second row."},
			{Name: "force_8bit", Kind: pipe.Bool, Default: "false", Doc: "Whether deeper images are stretched to 8 bits, from the darkest to the brightest."},
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

// interpolate gives each pixel its own colour, and for the others the means of its neighbours. The edge
// repeats the adjacent pixels.
func interpolate[T uint8 | uint16](out, in []T, h, w, redX, redY int) {
	for y := 1; y < h-1; y++ {
		above, row, below := in[(y-1)*w:y*w], in[y*w:(y+1)*w], in[(y+1)*w:(y+2)*w]
		to := out[3*y*w : 3*(y+1)*w]
		first, blue := redX, y&1 != redY // the first pixel with the row's colour
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

// fillRow fills a row except its ends. If own is set, the first pixel after the edge has the colour of the
// row, red or blue, else green; the others alternate.
func fillRow[T uint8 | uint16](to, above, row, below []T, own, blue bool) {
	c, o := 0, 2 // the channels of the row's colour and of the third
	if blue {
		c, o = 2, 0
	}
	x := 1
	if !own {
		x = 0 // the pixel before the first has the row's colour; it is the edge, which is written later
	}
	if to, ok := any(to).([]uint8); ok {
		x = fillBytes(to, any(above).([]uint8), any(row).([]uint8), any(below).([]uint8), x, blue)
	}
	w := len(row)
	above, below = above[:w], below[:w]
	for ; x+1 < w; x++ { // a pixel with the row's colour, and a green one unless the edge is reached
		left := max(x-1, 0)
		p := (*[3]T)(to[3*x:])
		p[c] = row[x]
		p[1] = T((uint32(above[x]) + uint32(below[x]) + uint32(row[left]) + uint32(row[x+1]) + 2) >> 2)
		p[o] = T((uint32(above[left]) + uint32(above[x+1]) + uint32(below[left]) + uint32(below[x+1]) + 2) >> 2)
		if x++; x+1 < w {
			p := (*[3]T)(to[3*x:])
			p[c], p[1], p[o] = T((uint32(row[x-1])+uint32(row[x+1])+1)>>1), row[x], T((uint32(above[x])+uint32(below[x])+1)>>1)
		}
	}
}

// fillBytes does the work of fillRow for eight pixels at a time, starting at x, and returns the first pixel
// that it left. The eight bytes of a load become four lanes of 16 bits for the row's colour and four for
// green.
func fillBytes(to, above, row, below []uint8, x int, blue bool) int {
	const (
		lanes, upper, one = 0x00ff00ff00ff00ff, 0xff00ff00ff00ff00, 0x0001000100010001

		lane0, lane1, lane2, lane3 = 0xffff, 0xffff << 16, 0xffff << 32, 0xffff << 48
	)
	w := len(row)
	above, below, to = above[:w], below[:w], to[:3*w]
	left := max(x-1, 0)
	// The values from the left for the first lane: the sum above and below, and the pixel.
	sides, before := uint64(above[left])+uint64(below[left]), uint64(row[left])
	for ; x+8 < w; x += 8 {
		a, b, r := binary.LittleEndian.Uint64(above[x:x+8]), binary.LittleEndian.Uint64(below[x:x+8]), binary.LittleEndian.Uint64(row[x:x+8])
		here, green := r&lanes, r>>8&lanes
		middle, next := a&lanes+b&lanes, a>>8&lanes+b>>8&lanes
		after := here>>16 | uint64(row[x+8])<<48
		// The first and the second pixel of each pair; the second is in the upper half of a lane.
		own, diagonal := here, ((next<<16|sides)+next+2*one)>>2&lanes
		beside, vertical := (here+after+one)<<7&upper, (next+one)<<7&upper
		ownGreen := (middle + (green<<16 | before) + green + 2*one) << 6 & upper
		sides, before = next>>48, green>>48
		if blue { // the row's colour is the third channel, not the first
			own, diagonal, beside, vertical = diagonal, own, vertical, beside
		}
		// Six bytes per pair: three channels for each pixel.
		first, second, third := own|ownGreen, diagonal|beside, green|vertical
		p := to[3*x : 3*x+24]
		binary.LittleEndian.PutUint64(p[0:8], first&lane0|second&lane0<<16|third&lane0<<32|first<<32&lane3)
		binary.LittleEndian.PutUint64(p[8:16], second>>16&lane0|third&lane1|first&lane2|second<<16&lane3)
		binary.LittleEndian.PutUint64(p[16:24], third>>32&lane0|first>>32&lane1|second>>16&lane2|third&lane3)
	}
	return x
}

// toBytes stretches an image to 8 bits, from its darkest to its brightest level.
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
