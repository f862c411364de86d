package example

import "github.com/pentode-dev/pentode/run/flow"

func feedbackType() *flow.Type {
	return &flow.Type{
		Name: "feedback",
		Doc:  "Emits an empty datum to start a loop, then whatever comes back.",
		In:   []flow.Port{{Name: "input", Type: "__feedback", Flags: flow.Required | flow.NoDep, Doc: "What came back."}},
		Out:  []flow.Port{{Name: "output", Type: "__feedback", Flags: flow.Required, Doc: "What goes round."}},
	}
}
