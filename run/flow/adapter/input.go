package adapter

import "github.com/pentode-dev/pentode/run/flow"

func inputType() *flow.Type {
	return &flow.Type{
		Name: "input_adapter",
		Doc:  "Feeds a pipeline with what the program around it sends; its ports are those that are connected.",
		Out:  []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "One member of each set sent."}},
	}
}
