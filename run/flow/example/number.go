package example

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func numbersType() *pipe.Type {
	return &pipe.Type{
		Name: "numbers",
		New:  func() pipe.Process { return &numbers{} },
		Doc:  "Counts: sends start, start+1, … up to but not including end, then completes.",
		Out:  []pipe.Port{{Name: "number", Type: integer, Flags: pipe.Required, Doc: "The next number."}},
		Keys: []pipe.Key{
			{Name: "start", Kind: pipe.Int, Default: "0", Doc: "First number."},
			{Name: "end", Kind: pipe.Int, Default: "100", Doc: "Number to stop before; must be larger than start."},
		},
		Judge: func(v pipe.Values) error {
			if start, end := v.Int("start"), v.Int("end"); end <= start {
				return v.Errorf("end", "key `end` is %d, but must be larger than key `start`, which is %d", end, start)
			}
			return nil
		},
		Tell: func(_ string, v pipe.Values, _ func(string) pipe.Facts) (pipe.Facts, error) {
			return pipe.Facts{Low: float64(v.Int("start")), High: float64(v.Int("end") - 1), Ranged: true}, nil
		},
	}
}

func constNumberType() *pipe.Type {
	return &pipe.Type{
		Name: "const_number",
		New:  func() pipe.Process { return &constNumber{} },
		Doc:  "Sends the same number until it has no consumer left.",
		Out:  []pipe.Port{{Name: "number", Type: integer, Flags: pipe.Required, Doc: "The number."}},
		Keys: []pipe.Key{{Name: "value", Kind: pipe.Int, Default: "0", Doc: "The number."}},
		Tell: func(_ string, v pipe.Values, _ func(string) pipe.Facts) (pipe.Facts, error) {
			return pipe.Facts{Low: float64(v.Int("value")), High: float64(v.Int("value")), Ranged: true}, nil
		},
	}
}

func multiplicationType() *pipe.Type {
	return &pipe.Type{
		Name:      "multiplication",
		Stateless: true,
		New:       func() pipe.Process { return &multiplication{} },
		Doc:       "Multiplies two numbers; the product wraps at 32 bits.",
		In: []pipe.Port{
			{Name: "factor1", Type: integer, Flags: pipe.Required, Doc: "First factor."},
			{Name: "factor2", Type: integer, Flags: pipe.Required, Doc: "Second factor."},
		},
		Out: []pipe.Port{{Name: "product", Type: integer, Flags: pipe.Required, Doc: "The product."}},
	}
}

func multiplierClusterType() *pipe.Type {
	return &pipe.Type{
		Name: "multiplier_cluster",
		Doc:  "Multiplies each number by a constant: a cluster of const_number and multiplication.",
		In:   []pipe.Port{{Name: "factor", Type: integer, Flags: pipe.Required, Doc: "Number to multiply."}},
		Out:  []pipe.Port{{Name: "product", Type: integer, Flags: pipe.Required, Doc: "The product."}},
		Keys: []pipe.Key{{Name: "factor", Kind: pipe.Int, Required: true, Doc: "The constant."}},
		Cluster: &pipe.Cluster{
			Processes: []pipe.Node{{Name: "const", Type: "const_number"}, {Name: "multiplication", Type: "multiplication"}},
			Connections: []pipe.Connection{
				{From: pipe.PortRef{Process: "const", Port: "number"}, To: pipe.PortRef{Process: "multiplication", Port: "factor2"}},
			},
			In:   map[string][]pipe.PortRef{"factor": {{Process: "multiplication", Port: "factor1"}}},
			Out:  map[string]pipe.PortRef{"product": {Process: "multiplication", Port: "product"}},
			Keys: map[string][]pipe.KeyRef{"factor": {{Process: "const", Key: "value"}}},
		},
	}
}

type numbers struct {
	next, end int64
	out       *flow.Out
}

func (n *numbers) Setup(s *flow.Setup) error {
	n.next, n.end, n.out = s.Int("start"), s.Int("end"), s.Out("number")
	s.Expect(n.end - n.next) // negative if start is past end: then it counts for ever
	return nil
}

func (n *numbers) Step(s pipe.Step) error {
	n.out.Push(flow.OfInt(n.next))
	n.next++
	if n.next == n.end {
		s.Complete()
	}
	return nil
}

type constNumber struct {
	value int64
	out   *flow.Out
}

func (c *constNumber) Setup(s *flow.Setup) error {
	c.value, c.out = s.Int("value"), s.Out("number")
	return nil
}

func (c *constNumber) Step(pipe.Step) error {
	c.out.Push(flow.OfInt(c.value))
	return nil
}

type multiplication struct {
	a, b *flow.In
	out  *flow.Out
}

func (m *multiplication) Setup(s *flow.Setup) error {
	m.a, m.b, m.out = s.In("factor1"), s.In("factor2"), s.Out("product")
	return nil
}

func (m *multiplication) Step(pipe.Step) error {
	product := int32(m.a.Take().Int()) * int32(m.b.Take().Int())
	m.out.Push(flow.OfInt(int64(product)))
	return nil
}
