package example

import (
	"errors"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
)

func dataDependentType() *flow.Type {
	return &flow.Type{
		Name: "data_dependent",
		New:  func() flow.Process { return &emptySource{port: "output"} },
		Settle: func(c flow.Config, _ flow.Settling) (string, error) {
			if isTrue(c, "reject", false) {
				return "", errRefused
			}
			if isTrue(c, "set_on_configure", true) {
				return flow.NoneType, nil
			}
			return "", nil
		},
		Doc: "Has an output whose type is known only once the process is configured.",
		Out: []flow.Port{{Name: "output", Type: flow.DataDependent, Doc: "Empty data."}},
		Keys: []flow.Key{
			{Name: "reject", Kind: flow.Bool, Default: "false", Doc: "Whether to refuse every type."},
			{Name: "set_on_configure", Kind: flow.Bool, Default: "true", Doc: "Whether to choose a type when configured."},
		},
	}
}

func flowDependentType() *flow.Type {
	return &flow.Type{
		Name: "flow_dependent",
		New:  func() flow.Process { return &forward{ports: [][2]string{{"input", "output"}}} },
		Settle: func(c flow.Config, _ flow.Settling) (string, error) {
			if isTrue(c, "reject", false) {
				return "", errRefused
			}
			return "", nil
		},
		Doc:  "Hands on what it gets, of whatever type its neighbours agree on.",
		In:   []flow.Port{{Name: "input", Type: flow.FlowDependent + "tag", Doc: "Data to hand on."}},
		Out:  []flow.Port{{Name: "output", Type: flow.FlowDependent + "tag", Doc: "The same data."}},
		Keys: []flow.Key{{Name: "reject", Kind: flow.Bool, Default: "false", Doc: "Whether to refuse every type."}},
	}
}

func taggedFlowDependentType() *flow.Type {
	return &flow.Type{
		Name: "tagged_flow_dependent",
		New: func() flow.Process {
			return &forward{ports: [][2]string{{"untagged_input", "untagged_output"}, {"tagged_input", "tagged_output"}}}
		},
		Doc: "Hands on two streams: the ends of the tagged one share a type, those of the other need not.",
		In: []flow.Port{
			{Name: "untagged_input", Type: flow.FlowDependent, Doc: "Data for untagged_output."},
			{Name: "tagged_input", Type: flow.FlowDependent + "tag", Doc: "Data for tagged_output."},
		},
		Out: []flow.Port{
			{Name: "untagged_output", Type: flow.FlowDependent, Doc: "Data from untagged_input."},
			{Name: "tagged_output", Type: flow.FlowDependent + "tag", Doc: "Data from tagged_input."},
		},
	}
}

var errRefused = errors.New("it refuses every type because its key `reject` is true")

func isTrue(c flow.Config, key string, otherwise bool) bool {
	s, ok := c[key]
	if !ok {
		return otherwise
	}
	switch strings.ToLower(strings.TrimSpace(s.Value)) {
	case "true", "yes", "1":
		return true
	}
	return false
}

// forward hands on one or more streams and ends when one of them ends, or at
// once when nothing comes in.
type forward struct {
	ports [][2]string
	ins   []*flow.In
	outs  []*flow.Out
}

func (f *forward) Setup(s *flow.Setup) error {
	for _, p := range f.ports {
		if in := s.In(p[0]); in.Connected() {
			f.ins, f.outs = append(f.ins, in), append(f.outs, s.Out(p[1]))
		}
	}
	return nil
}

func (f *forward) Step(s flow.Step) error {
	if len(f.ins) == 0 {
		s.Complete()
	}
	for i, in := range f.ins {
		d, stamp := in.TakeStamped()
		if d.Kind() == flow.CompleteKind {
			s.Complete()
			return nil
		}
		f.outs[i].Forward(d, stamp)
	}
	return nil
}
