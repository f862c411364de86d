package example

import (
	"errors"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func dataDependentType() *pipe.Type {
	return &pipe.Type{
		Name: "data_dependent",
		New:  func() pipe.Process { return &emptySource{port: "output"} },
		Settle: func(c pipe.Config, _ pipe.Settling) (string, error) {
			if isTrue(c, "reject", false) {
				return "", errRefused
			}
			if isTrue(c, "set_on_configure", true) {
				return pipe.NoneType, nil
			}
			return "", nil
		},
		Doc: "Has an output whose type is known only once the process is configured.",
		Out: []pipe.Port{{Name: "output", Type: pipe.DataDependent, Doc: "Empty data."}},
		Keys: []pipe.Key{
			{Name: "reject", Kind: pipe.Bool, Default: "false", Doc: "Whether to refuse every type."},
			{Name: "set_on_configure", Kind: pipe.Bool, Default: "true", Doc: "Whether to choose a type when configured."},
		},
	}
}

func flowDependentType() *pipe.Type {
	return &pipe.Type{
		Name: "flow_dependent",
		New:  func() pipe.Process { return &forward{ports: [][2]string{{"input", "output"}}} },
		Settle: func(c pipe.Config, _ pipe.Settling) (string, error) {
			if isTrue(c, "reject", false) {
				return "", errRefused
			}
			return "", nil
		},
		Doc:  "Passes on its data; their type is whatever its neighbours agree on.",
		In:   []pipe.Port{{Name: "input", Type: pipe.FlowDependent + "tag", Doc: "Data to pass on."}},
		Out:  []pipe.Port{{Name: "output", Type: pipe.FlowDependent + "tag", Doc: "The same data."}},
		Keys: []pipe.Key{{Name: "reject", Kind: pipe.Bool, Default: "false", Doc: "Whether to refuse every type."}},
	}
}

func taggedFlowDependentType() *pipe.Type {
	return &pipe.Type{
		Name: "tagged_flow_dependent",
		New: func() pipe.Process {
			return &forward{ports: [][2]string{{"untagged_input", "untagged_output"}, {"tagged_input", "tagged_output"}}}
		},
		Doc: "Passes on two streams: both ends of the tagged stream have the same type, the ends of the other may differ.",
		In: []pipe.Port{
			{Name: "untagged_input", Type: pipe.FlowDependent, Doc: "Data for untagged_output."},
			{Name: "tagged_input", Type: pipe.FlowDependent + "tag", Doc: "Data for tagged_output."},
		},
		Out: []pipe.Port{
			{Name: "untagged_output", Type: pipe.FlowDependent, Doc: "Data from untagged_input."},
			{Name: "tagged_output", Type: pipe.FlowDependent + "tag", Doc: "Data from tagged_input."},
		},
	}
}

var errRefused = errors.New("it refuses every type because its key `reject` is true")

func isTrue(c pipe.Config, key string, otherwise bool) bool {
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

// forward passes on the data of one or more inputs. It ends when one of them ends, or at once if
// no input is connected.
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

func (f *forward) Step(s pipe.Step) error {
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
