package text

import "github.com/pentode-dev/pentode/run/flow"

func readType() *flow.Type {
	return &flow.Type{
		Name: "text_read",
		Doc:  "Emits the lines of a file, one a step, without their line ends.",
		Out:  []flow.Port{{Name: "text", Type: lineType, Flags: flow.Required, Doc: "The next line."}},
		Keys: []flow.Key{
			{Name: "file_name", Kind: flow.String, Required: true, Doc: "The file; - is standard input."},
			{Name: "max_line", Kind: flow.Unsigned, Default: "1048576", Doc: "Longest line accepted, in bytes."},
		},
	}
}
