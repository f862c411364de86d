package adapter

import "github.com/pentode-dev/pentode/run/flow"

func printConfigType() *flow.Type {
	return &flow.Type{
		Name: "print_config",
		Doc:  "Logs its own configuration when it is set up; takes whatever is connected.",
		In:   []flow.Port{{Name: "<any>", Type: flow.AnyType, Doc: "Data to take."}},
		Keys: []flow.Key{{Name: "", Kind: flow.Any, Doc: "Everything is allowed."}},
	}
}
