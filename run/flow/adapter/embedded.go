package adapter

import (
	"context"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// An Embedded is a pipeline inside a program: its `input_adapter` takes the sets given to Send, until Close, and its `output_adapter`
// provides the sets that Receive returns.
type Embedded struct {
	*Input
	*Output
	*flow.Run
	graph *pipe.Graph
}

// Start runs a pipeline with at most one adapter of each kind. It does not change p, which may be started again.
func Start(ctx context.Context, p *flow.Pipeline, opt flow.Options) (*Embedded, error) {
	e := &Embedded{Input: NewInput(1), Output: NewOutput(1), graph: &p.Graph}
	types := p.Registry.Clone()
	for _, t := range []*pipe.Type{e.Input.Type(), e.Output.Type()} {
		if err := types.Replace(t); err != nil {
			return nil, err
		}
	}
	run, err := (&flow.Pipeline{Registry: types, Graph: p.Graph}).Start(ctx, opt)
	if err != nil {
		return nil, err
	}
	e.Run = run
	if e.process(outputType().Name) == "" {
		close(e.Output.sets) // without an output_adapter there is nothing to receive
	}
	return e, nil
}

// InputPorts returns the ports for which Send takes data, in the order of their connections.
func (e *Embedded) InputPorts() (ports []string) {
	in := e.process(inputType().Name)
	for _, c := range e.graph.Connections {
		if c.From.Process == in && !slices.Contains(ports, c.From.Port) {
			ports = append(ports, c.From.Port)
		}
	}
	return ports
}

// OutputPorts returns the ports of the data that Receive returns, in the order of their connections.
func (e *Embedded) OutputPorts() (ports []string) {
	out := e.process(outputType().Name)
	for _, c := range e.graph.Connections {
		if c.To.Process == out {
			ports = append(ports, c.To.Port)
		}
	}
	return ports
}

// process returns the name of the first process with this type, or "".
func (e *Embedded) process(typ string) string {
	for _, n := range e.graph.Processes {
		if n.Type == typ {
			return n.Name
		}
	}
	return ""
}
