package example

import "github.com/pentode-dev/pentode/run/flow"

func feedbackType() *flow.Type {
	return &flow.Type{
		Name: "feedback",
		New:  func() flow.Process { return &feedback{} },
		Doc:  "Emits an empty datum to start a loop, then whatever comes back.",
		In:   []flow.Port{{Name: "input", Type: "__feedback", Flags: flow.Required | flow.NoDep, Doc: "What came back."}},
		Out:  []flow.Port{{Name: "output", Type: "__feedback", Flags: flow.Required, Doc: "What goes round."}},
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

func (f *feedback) Step(s flow.Step) error {
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
