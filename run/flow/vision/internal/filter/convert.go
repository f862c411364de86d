package filter

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// formats maps the names of pixel kinds to the kinds; copy keeps the kind.
var formats = map[string]tensor.Kind{
	"byte": tensor.Uint8, "sbyte": tensor.Int8, "uint16": tensor.Uint16, "int16": tensor.Int16, "uint32": tensor.Uint32, "int32": tensor.Int32,
	"uint64": tensor.Uint64, "int64": tensor.Int64, "float": tensor.Float32, "double": tensor.Float64, "copy": 0, "disable": 0,
}

func convertImage() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "vxl_convert_image",
		Doc:  "Changes the kind of the pixels and the number of channels.",
		Keys: []pipe.Key{
			{Name: "format", Kind: pipe.String, Default: "byte", Choices: []string{"byte", "sbyte", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "copy", "disable"}, Doc: "Kind of the pixels; copy keeps it, disable changes nothing at all."},
			{Name: "single_channel", Kind: pipe.Bool, Default: "false", Doc: "Whether colours become one channel: three channels by their brightness, others by their mean."},
			{Name: "scale_factor", Kind: pipe.Double, Default: "0.0", Doc: "Factor for all pixels, rounded and limited; with 0 and 1, whole numbers that are too large lose their upper bits."},
			{Name: "random_grayscale", Kind: pipe.Double, Default: "0.0", Doc: "Share of the images, from 0 to 1, that lose their colours at random."},
			{Name: "percentile_norm", Kind: pipe.Double, Default: "-1.0", Doc: "Share of the darkest and of the brightest pixels that is cut off before the rest is stretched over the whole range; values of 0.5 and more are percentages."},
			{Name: "force_three_channel", Kind: pipe.Bool, Default: "false", Doc: "Whether the result always has three channels."},
		},
		New: func(s algo.Settings) (Filter, error) {
			c := &converter{format: s.Value("format"), single: s.Bool("single_channel"), scale: s.Float("scale_factor"),
				random: s.Float("random_grayscale"), percentile: s.Float("percentile_norm"), three: s.Bool("force_three_channel")}
			if c.percentile >= 0.5 {
				c.percentile /= 100
			}
			return c, nil
		},
	}
}

type converter struct {
	format        string
	single, three bool
	scale, random float64
	percentile    float64
	samples       []float64       // buffer, reused for each image
	table         *[1 << 16]uint8 // maps 16 bits to 8; made when first needed
}

func (c *converter) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	if c.format == "disable" {
		return t, nil
	}
	switch channels := t.Shape[2]; {
	case c.single && channels != 1:
		t = greyImage(t, 1)
	case !c.single && c.random > 0 && rand.Float64() < c.random:
		t = greyImage(t, channels)
	}
	kind := formats[c.format]
	if c.format == "copy" {
		kind = t.Kind
	}
	out := tensor.New(kind, t.Shape...)
	switch {
	case c.percentile >= 0:
		low, high := c.bounds(t)
		stretch(out, t, low, high)
	case c.scale == 0 || c.scale == 1:
		if kind == t.Kind {
			out = t
		} else {
			cast(out, t)
		}
	default:
		c.scaleTo(out, t)
	}
	if c.three && t.Shape[2] != 3 {
		return threeChannels(out), nil
	}
	return out, nil
}

// bounds returns the levels below and above which a share of the pixels lies, ignoring pixels that
// are 0 or the largest possible value.
func (c *converter) bounds(t *tensor.Tensor) (low, high float64) {
	c.samples = samples(c.samples[:0], t, pixels(t))
	slices.Sort(c.samples)
	_, top := limits(t.Kind)
	from, to := 0, len(c.samples)
	for from < to && c.samples[from] == 0 {
		from++
	}
	for from < to && c.samples[to-1] == top {
		to--
	}
	if from == to {
		return 0, 0
	}
	return rank(c.samples[from:to], c.percentile), rank(c.samples[from:to], 1-c.percentile)
}

// samples takes n pixels of each channel, evenly spread over the image.
func samples(list []float64, t *tensor.Tensor, n int) []float64 {
	count, channels := pixels(t), t.Shape[2]
	if n > count {
		n = count
	}
	if n == 0 {
		return list
	}
	step, at := count*channels/n, 0
	for c := range channels {
		for range n {
			list = append(list, t.At(at%count*channels+c))
			at += step
		}
	}
	return list
}

// rank returns the element of a sorted list below which a share of the list lies.
func rank(sorted []float64, part float64) float64 {
	return sorted[int(float64(len(sorted)-1)*part+0.5)]
}

// limits returns the smallest and the largest value of a kind of pixel.
func limits(k tensor.Kind) (low, high float64) {
	switch k {
	case tensor.Float32:
		return -math.MaxFloat32, math.MaxFloat32
	case tensor.Float16:
		return -65504, 65504
	case tensor.Float64:
		return -math.MaxFloat64, math.MaxFloat64
	}
	return k.Range()
}

