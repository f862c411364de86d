package filter

import (
	"math/bits"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func commonality() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "vxl_color_commonality",
		Doc:  "Computes for each pixel how common its colour is in the image: rare colours become dark.",
		Keys: []pipe.Key{
			{Name: "color_resolution_per_channel", Kind: pipe.Unsigned, Default: "8", Doc: "Steps per colour channel, a power of two."},
			{Name: "intensity_resolution", Kind: pipe.Unsigned, Default: "16", Doc: "Steps of brightness in images with one channel, a power of two."},
			{Name: "output_scale", Kind: pipe.Unsigned, Default: "0", Doc: "Result for an image of one colour; 0 means the largest possible value."},
			{Name: "grid_image", Kind: pipe.Bool, Default: "false", Doc: "Whether each field of a grid is evaluated separately."},
			{Name: "grid_resolution_height", Kind: pipe.Unsigned, Default: "5", Doc: "Rows of the grid."},
			{Name: "grid_resolution_width", Kind: pipe.Unsigned, Default: "6", Doc: "Columns of the grid."},
		},
		New: func(s algo.Settings) (Filter, error) {
			c := &commoner{colours: s.Int("color_resolution_per_channel"), levels: s.Int("intensity_resolution"), scale: s.Int("output_scale"), rows: 1, columns: 1}
			for key, n := range map[string]int{"color_resolution_per_channel": c.colours, "intensity_resolution": c.levels} {
				if bits.OnesCount(uint(n)) != 1 || n > 256 {
					return nil, s.Errorf(key, "%d must be a power of two, at most 256", n)
				}
			}
			if s.Bool("grid_image") {
				if c.rows, c.columns = s.Int("grid_resolution_height"), s.Int("grid_resolution_width"); c.rows < 1 || c.columns < 1 {
					return nil, s.Errorf("grid_image", "a grid needs at least one row and one column")
				}
			}
			return c, nil
		},
	}
}

type commoner struct {
	colours, levels int // steps per channel
	scale           int
	rows, columns   int
	counts          []uint64 // scratch
}

func (c *commoner) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	if n := t.Shape[2]; n != 1 && n != 3 || t.Kind != tensor.Uint8 && t.Kind != tensor.Uint16 {
		return nil, errKind("vxl_color_commonality", t, "one or three channels of 8 or 16 bits")
	}
	steps, size := c.levels, c.levels
	if t.Shape[2] == 3 {
		steps, size = c.colours, c.colours*c.colours*c.colours
	}
	if len(c.counts) != size {
		c.counts = make([]uint64, size)
	}
	shift := 8*t.Kind.Size() - (bits.Len(uint(steps)) - 1)
	out := tensor.New(t.Kind, t.Shape[0], t.Shape[1], 1)
	for j := range c.rows {
		for i := range c.columns {
			h, w := t.Shape[0], t.Shape[1]
			c.field(out, t, i*w/c.columns, j*h/c.rows, (i+1)*w/c.columns, (j+1)*h/c.rows, shift, steps)
		}
	}
	return out, nil
}

// field counts the colours of one part of the image, and writes how common each is.
func (c *commoner) field(out, t *tensor.Tensor, left, top, right, bottom, shift, steps int) {
	clear(c.counts)
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			c.counts[bin(t, x, y, shift, steps)]++
		}
	}
	_, most := t.Kind.Range()
	scale := uint64(most)
	if c.scale > 0 {
		scale = uint64(c.scale)
	}
	if total := uint64((right - left) * (bottom - top)); total > 0 {
		for i, n := range c.counts {
			c.counts[i] = min(scale*n/total, uint64(most))
		}
	}
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			out.SetInt(y*t.Shape[1]+x, int64(c.counts[bin(t, x, y, shift, steps)]))
		}
	}
}

// bin returns the index of a pixel's colour in the counts.
func bin(t *tensor.Tensor, x, y, shift, steps int) (at int) {
	n := t.Shape[2]
	i := (y*t.Shape[1] + x) * n
	for c := n - 1; c >= 0; c-- {
		at = at*steps + int(t.Int(i+c))>>shift
	}
	return at
}
