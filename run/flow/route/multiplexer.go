package route

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func multiplexerType() *pipe.Type {
	return &pipe.Type{
		Name: "multiplexer",
		New:  func() pipe.Process { return &multiplexer{} },
		Doc:  "Takes one datum from each <group>/… port in turn, sorted by name, and sends all of them to <group>.",
		In:   []pipe.Port{{Name: "<group>/<item>", Type: pipe.FlowDependent + "<group>", Flags: pipe.Required, Turns: true, Least: 2, Doc: "Data to merge."}},
		Out:  []pipe.Port{{Name: "<group>", Type: pipe.FlowDependent + "<group>", Flags: pipe.Required, Doc: "All data of the group."}},
		Keys: []pipe.Key{{
			Name: "termination_policy", Kind: pipe.String, Default: "any", Choices: []string{"any", "all"},
			Doc: "Whether a group ends when its first input ends, or when its last input ends.",
		}},
		Level:      pipe.CheckNone,
		Properties: []string{"_unsync_input"},
	}
}

// multiplexer passes on one datum of each group per step.
type multiplexer struct {
	groups []*merging
	all    bool
}

// A merging has the inputs and the output of one group.
type merging struct {
	from []*flow.In
	to   *flow.Out
	next int
}

func (m *multiplexer) Setup(s *flow.Setup) error {
	m.all = s.Value("termination_policy") == "all"
	byName := map[string]*merging{}
	for _, in := range s.Ins() {
		g := byName[in.Group()]
		if g == nil {
			g = &merging{to: s.Out(in.Group())}
			byName[in.Group()] = g
			m.groups = append(m.groups, g)
		}
		g.from = append(g.from, in)
	}
	for _, g := range m.groups {
		slices.SortFunc(g.from, func(a, b *flow.In) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return nil
}

func (m *multiplexer) Step(s pipe.Step) error {
	m.groups = slices.DeleteFunc(m.groups, func(g *merging) bool { return !m.merge(g) })
	if len(m.groups) == 0 {
		s.Complete()
	}
	return nil
}

// merge passes on one datum of a group. It returns false at the end of the group.
func (m *multiplexer) merge(g *merging) bool {
	for {
		datum := g.from[g.next].Take()
		if datum.Kind() != flow.CompleteKind {
			g.to.Push(datum)
			g.next = (g.next + 1) % len(g.from)
			return true
		}
		g.from[g.next].Refuse()
		g.from = slices.Delete(g.from, g.next, g.next+1)
		if !m.all || len(g.from) == 0 {
			for _, in := range g.from {
				in.Refuse()
			}
			g.to.Push(datum)
			return false
		}
		g.next %= len(g.from)
	}
}
