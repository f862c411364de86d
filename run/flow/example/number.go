package example

import "github.com/pentode-dev/pentode/run/flow"

func numbersType() *flow.Type {
	return &flow.Type{
		Name: "numbers",
		New:  func() flow.Process { return &numbers{} },
		Doc:  "Counts: emits start, start+1, … up to but not including end, then completes.",
		Out:  []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "The next number."}},
		Keys: []flow.Key{
			{Name: "start", Kind: flow.Int, Default: "0", Doc: "First number."},
			{Name: "end", Kind: flow.Int, Default: "100", Doc: "Number to stop before; must be larger than start."},
		},
		Judge: func(v flow.Values) error {
			if start, end := v.Int("start"), v.Int("end"); end <= start {
				return v.Errorf("end", "key `end` is %d, but must be larger than key `start`, which is %d", end, start)
			}
			return nil
		},
		Tell: func(_ string, v flow.Values, _ func(string) flow.Facts) (flow.Facts, error) {
			return flow.Facts{Low: float64(v.Int("start")), High: float64(v.Int("end") - 1), Ranged: true}, nil
		},
	}
}

func constNumberType() *flow.Type {
	return &flow.Type{
		Name: "const_number",
		New:  func() flow.Process { return &constNumber{} },
		Doc:  "Emits the same number until no consumer is left.",
		Out:  []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "The number."}},
		Keys: []flow.Key{{Name: "value", Kind: flow.Int, Default: "0", Doc: "The number."}},
		Tell: func(_ string, v flow.Values, _ func(string) flow.Facts) (flow.Facts, error) {
			return flow.Facts{Low: float64(v.Int("value")), High: float64(v.Int("value")), Ranged: true}, nil
		},
	}
}

func multiplicationType() *flow.Type {
	return &flow.Type{
		Name:      "multiplication",
		Stateless: true,
		New:       func() flow.Process { return &multiplication{} },
		Doc:       "Multiplies two numbers; the product wraps at 32 bits.",
		In: []flow.Port{
			{Name: "factor1", Type: integer, Flags: flow.Required, Doc: "First factor."},
			{Name: "factor2", Type: integer, Flags: flow.Required, Doc: "Second factor."},
		},
		Out: []flow.Port{{Name: "product", Type: integer, Flags: flow.Required, Doc: "The product."}},
	}
}

func multiplierClusterType() *flow.Type {
	return &flow.Type{
		Name: "multiplier_cluster",
		Doc:  "Multiplies each number by a constant: a cluster of const_number and multiplication.",
		In:   []flow.Port{{Name: "factor", Type: integer, Flags: flow.Required, Doc: "Number to multiply."}},
		Out:  []flow.Port{{Name: "product", Type: integer, Flags: flow.Required, Doc: "The product."}},
		Keys: []flow.Key{{Name: "factor", Kind: flow.Int, Required: true, Doc: "The constant."}},
		Cluster: &flow.Cluster{
			Processes: []flow.Node{{Name: "const", Type: "const_number"}, {Name: "multiplication", Type: "multiplication"}},
			Connections: []flow.Connection{
				{From: flow.PortRef{Process: "const", Port: "number"}, To: flow.PortRef{Process: "multiplication", Port: "factor2"}},
			},
			In:   map[string][]flow.PortRef{"factor": {{Process: "multiplication", Port: "factor1"}}},
			Out:  map[string]flow.PortRef{"product": {Process: "multiplication", Port: "product"}},
			Keys: map[string][]flow.KeyRef{"factor": {{Process: "const", Key: "value"}}},
		},
	}
}

type numbers struct {
	next, end int64
	out       *flow.Out
}

func (n *numbers) Setup(s *flow.Setup) error {
	n.next, n.end, n.out = s.Int("start"), s.Int("end"), s.Out("number")
	s.Expect(n.end - n.next) // beyond its end it counts for ever
	return nil
}

func (n *numbers) Step(s flow.Step) error {
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

func (c *constNumber) Step(flow.Step) error {
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

func (m *multiplication) Step(flow.Step) error {
	product := int32(m.a.Take().Int()) * int32(m.b.Take().Int())
	m.out.Push(flow.OfInt(int64(product)))
	return nil
}
