package route

import "github.com/pentode-dev/pentode/run/flow"

func passType() *flow.Type {
	return &flow.Type{
		Name:  "pass",
		New:   func() flow.Process { return &pass{} },
		Doc:   "Hands on everything it gets, unchanged.",
		In:    []flow.Port{{Name: "pass", Type: flow.FlowDependent + "pass", Flags: flow.Required, Doc: "Data to hand on."}},
		Out:   []flow.Port{{Name: "pass", Type: flow.FlowDependent + "pass", Flags: flow.Required, Doc: "The same data."}},
		Level: flow.CheckSync,
		Tell: func(_ string, _ flow.Values, in func(string) flow.Facts) (flow.Facts, error) {
			return in("pass"), nil
		},
	}
}

func sinkType() *flow.Type {
	return &flow.Type{
		Name: "sink",
		New:  func() flow.Process { return &sink{} },
		Doc:  "Takes data of any type and does nothing with them.",
		In:   []flow.Port{{Name: "sink", Type: flow.AnyType, Flags: flow.Required, Doc: "Data to take."}},
	}
}

type pass struct {
	in  *flow.In
	out *flow.Out
}

func (p *pass) Setup(s *flow.Setup) error {
	p.in, p.out = s.In("pass"), s.Out("pass")
	return nil
}

func (p *pass) Step(s flow.Step) error {
	d, stamp := p.in.TakeStamped()
	if d.Kind() == flow.CompleteKind {
		s.Complete()
		return nil
	}
	p.out.Forward(d, stamp)
	return nil
}

type sink struct{ in *flow.In }

func (k *sink) Setup(s *flow.Setup) error {
	k.in = s.In("sink")
	return nil
}

func (k *sink) Step(flow.Step) error {
	k.in.Take()
	return nil
}
