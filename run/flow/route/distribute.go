package route

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func distributeType() *pipe.Type {
	return &pipe.Type{
		Name: "distribute",
		New:  func() pipe.Process { return &distribute{} },
		Doc:  "Deals the data of src/<tag> out to the dist/<tag>/… ports in turn, in the order in which they were connected; collate puts them together again.",
		In:   []pipe.Port{{Name: "src/<tag>", Type: pipe.FlowDependent + "<tag>", Flags: pipe.Required, Doc: "Data to deal out."}},
		Out: []pipe.Port{
			{Name: "status/<tag>", Type: pipe.NoneType, Flags: pipe.Required, Doc: "An empty datum for each one dealt out; connect it to collate."},
			{Name: "dist/<tag>/<item>", Type: pipe.FlowDependent + "<tag>", Flags: pipe.Required, Turns: true, Least: 2, Doc: "Every n-th datum."},
		},
		Level:      pipe.CheckNone,
		Properties: []string{"_unsync_output"},
	}
}

// distribute passes on one datum of each group per step, to the group's outputs in turn.
type distribute struct{ groups []*dealing }

// A dealing has the input and the outputs of one group.
type dealing struct {
	src    *flow.In
	status *flow.Out
	dist   []*flow.Out
	next   int
}

func (d *distribute) Setup(s *flow.Setup) error {
	byTag := map[string]*dealing{}
	for _, in := range s.Ins() {
		g := &dealing{src: in, status: s.Out("status/" + in.Group())}
		byTag[in.Group()] = g
		d.groups = append(d.groups, g)
	}
	for _, out := range s.Outs() {
		if g := byTag[out.Group()]; g != nil && out != g.status {
			g.dist = append(g.dist, out)
		}
	}
	return nil
}

func (d *distribute) Step(s pipe.Step) error {
	left := d.groups[:0]
	for _, g := range d.groups {
		datum, stamp := g.src.TakeStamped()
		switch datum.Kind() {
		case flow.FlushKind, flow.CompleteKind:
			g.status.Forward(datum, stamp)
			for _, out := range g.dist {
				out.Forward(datum, stamp)
			}
			if datum.Kind() == flow.CompleteKind {
				continue
			}
		default:
			g.status.Forward(flow.OfEmpty(), stamp)
			g.dist[g.next].Forward(datum, stamp)
			g.next = (g.next + 1) % len(g.dist)
		}
		left = append(left, g)
	}
	if d.groups = left; len(left) == 0 {
		s.Complete()
	}
	return nil
}
