package example

import "github.com/pentode-dev/pentode/run/flow"

func duplicateType() *flow.Type {
	return &flow.Type{
		Name: "duplicate",
		Doc:  "Emits everything it gets several times.",
		In:   []flow.Port{{Name: "input", Type: flow.FlowDependent + "tag", Flags: flow.Required, Doc: "Datum to repeat."}},
		Out:  []flow.Port{{Name: "duplicate", Type: flow.FlowDependent + "tag", Flags: flow.Required | flow.Shared, FreqKey: "copies", Doc: "The datum, 1+copies times."}},
		Keys: []flow.Key{{Name: "copies", Kind: flow.Unsigned, Default: "1", Doc: "How many copies follow the datum itself."}},
	}
}

func skipType() *flow.Type {
	return &flow.Type{
		Name: "skip",
		Doc:  "Lets one datum of each group of skip+1 through; an incomplete last group is dropped.",
		In:   []flow.Port{{Name: "input", Type: flow.FlowDependent + "tag", Flags: flow.Required, FreqKey: "skip", Doc: "Data to thin out."}},
		Out:  []flow.Port{{Name: "output", Type: flow.FlowDependent + "tag", Flags: flow.Required, Doc: "One datum of each group."}},
		Keys: []flow.Key{
			{Name: "skip", Kind: flow.Unsigned, Default: "1", Doc: "How many data of a group are left out."},
			{Name: "offset", Kind: flow.Unsigned, Default: "0", Doc: "Which datum of a group passes, from 0 to skip."},
		},
	}
}
