package text

import "github.com/pentode-dev/pentode/run/flow"

func writeType() *flow.Type {
	return &flow.Type{
		Name: "text_write",
		Doc:  "Writes everything it gets as text, one datum on a line.",
		In:   []flow.Port{{Name: "text", Type: flow.AnyType, Flags: flow.Required, Doc: "Line to write; numbers are written as digits."}},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file; - is standard output."},
			{Name: "append", Kind: flow.Bool, Default: "false", Doc: "Whether to keep what the file holds."},
			{Name: "prefix", Kind: flow.String, Tunable: true, Doc: "Text before each line."},
		},
	}
}
