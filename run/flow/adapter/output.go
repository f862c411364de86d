package adapter

import "github.com/pentode-dev/pentode/run/flow"

func outputType() *flow.Type {
	return &flow.Type{
		Name: "output_adapter",
		Doc:  "Hands what reaches it to the program around the pipeline; its ports are those that are connected.",
		In:   []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "One member of each set received."}},
		Keys: []flow.Key{{Name: "wait_on_queue_full", Kind: flow.Bool, Default: "TRUE", Doc: "Whether to wait when the program does not fetch; otherwise the oldest set is dropped."}},
	}
}
