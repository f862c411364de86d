package array

import (
	"errors"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func statsType() *pipe.Type {
	return &pipe.Type{
		Name: "field_stats",
		New:  func() pipe.Process { return &stats{} },
		Doc:  "Computes the smallest, the largest and the mean value of each array.",
		In:   []pipe.Port{{Name: "field", Type: pipe.ArrayType, Flags: pipe.Required, Doc: "The array, of any number of axes."}},
		Out: []pipe.Port{
			{Name: "min", Type: "double", Doc: "The smallest value."},
			{Name: "max", Type: "double", Doc: "The largest value."},
			{Name: "mean", Type: "double", Doc: "The mean of all values."},
		},
	}
}

type stats struct {
	piece          [1024]float64
	in             *flow.In
	min, max, mean *flow.Out
}

func (p *stats) Setup(s *flow.Setup) error {
	p.in, p.min, p.max, p.mean = s.In("field"), s.Out("min"), s.Out("max"), s.Out("mean")
	return nil
}

func (p *stats) Step(pipe.Step) error {
	t := p.in.Take().Array()
	n := t.Count()
	if n == 0 {
		return errors.New("an array without elements has no statistics")
	}
	least, sum := t.At(0), 0.0
	largest := least
	for i := 0; i < n; i += len(p.piece) {
		piece := p.piece[:min(len(p.piece), n-i)]
		t.Floats(piece, i)
		for _, v := range piece {
			least, largest = min(least, v), max(largest, v)
			sum += v
		}
	}
	p.min.Push(flow.OfFloat(least))
	p.max.Push(flow.OfFloat(largest))
	p.mean.Push(flow.OfFloat(sum / float64(n)))
	return nil
}
