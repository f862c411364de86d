package example

import "github.com/pentode-dev/pentode/run/flow"

func anySourceType() *flow.Type {
	return &flow.Type{
		Name: "any_source",
		Doc:  "Emits empty data of any type until nobody wants them.",
		Out:  []flow.Port{{Name: "data", Type: flow.AnyType, Flags: flow.Required, Doc: "Empty data."}},
	}
}

func constType() *flow.Type {
	return &flow.Type{
		Name: "const",
		Doc:  "Emits empty data that nobody may change.",
		Out:  []flow.Port{{Name: "const", Type: flow.NoneType, Flags: flow.Required | flow.Const, Doc: "Empty data."}},
	}
}

func sharedType() *flow.Type {
	return &flow.Type{
		Name: "shared",
		Doc:  "Emits empty data that its readers share.",
		Out:  []flow.Port{{Name: "shared", Type: flow.NoneType, Flags: flow.Required | flow.Shared, Doc: "Empty data."}},
	}
}

func mutateType() *flow.Type {
	return &flow.Type{
		Name: "mutate",
		Doc:  "Takes data that it would change.",
		In:   []flow.Port{{Name: "mutate", Type: flow.AnyType, Flags: flow.Required | flow.Mutable, Doc: "Data to change."}},
	}
}

func orphanType() *flow.Type {
	return &flow.Type{Name: "orphan", Doc: "Has no ports, does nothing, and never ends by itself."}
}

func orphanClusterType() *flow.Type {
	return &flow.Type{Name: "orphan_cluster", Doc: "A cluster with nothing in it.", Cluster: &flow.Cluster{}}
}
