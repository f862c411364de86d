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
		Doc:       "Makes one number of those along axes of each array: their sum, mean, least or largest. An element that is no number makes none of its result.",
		In:        []pipe.Port{{Name: "array", Type: pipe.ArrayType, Flags: pipe.Required, Doc: "The array."}},
		Out:       []pipe.Port{{Name: "result", Type: pipe.DataDependent, Flags: pipe.Required, Doc: "A number where all axes go, else an array with those that are left."}},
		Keys: []pipe.Key{
			{Name: "by", Kind: pipe.String, Default: "mean", Choices: []string{"sum", "mean", "min", "max"}, Doc: "What to make of the numbers. Sums and means are float64; the least and the largest have the kind of the array."},
			{Name: "axes", Kind: pipe.String, Doc: "The axes that go, counted from the slowest, 0, with commas between them; those below 0 count from the fastest. Empty: all."},
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

// resultKind is the kind of the results of an array, 0 where that of the array is not known.
func resultKind(by string, kind tensor.Kind) tensor.Kind {
	if by == "sum" || by == "mean" {
		return tensor.Float64
	}
	return kind
}

// readAxes reads the key `axes`; nil stands for all.
func readAxes(text string) ([]int, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	axes, err := numbersOf(text)
	if err == nil && len(axes) > tensor.MaxAxes {
		err = fmt.Errorf("it names %d axes, and no array has more than %d", len(axes), tensor.MaxAxes)
	}
	return axes, err
}

// axesOf marks the axes of an array that go.
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

// left is a shape without the axes that go.
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
	axes []int // nil: all
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
