package route

import "github.com/pentode-dev/pentode/run/flow"

func distributeType() *flow.Type {
	return &flow.Type{
		Name: "distribute",
		Doc:  "Deals the data of src/<tag> out to the dist/<tag>/… ports in turn, in the order in which they were connected; collate puts them together again.",
		In:   []flow.Port{{Name: "src/<tag>", Type: flow.FlowDependent + "<tag>", Flags: flow.Required, Doc: "Data to deal out."}},
		Out: []flow.Port{
			{Name: "status/<tag>", Type: flow.NoneType, Flags: flow.Required, Doc: "An empty datum for each one dealt out; connect it to collate."},
			{Name: "dist/<tag>/<item>", Type: flow.FlowDependent + "<tag>", Flags: flow.Required, Turns: true, Least: 2, Doc: "Every n-th datum."},
		},
		Level:      flow.CheckNone,
		Properties: []string{"_unsync_output"},
	}
}
