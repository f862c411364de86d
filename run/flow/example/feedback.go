package example

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func feedbackType() *pipe.Type {
	return &pipe.Type{
		Name: "feedback",
		New:  func() pipe.Process { return &feedback{} },
		Doc:  "Sends an empty datum to start a loop, then every datum that comes back.",
		In:   []pipe.Port{{Name: "input", Type: "__feedback", Flags: pipe.Required | pipe.NoDep, Doc: "Data that came back."}},
		Out:  []pipe.Port{{Name: "output", Type: "__feedback", Flags: pipe.Required, Doc: "Data sent round the loop."}},
	}
}

type feedback struct {
	in    *flow.In
	out   *flow.Out
	going bool
}

func (f *feedback) Setup(s *flow.Setup) error {
	f.in, f.out = s.In("input"), s.Out("output")
	return nil
}

func (f *feedback) Step(s pipe.Step) error {
	if !f.going {
		f.going = true
		f.out.Push(flow.OfEmpty())
		return nil
	}
	d := f.in.Take()
	if d.Kind() == flow.CompleteKind {
		s.Complete()
		return nil
	}
	f.out.Push(d)
	return nil
}
