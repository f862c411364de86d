package adapter

import (
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func printConfigType() *pipe.Type {
	return &pipe.Type{
		Name: "print_config",
		Doc:  "Logs its own configuration when it is set up; takes any connected data.",
		In:   []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Doc: "Data to take."}},
		Keys: []pipe.Key{{Name: "", Kind: pipe.Any, Doc: "Any key is allowed."}},
		New:  func() pipe.Process { return &printConfig{} },
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

// Step takes one datum from each port and ends when all ports have ended.
func (p *printConfig) Step(s pipe.Step) error {
	p.ins = slices.DeleteFunc(p.ins, func(in *flow.In) bool { return in.Take().Kind() == flow.CompleteKind })
	if len(p.ins) == 0 {
		s.Complete()
	}
	return nil
}