// stretch spreads the levels from low to high over the range of the new kind.
func stretch(out, t *tensor.Tensor, low, high float64) {
	_, top := limits(out.Kind)
	_, inTop := limits(t.Kind)
	scale := top / inTop
	if high > low {
		scale = (top + 0.5) / (high - low)
	}
	eachRow(out, t, func(row []float64) {
		for i, v := range row {
			switch {
			case v < low:
				row[i] = 0
			case v > high:
				row[i] = top
			default:
				row[i] = math.Trunc((v - low) * scale)
			}
		}
	})
}

// scaleTo multiplies all pixels; values that are too large become the largest one.
func (c *converter) scaleTo(out, t *tensor.Tensor) {
	_, top := limits(out.Kind)
	if t.Kind == tensor.Uint16 && out.Kind == tensor.Uint8 {
		if c.table == nil {
			c.table = new([1 << 16]uint8)
			for v := range c.table {
				c.table[v] = uint8(min(float64(v)*c.scale+0.5, top))
			}
		}
		lookUp(out.Data, t.Data, c.table)
		return
	}
	eachRow(out, t, func(row []float64) {
		for i, v := range row {
			row[i] = min(v*c.scale+0.5, top)
		}
	})
}

// lookUp translates pixels of 16 bits, four at a time.
func lookUp(out, in []byte, table *[1 << 16]uint8) {
	for len(out) >= 4 && len(in) >= 8 {
		v := binary.LittleEndian.Uint64(in)
		binary.LittleEndian.PutUint32(out, uint32(table[uint16(v)])|uint32(table[uint16(v>>16)])<<8|
			uint32(table[uint16(v>>32)])<<16|uint32(table[uint16(v>>48)])<<24)
		out, in = out[4:], in[8:]
	}
	for i := range out {
		out[i] = table[binary.LittleEndian.Uint16(in[2*i:])]
	}
}

// cast converts the kind of the pixels as C does: fractions are truncated, and integers keep as
// many low bits as there is room for.
func cast(out, t *tensor.Tensor) {
	switch {
	case out.Kind.IsFloat():
		eachRow(out, t, func([]float64) {})
	case t.Kind.IsFloat():
		for i := range t.Count() {
			out.SetInt(i, int64(t.At(i)))
		}
	case out.Kind.Size() == 1:
		size := t.Kind.Size()
		for i := range out.Data {
			out.Data[i] = t.Data[i*size]
		}
	default:
		for i := range t.Count() {
			out.SetInt(i, t.Int(i))
		}
	}
}

// eachRow applies change to the values of each row while copying them from t to out.
func eachRow(out, t *tensor.Tensor, change func([]float64)) {
	row := make([]float64, t.Shape[1]*t.Shape[2])
	for y := range t.Shape[0] {
		t.Floats(row, y*len(row))
		change(row)
		out.SetFloats(y*len(row), row)
	}
}

// The weights of red, green and blue in the brightness of a colour.
const redPart, greenPart, bluePart = 0.21267152, 0.71515994, 0.07216855

// greyImage returns an image without colours, with a number of equal channels.
func greyImage(t *tensor.Tensor, channels int) *tensor.Tensor {
	n := t.Shape[2]
	out := tensor.New(t.Kind, t.Shape[0], t.Shape[1], channels)
	in, grey := make([]float64, t.Shape[1]*n), make([]float64, t.Shape[1]*channels)
	for y := range t.Shape[0] {
		t.Floats(in, y*len(in))
		for x := range t.Shape[1] {
			p, v := in[x*n:(x+1)*n], 0.0
			if n == 3 {
				v = redPart*p[0] + greenPart*p[1] + bluePart*p[2]
			} else {
				for _, level := range p {
					v += level
				}
				v /= float64(n)
			}
			for c := range channels {
				grey[x*channels+c] = v
			}
		}
		out.SetFloats(y*len(grey), grey)
	}
	return out
}

// threeChannels repeats the first channel if there is only one, and drops those after the third.
func threeChannels(t *tensor.Tensor) *tensor.Tensor {
	size, n := t.Kind.Size(), t.Shape[2]
	out := tensor.New(t.Kind, t.Shape[0], t.Shape[1], 3)
	second, third := 0, 0
	if n > 1 {
		second = 1
	}
	if n > 2 {
		third = 2
	}
	to := out.Data
	for from := t.Data; len(from) > 0; from, to = from[n*size:], to[3*size:] {
		copy(to[:size], from)
		copy(to[size:2*size], from[second*size:])
		copy(to[2*size:3*size], from[third*size:])
	}
	return out
}

// errKind returns the error of an image that an algorithm does not accept.
func errKind(name string, t *tensor.Tensor, expected string) error {
	return fmt.Errorf("`%s` does not take %v: expected %s", name, t, expected)
}
