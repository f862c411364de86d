package array

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func reduceType() *pipe.Type {
	return &pipe.Type{
		Name:      "reduce",
		Stateless: true,
		New:       func() pipe.Process { return &reduce{} },
		Doc:       "Reduces each array along axes to the sum, the mean, the smallest or the largest number. If one of the elements is NaN, so is the result.",
		In:        []pipe.Port{{Name: "array", Type: pipe.ArrayType, Flags: pipe.Required, Doc: "The array."}},
		Out:       []pipe.Port{{Name: "result", Type: pipe.DataDependent, Flags: pipe.Required, Doc: "A number if all axes are reduced, else an array with the remaining axes."}},
		Keys: []pipe.Key{
			{Name: "by", Kind: pipe.String, Default: "mean", Choices: []string{"sum", "mean", "min", "max"}, Doc: "How to reduce the numbers. Sums and means are float64; the smallest and largest number have the type of the array's elements."},
			{Name: "axes", Kind: pipe.String, Doc: "The axes to reduce, separated by commas. The slowest axis is 0; negative numbers count from the fastest. Empty: all axes."},
		},
		Judge: func(v pipe.Values) error {
			if _, err := readAxes(v.Value("axes")); err != nil {
				return v.Errorf("axes", "key `axes` is `%s`: %v", v.Value("axes"), err)
			}
			return nil
		},
		Settle: func(c pipe.Config, _ pipe.Settling) (string, error) {
			if strings.TrimSpace(c["axes"].Value) == "" {
				return "double", nil
			}
			return pipe.ArrayType, nil
		},
		Tell: func(_ string, v pipe.Values, in func(string) pipe.Facts) (pipe.Facts, error) {
			facts := in("array")
			axes, err := readAxes(v.Value("axes"))
			result := pipe.Facts{Kind: resultKind(v.Value("by"), facts.Kind)}
			if err != nil || axes == nil || facts.Shape == nil {
				return result, nil
			}
			gone, err := axesOf(axes, facts.Shape)
			if err != nil {
				return pipe.Facts{}, v.Errorf("axes", "%v", err)
			}
			result.Shape = left(facts.Shape, gone)
			return result, nil
		},
	}
}

// resultKind returns the kind of the results for an array of this kind, or 0 if it is not known.
func resultKind(by string, kind tensor.Kind) tensor.Kind {
	if by == "sum" || by == "mean" {
		return tensor.Float64
	}
	return kind
}

// readAxes parses the key `axes`; nil means all.
func readAxes(text string) ([]int, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	axes, err := numbersOf(text)
	if err == nil && len(axes) > tensor.MaxAxes {
		err = fmt.Errorf("it names %d axes, but arrays have at most %d", len(axes), tensor.MaxAxes)
	}
	return axes, err
}

// axesOf returns, for each axis of an array, whether it is reduced.
func axesOf(list []int, shape []int) ([]bool, error) {
	gone := make([]bool, len(shape))
	for _, axis := range list {
		i := axis
		if i < 0 {
			i += len(shape)
		}
		switch {
		case i < 0 || i >= len(shape):
			return nil, fmt.Errorf("there is no axis %d in an array of %s: it has %s", axis, tensor.Extents(shape), axes(len(shape)))
		case gone[i]:
			return nil, fmt.Errorf("axis %d is named twice", i)
		}
		gone[i] = true
	}
	if list == nil {
		for i := range gone {
			gone[i] = true
		}
	}
	return gone, nil
}

// left returns the shape without the reduced axes.
func left(shape []int, gone []bool) []int {
	kept := []int{}
	for i, n := range shape {
		if !gone[i] {
			kept = append(kept, n)
		}
	}
	return kept
}

type reduce struct {
	by   string
	axes []int // nil: all axes
	work folder
	in   *flow.In
	out  *flow.Out
}

func (p *reduce) Setup(s *flow.Setup) (err error) {
	p.by, p.in, p.out = s.Value("by"), s.In("array"), s.Out("result")
	p.axes, err = readAxes(s.Value("axes"))
	return err
}

func (p *reduce) Step(pipe.Step) error {
	t := p.in.Take().Array()
	gone, err := axesOf(p.axes, t.Shape)
	if err != nil {
		return err
	}
	result, err := p.work.reduce(t, gone, p.by)
	switch {
	case err != nil:
		return err
	case p.axes == nil:
		p.out.Push(flow.OfFloat(result.At(0)))
	default:
		p.out.Push(flow.Of(result))
	}
	return nil
}
