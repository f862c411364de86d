package flow

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Replicated returns the plan with the copies of replicated processes, as it runs.
func Replicated(p *pipe.Plan) *pipe.Plan {
	return p.WithReplicas(func() pipe.Process { return &dealer{} }, func() pipe.Process { return &gatherer{} })
}

// A dealer sends each datum to the next copy of a process, in turn.
type dealer struct {
	in   *In
	outs []*Out
	turn int
}

func (d *dealer) Setup(s *Setup) error {
	d.in, d.outs = s.p.ins[0], s.p.outs
	return nil
}

func (d *dealer) Step(s pipe.Step) error {
	datum, stamp := d.in.TakeStamped()
	if datum.Kind() == CompleteKind {
		s.Complete()
		return nil
	}
	d.outs[d.turn].Forward(datum, stamp)
	d.turn = (d.turn + 1) % len(d.outs)
	return nil
}

// A gatherer takes one datum from each copy of a process, in turn.
type gatherer struct {
	ins  []*In
	out  *Out
	turn int
}

func (g *gatherer) Setup(s *Setup) error {
	g.ins, g.out = s.p.ins, s.p.outs[0]
	return nil
}

func (g *gatherer) Step(s pipe.Step) error {
	datum := g.ins[g.turn].Take()
	if datum.Kind() == CompleteKind {
		s.Complete()
		return nil
	}
	g.out.Push(datum)
	g.turn = (g.turn + 1) % len(g.ins)
	return nil
}
