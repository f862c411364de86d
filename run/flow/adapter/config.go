package adapter

import (
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
)

func printConfigType() *flow.Type {
	return &flow.Type{
		Name: "print_config",
		Doc:  "Logs its own configuration when it is set up; takes whatever is connected.",
		In:   []flow.Port{{Name: "<any>", Type: flow.AnyType, Doc: "Data to take."}},
		Keys: []flow.Key{{Name: "", Kind: flow.Any, Doc: "Everything is allowed."}},
		New:  func() flow.Process { return &printConfig{} },
	}
}

type printConfig struct{ ins []*flow.In }

func (p *printConfig) Setup(s *flow.Setup) error {
	p.ins = s.Ins()
	for _, key := range slices.Sorted(maps.Keys(s.Config())) {
		s.Log().Info("configuration", "key", key, "value", s.Value(key))
	}
	return nil
}

// Step takes one datum of every port and ends when all of them have ended.
func (p *printConfig) Step(s flow.Step) error {
	p.ins = slices.DeleteFunc(p.ins, func(in *flow.In) bool { return in.Take().Kind() == flow.CompleteKind })
	if len(p.ins) == 0 {
		s.Complete()
	}
	return nil
}
