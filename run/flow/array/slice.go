package array

import (
	"fmt"
	"math"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func sliceType() *pipe.Type {
	return &pipe.Type{
		Name:      "slice",
		Stateless: true,
		New:       func() pipe.Process { return &slice{} },
		Doc:       "Cuts one plane or line out of each array. Data that are contiguous in memory are not copied.",
		In:        []pipe.Port{{Name: "array", Type: pipe.ArrayType, Flags: pipe.Required, Doc: "The array."}},
		Out:       []pipe.Port{{Name: "array", Type: pipe.ArrayType, Flags: pipe.Shared, Doc: "The plane or line, with the remaining axes."}},
		Keys: []pipe.Key{
			{Name: "at", Kind: pipe.String, Default: "0", Tunable: true, Doc: "Where to cut: for each axis, starting with the slowest, an index from 0, or `:` to keep the axis, separated by commas. " +
				"Negative indices count from the end. Axes that are not named are kept: `3` is the fourth plane of a cube, `:, 5` the sixth column of a plane."},
		},
		Judge: func(v pipe.Values) error {
			if _, err := readCut(v.Value("at")); err != nil {
				return v.Errorf("at", "key `at` is `%s`, at which an array cannot be cut: %v", v.Value("at"), err)
			}
			return nil
		},
		Tell: func(_ string, v pipe.Values, in func(string) pipe.Facts) (pipe.Facts, error) {
			facts := in("array")
			c, err := readCut(v.Value("at"))
			if err != nil || facts.Shape == nil {
				return pipe.Facts{Kind: facts.Kind}, nil // Judge reports the mistake
			}
			kept, err := c.of(facts.Shape)
			if err != nil {
				return pipe.Facts{}, v.Errorf("at", "%v", err)
			}
			facts.Shape = kept
			return facts, nil
		},
	}
}

// A cut has, for each axis, the index to pick along this axis, or keep.
type cut []int

// keep marks an axis that stays as it is.
const keep = math.MinInt

func readCut(text string) (cut, error) {
	var c cut
	for word := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(word) == ":" {
			c = append(c, keep)
			continue
		}
		n, err := numbersOf(word)
		if err != nil {
			return nil, fmt.Errorf("%w, and no `:`", err)
		}
		c = append(c, n...)
	}
	if len(c) > tensor.MaxAxes {
		return nil, fmt.Errorf("it names %d axes, but arrays have at most %d", len(c), tensor.MaxAxes)
	}
	return c, nil
}

// of returns the shape of the array that remains after a cut. An extent below 0 is not
// known.
func (c cut) of(shape []int) ([]int, error) {
	if len(c) > len(shape) {
		return nil, fmt.Errorf("the cut names %s, but an array of %s has %d", axes(len(c)), tensor.Extents(shape), len(shape))
	}
	kept := []int{}
	for i, n := range shape {
		if i >= len(c) || c[i] == keep {
			kept = append(kept, n)
		} else if n >= 0 && (c[i] >= n || c[i] < -n) {
			return nil, fmt.Errorf("there is no index %d on axis %d of an array of %s: its extent is %d", c[i], i, tensor.Extents(shape), n)
		}
	}
	return kept, nil
}

func axes(n int) string { return quantity.Count(n, "axis", "axes") }

// apply returns the part of an array that a cut picks.
func (c cut) apply(t *tensor.Tensor) (*tensor.Tensor, error) {
	shape, err := c.of(t.Shape)
	if err != nil {
		return nil, err
	}
	out := &tensor.Tensor{Kind: t.Kind, Shape: shape}
	data, rest := t.Data, c
	stride := len(data)
	for axis := range t.Shape { // a cut of only the slowest axes leaves one contiguous piece of memory
		if len(rest) == 0 || rest[0] == keep {
			break
		}
		stride /= t.Shape[axis]
		at := place(rest[0], t.Shape[axis]) * stride
		data, rest = data[at:at+stride], rest[1:]
	}
	if last := lastCut(rest); last >= 0 {
		first := len(c) - len(rest)
		inner := t.Kind.Size() * product(t.Shape[first+last+1:])
		out.Data = make([]byte, 0, t.Kind.Size()*product(shape))
		out.Data = gather(out.Data, data, t.Shape[first:first+last+1], rest[:last+1], inner)
		return out, nil
	}
	out.Data = data
	return out, nil
}

// lastCut returns the last axis that is cut, or -1 if all are kept.
func lastCut(c cut) int {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i] != keep {
			return i
		}
	}
	return -1
}

func place(at, n int) int {
	if at < 0 {
		return at + n
	}
	return at
}

// gather appends to dst the pieces of data that remain after a cut. Each piece has inner
// bytes.
func gather(dst, data []byte, shape []int, c cut, inner int) []byte {
	if len(shape) == 0 {
		return append(dst, data[:inner]...)
	}
	stride := inner * product(shape[1:])
	if c[0] != keep {
		at := place(c[0], shape[0]) * stride
		return gather(dst, data[at:at+stride], shape[1:], c[1:], inner)
	}
	for i := range shape[0] {
		dst = gather(dst, data[i*stride:(i+1)*stride], shape[1:], c[1:], inner)
	}
	return dst
}

type slice struct {
	cut cut
	in  *flow.In
	out *flow.Out
}

func (p *slice) Setup(s *flow.Setup) error {
	p.in, p.out = s.In("array"), s.Out("array")
	return p.Reconfigure(s)
}

func (p *slice) Reconfigure(s *flow.Setup) (err error) {
	p.cut, err = readCut(s.Value("at"))
	return err
}

func (p *slice) Step(pipe.Step) error {
	t, err := p.cut.apply(p.in.Take().Array())
	if err != nil {
		return err
	}
	p.out.Push(flow.Of(t))
	return nil
}
