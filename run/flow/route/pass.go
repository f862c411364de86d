package route

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func passType() *pipe.Type {
	return &pipe.Type{
		Name:  "pass",
		New:   func() pipe.Process { return &pass{} },
		Doc:   "Passes on all its data unchanged.",
		In:    []pipe.Port{{Name: "pass", Type: pipe.FlowDependent + "pass", Flags: pipe.Required, Doc: "Data to pass on."}},
		Out:   []pipe.Port{{Name: "pass", Type: pipe.FlowDependent + "pass", Flags: pipe.Required, Doc: "The same data."}},
		Level: pipe.CheckSync,
		Tell: func(_ string, _ pipe.Values, in func(string) pipe.Facts) (pipe.Facts, error) {
			return in("pass"), nil
		},
	}
}

func sinkType() *pipe.Type {
	return &pipe.Type{
		Name: "sink",
		New:  func() pipe.Process { return &sink{} },
		Doc:  "Takes data of any type and discards them.",
		In:   []pipe.Port{{Name: "sink", Type: pipe.AnyType, Flags: pipe.Required, Doc: "Data to take."}},
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

func (p *pass) Step(s pipe.Step) error {
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

func (k *sink) Step(pipe.Step) error {
	k.in.Take()
	return nil
}
