package route

import "github.com/pentode-dev/pentode/run/flow"

func passType() *flow.Type {
	return &flow.Type{
		Name:  "pass",
		Doc:   "Hands on everything it gets, unchanged.",
		In:    []flow.Port{{Name: "pass", Type: flow.FlowDependent + "pass", Flags: flow.Required, Doc: "Data to hand on."}},
		Out:   []flow.Port{{Name: "pass", Type: flow.FlowDependent + "pass", Flags: flow.Required, Doc: "The same data."}},
		Level: flow.CheckSync,
	}
}

func sinkType() *flow.Type {
	return &flow.Type{
		Name: "sink",
		Doc:  "Takes data of any type and does nothing with them.",
		In:   []flow.Port{{Name: "sink", Type: flow.AnyType, Flags: flow.Required, Doc: "Data to take."}},
	}
}
