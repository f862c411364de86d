package filter

import (
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func morphology() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "vxl_morphology",
		Doc:  "Dilates, erodes, closes or opens the marked parts of a boolean image.",
		Keys: []pipe.Key{
			{Name: "morphology", Kind: pipe.String, Default: "dilate", Choices: []string{"erode", "dilate", "open", "close", "none"}, Doc: "The operation."},
			{Name: "element_shape", Kind: pipe.String, Default: "disk", Choices: []string{"disk", "iline", "jline"}, Doc: "Structuring element around each pixel: a disk, a line along a row, or a line along a column."},
			{Name: "kernel_radius", Kind: pipe.Double, Default: "1.5", Doc: "Radius of the element, in pixels."},
			{Name: "channel_combination", Kind: pipe.String, Default: "none", Choices: []string{"none", "union", "intersection"}, Doc: "Whether the channels become one: marked if any of them is (union), or if all are (intersection)."},
		},
		New: func(s algo.Settings) (Filter, error) {
			r := s.Float("kernel_radius")
			if !(r >= 0 && r <= maxRadius) {
				return nil, s.Errorf("kernel_radius", "%v must be from 0 to %d", r, maxRadius)
			}
			if r == 0 && s.Value("element_shape") == "disk" {
				return nil, s.Errorf("kernel_radius", "a disk of radius 0 has no pixel")
			}
			return &morpher{action: s.Value("morphology"), combine: s.Value("channel_combination"), element: element(s.Value("element_shape"), r)}, nil
		},
	}
}

// maxRadius limits the work per pixel.
const maxRadius = 100

// An offset is a position relative to a pixel.
type offset struct{ x, y int }

// element returns the offsets of a structuring element; for a disk, all whose distance is less than
// the radius.
func element(shape string, radius float64) (list []offset) {
	r := int(radius)
	for y := -r; y <= r; y++ {
		for x := -r; x <= r; x++ {
			in := float64(x*x+y*y) < radius*radius
			switch shape {
			case "iline":
				in = y == 0
			case "jline":
				in = x == 0
			}
			if in {
				list = append(list, offset{x, y})
			}
		}
	}
	return list
}

type morpher struct {
	action, combine string
	element         []offset
	between         []byte // scratch
}

func (m *morpher) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	if t.Kind != tensor.Bool {
		return nil, errKind("vxl_morphology", t, "booleans, such as the result of `vxl_threshold`")
	}
	out := tensor.New(tensor.Bool, t.Shape...)
	m.between = append(m.between[:0], t.Data...)
	switch m.action {
	case "erode":
		m.apply(out.Data, t.Data, t.Shape, false)
	case "dilate":
		m.apply(out.Data, t.Data, t.Shape, true)
	case "open":
		m.apply(m.between, t.Data, t.Shape, false)
		m.apply(out.Data, m.between, t.Shape, true)
	case "close":
		m.apply(m.between, t.Data, t.Shape, true)
		m.apply(out.Data, m.between, t.Shape, false)
	default:
		copy(out.Data, t.Data)
	}
	if m.combine == "none" || t.Shape[2] == 1 {
		return out, nil
	}
	return combined(out, m.combine == "union"), nil
}

// apply marks a pixel if any pixel of the element is marked, or if all are. Pixels outside the
// image are ignored.
func (m *morpher) apply(out, in []byte, shape []int, grow bool) {
	h, w, n := shape[0], shape[1], shape[2]
	for y := range h {
		for x := range w {
			for c := range n {
				mark := !grow
				for _, o := range m.element {
					ox, oy := x+o.x, y+o.y
					if ox < 0 || ox >= w || oy < 0 || oy >= h {
						continue
					}
					if (in[(oy*w+ox)*n+c] != 0) == grow {
						mark = grow
						break
					}
				}
				at := (y*w+x)*n + c
				if out[at] = 0; mark {
					out[at] = 1
				}
			}
		}
	}
}

// combined returns one channel, marked if any channel is, or if all are.
func combined(t *tensor.Tensor, union bool) *tensor.Tensor {
	n := t.Shape[2]
	out := tensor.New(tensor.Bool, t.Shape[0], t.Shape[1], 1)
	for i := range out.Data {
		mark := !union
		for _, v := range t.Data[i*n : (i+1)*n] {
			if (v != 0) == union {
				mark = union
			}
		}
		if mark {
			out.Data[i] = 1
		}
	}
	return out
}
