package example

import (
	"context"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func anySourceType() *pipe.Type {
	return &pipe.Type{
		Name: "any_source",
		New:  func() pipe.Process { return &emptySource{port: "data"} },
		Doc:  "Sends empty data of any type until it has no consumer left.",
		Out:  []pipe.Port{{Name: "data", Type: pipe.AnyType, Flags: pipe.Required, Doc: "Empty data."}},
	}
}

func constType() *pipe.Type {
	return &pipe.Type{
		Name: "const",
		New:  func() pipe.Process { return &emptySource{port: "const"} },
		Doc:  "Sends empty data that must not be changed.",
		Out:  []pipe.Port{{Name: "const", Type: pipe.NoneType, Flags: pipe.Required | pipe.Const, Doc: "Empty data."}},
	}
}

func sharedType() *pipe.Type {
	return &pipe.Type{
		Name: "shared",
		New:  func() pipe.Process { return &emptySource{port: "shared"} },
		Doc:  "Sends empty data that its readers share.",
		Out:  []pipe.Port{{Name: "shared", Type: pipe.NoneType, Flags: pipe.Required | pipe.Shared, Doc: "Empty data."}},
	}
}

func mutateType() *pipe.Type {
	return &pipe.Type{
		Name: "mutate",
		New:  func() pipe.Process { return &take{port: "mutate"} },
		Doc:  "Takes data that it would change.",
		In:   []pipe.Port{{Name: "mutate", Type: pipe.AnyType, Flags: pipe.Required | pipe.Mutable, Doc: "Data to change."}},
	}
}

func orphanType() *pipe.Type {
	return &pipe.Type{Name: "orphan", New: func() pipe.Process { return orphan{} }, Doc: "Has no ports, does nothing, and never ends by itself."}
}

func orphanClusterType() *pipe.Type {
	return &pipe.Type{Name: "orphan_cluster", Doc: "A cluster with nothing in it.", Cluster: &pipe.Cluster{}}
}

// emptySource pushes empty data and never ends.
type emptySource struct {
	port string
	out  *flow.Out
}

func (e *emptySource) Setup(s *flow.Setup) error {
	e.out = s.Out(e.port)
	return nil
}

func (e *emptySource) Step(pipe.Step) error {
	e.out.Push(flow.OfEmpty())
	return nil
}

// orphan does nothing and never ends. It sleeps a little in each step, so that it does
// not use up the processor.
type orphan struct{}

func (orphan) Step(s pipe.Step) error {
	s.Await(func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Millisecond):
		}
	})
	return nil
}
