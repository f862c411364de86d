package example

import (
	"context"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

func anySourceType() *flow.Type {
	return &flow.Type{
		Name: "any_source",
		New:  func() flow.Process { return &emptySource{port: "data"} },
		Doc:  "Emits empty data of any type until no consumer is left.",
		Out:  []flow.Port{{Name: "data", Type: flow.AnyType, Flags: flow.Required, Doc: "Empty data."}},
	}
}

func constType() *flow.Type {
	return &flow.Type{
		Name: "const",
		New:  func() flow.Process { return &emptySource{port: "const"} },
		Doc:  "Emits empty data that must not be changed.",
		Out:  []flow.Port{{Name: "const", Type: flow.NoneType, Flags: flow.Required | flow.Const, Doc: "Empty data."}},
	}
}

func sharedType() *flow.Type {
	return &flow.Type{
		Name: "shared",
		New:  func() flow.Process { return &emptySource{port: "shared"} },
		Doc:  "Emits empty data that its readers share.",
		Out:  []flow.Port{{Name: "shared", Type: flow.NoneType, Flags: flow.Required | flow.Shared, Doc: "Empty data."}},
	}
}

func mutateType() *flow.Type {
	return &flow.Type{
		Name: "mutate",
		New:  func() flow.Process { return &take{port: "mutate"} },
		Doc:  "Takes data that it would change.",
		In:   []flow.Port{{Name: "mutate", Type: flow.AnyType, Flags: flow.Required | flow.Mutable, Doc: "Data to change."}},
	}
}

func orphanType() *flow.Type {
	return &flow.Type{Name: "orphan", New: func() flow.Process { return orphan{} }, Doc: "Has no ports, does nothing, and never ends by itself."}
}

func orphanClusterType() *flow.Type {
	return &flow.Type{Name: "orphan_cluster", Doc: "A cluster with nothing in it.", Cluster: &flow.Cluster{}}
}

// emptySource pushes empty data for ever.
type emptySource struct {
	port string
	out  *flow.Out
}

func (e *emptySource) Setup(s *flow.Setup) error {
	e.out = s.Out(e.port)
	return nil
}

func (e *emptySource) Step(flow.Step) error {
	e.out.Push(flow.OfEmpty())
	return nil
}

// orphan would spin for ever; a moment's sleep between steps leaves the
// processor to others.
type orphan struct{}

func (orphan) Step(s flow.Step) error {
	s.Await(func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Millisecond):
		}
	})
	return nil
}
