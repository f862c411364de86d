package example

import "github.com/pentode-dev/pentode/run/flow"

func expectType() *flow.Type {
	return &flow.Type{
		Name: "expect",
		Doc:  "Fails when a reconfigure does not bring the value it expects.",
		Out:  []flow.Port{{Name: "dummy", Type: flow.NoneType, Doc: "Never used."}},
		Keys: []flow.Key{
			{Name: "tunable", Kind: flow.String, Tunable: true, Doc: "Value that a reconfigure changes."},
			{Name: "expect", Kind: flow.String, Doc: "The value expected, or the key."},
			{Name: "expect_key", Kind: flow.Bool, Default: "false", Doc: "Whether expect names a key that must be there."},
		},
	}
}

func tunableType() *flow.Type {
	return &flow.Type{
		Name: "tunable",
		Doc:  "Emits the values of its two keys once and completes.",
		Out: []flow.Port{
			{Name: "tunable", Type: text, Doc: "Value of the key tunable."},
			{Name: "non_tunable", Type: text, Doc: "Value of the key non_tunable."},
		},
		Keys: []flow.Key{
			{Name: "tunable", Kind: flow.String, Tunable: true, Doc: "A value that may change."},
			{Name: "non_tunable", Kind: flow.String, Doc: "A value that may not."},
		},
	}
}
