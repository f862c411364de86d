package route

import "github.com/pentode-dev/pentode/run/flow"

func multiplexerType() *flow.Type {
	return &flow.Type{
		Name: "multiplexer",
		Doc:  "Takes one datum from each <group>/… port in turn, sorted by name, and emits all of them at <group>.",
		In:   []flow.Port{{Name: "<group>/<item>", Type: flow.FlowDependent + "<group>", Flags: flow.Required, Turns: true, Least: 2, Doc: "Data to merge."}},
		Out:  []flow.Port{{Name: "<group>", Type: flow.FlowDependent + "<group>", Flags: flow.Required, Doc: "All data of the group."}},
		Keys: []flow.Key{{
			Name: "termination_policy", Kind: flow.String, Default: "any", Choices: []string{"any", "all"},
			Doc: "Whether a group ends with its first input that ends, or with its last.",
		}},
		Level:      flow.CheckNone,
		Properties: []string{"_unsync_input"},
	}
}
