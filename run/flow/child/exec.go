package child

import "github.com/pentode-dev/pentode/run/flow"

func execType() *flow.Type {
	return &flow.Type{
		Name: "exec",
		Doc:  "Runs a program that answers each step's inputs with its outputs; its ports are those that are connected.",
		In:   []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "A member of the record the program reads."}},
		Out:  []flow.Port{{Name: "<any>", Type: flow.AnyType, Flags: flow.Required, Doc: "A member of the record the program writes."}},
		Keys: []flow.Key{
			{Name: "command", Kind: flow.String, Required: true, Doc: "The program and its arguments, split at blanks; quotes hold an argument together."},
			{Name: "format", Kind: flow.String, Default: "json", Choices: []string{"json", "binary"}, Doc: "One JSON object on a line, or records with a length before each part."},
			{Name: "dir", Kind: flow.String, Doc: "Folder to run in."},
			{Name: "env", Kind: flow.Any, Doc: "env:NAME = value sets a variable."},
			{Name: "grace", Kind: flow.Double, Default: "5", Doc: "Seconds the program may take to end after its input ended."},
		},
	}
}
