package route

import "github.com/pentode-dev/pentode/run/flow"

func collateType() *flow.Type {
	return &flow.Type{
		Name: "collate",
		Doc:  "Collects what distribute dealt out: takes from the coll/<tag>/… ports in turn, in the order in which they were connected.",
		In: []flow.Port{
			{Name: "status/<tag>", Type: flow.NoneType, Flags: flow.Required, Doc: "From distribute: a datum is on its way, or the end."},
			{Name: "coll/<tag>/<item>", Type: flow.FlowDependent + "<tag>", Flags: flow.Required, Turns: true, Least: 2, Doc: "Every n-th datum."},
		},
		Out:        []flow.Port{{Name: "res/<tag>", Type: flow.FlowDependent + "<tag>", Flags: flow.Required, Doc: "The data in their old order."}},
		Level:      flow.CheckNone,
		Properties: []string{"_unsync_input"},
	}
}
