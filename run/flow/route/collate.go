package route

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func collateType() *pipe.Type {
	return &pipe.Type{
		Name: "collate",
		New:  func() pipe.Process { return &collate{} },
		Doc:  "Collects the data that distribute dealt out: takes from the coll/<tag>/… ports in turn, in the order in which they were connected.",
		In: []pipe.Port{
			{Name: "status/<tag>", Type: pipe.NoneType, Flags: pipe.Required, Doc: "From distribute: a datum was dealt out, or the end."},
			{Name: "coll/<tag>/<item>", Type: pipe.FlowDependent + "<tag>", Flags: pipe.Required, Turns: true, Least: 2, Doc: "Every n-th datum."},
		},
		Out:        []pipe.Port{{Name: "res/<tag>", Type: pipe.FlowDependent + "<tag>", Flags: pipe.Required, Doc: "The data in their original order."}},
		Level:      pipe.CheckNone,
		Properties: []string{"_unsync_input"},
	}
}

// collate takes one datum of each group per step, from the group's inputs in turn.
type collate struct{ groups []*collecting }

// A collecting has the inputs and the output of one group.
type collecting struct {
	status *flow.In
	coll   []*flow.In
	res    *flow.Out
	next   int
}

func (c *collate) Setup(s *flow.Setup) error {
	byTag := map[string]*collecting{}
	for _, out := range s.Outs() {
		g := &collecting{status: s.In("status/" + out.Group()), res: out}
		byTag[out.Group()] = g
		c.groups = append(c.groups, g)
	}
	for _, in := range s.Ins() {
		if g := byTag[in.Group()]; g != nil && in != g.status {
			g.coll = append(g.coll, in)
		}
	}
	return nil
}

func (c *collate) Step(s pipe.Step) error {
	left := c.groups[:0]
	for _, g := range c.groups {
		status, stamp := g.status.TakeStamped()
		switch status.Kind() {
		case flow.CompleteKind:
			g.res.Forward(status, stamp)
			continue
		case flow.FlushKind:
			g.res.Forward(status, stamp)
			for _, in := range g.coll {
				in.Take()
			}
		default:
			datum, stamp := g.coll[g.next].TakeStamped()
			if datum.Kind() == flow.CompleteKind { // one of the inputs has ended early
				g.res.Forward(datum, stamp)
				continue
			}
			g.res.Forward(datum, stamp)
			g.next = (g.next + 1) % len(g.coll)
		}
		left = append(left, g)
	}
	if c.groups = left; len(left) == 0 {
		s.Complete()
	}
	return nil
}
