package heat

import "github.com/pentode-dev/pentode/run/flow"

func statsType() *flow.Type {
	return &flow.Type{
		Name: "field_stats",
		New:  func() flow.Process { return &stats{} },
		Doc:  "Gives the least, the largest and the mean value of each field.",
		In:   []flow.Port{{Name: "field", Type: FieldType, Flags: flow.Required, Doc: "The field."}},
		Out: []flow.Port{
			{Name: "min", Type: "double", Doc: "The least value."},
			{Name: "max", Type: "double", Doc: "The largest value."},
			{Name: "mean", Type: "double", Doc: "The mean of all values."},
		},
	}
}

type stats struct {
	in             *flow.In
	min, max, mean *flow.Out
}

func (p *stats) Setup(s *flow.Setup) error {
	p.in, p.min, p.max, p.mean = s.In("field"), s.Out("min"), s.Out("max"), s.Out("mean")
	return nil
}

func (p *stats) Step(*flow.Step) error {
	f := flow.As[*Field](p.in.Take())
	least, largest, sum := f.Values[0], f.Values[0], 0.0
	for _, v := range f.Values {
		least, largest = min(least, v), max(largest, v)
		sum += v
	}
	p.min.Push(flow.OfFloat(least))
	p.max.Push(flow.OfFloat(largest))
	p.mean.Push(flow.OfFloat(sum / float64(len(f.Values))))
	return nil
}
