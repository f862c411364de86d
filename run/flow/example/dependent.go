package example

import "github.com/pentode-dev/pentode/run/flow"

func dataDependentType() *flow.Type {
	return &flow.Type{
		Name: "data_dependent",
		Doc:  "Has an output whose type is known only once the process is configured.",
		Out:  []flow.Port{{Name: "output", Type: flow.DataDependent, Doc: "Empty data."}},
		Keys: []flow.Key{
			{Name: "reject", Kind: flow.Bool, Default: "false", Doc: "Whether to refuse every type."},
			{Name: "set_on_configure", Kind: flow.Bool, Default: "true", Doc: "Whether to choose a type when configured."},
		},
	}
}

func flowDependentType() *flow.Type {
	return &flow.Type{
		Name: "flow_dependent",
		Doc:  "Hands on what it gets, of whatever type its neighbours agree on.",
		In:   []flow.Port{{Name: "input", Type: flow.FlowDependent + "tag", Doc: "Data to hand on."}},
		Out:  []flow.Port{{Name: "output", Type: flow.FlowDependent + "tag", Doc: "The same data."}},
		Keys: []flow.Key{{Name: "reject", Kind: flow.Bool, Default: "false", Doc: "Whether to refuse every type."}},
	}
}

func taggedFlowDependentType() *flow.Type {
	return &flow.Type{
		Name: "tagged_flow_dependent",
		Doc:  "Hands on two streams: the ends of the tagged one share a type, those of the other need not.",
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
