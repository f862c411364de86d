package example

import "github.com/pentode-dev/pentode/run/flow"

func printNumberType() *flow.Type {
	return &flow.Type{
		Name: "print_number",
		Doc:  "Writes each number on a line of its own.",
		In:   []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "Number to write."}},
		Keys: []flow.Key{{Name: "output", Kind: flow.String, Required: true, Doc: "File to write; it is emptied first."}},
	}
}

func takeNumberType() *flow.Type {
	return &flow.Type{
		Name: "take_number",
		Doc:  "Takes numbers and does nothing with them.",
		In:   []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "Number to take."}},
	}
}

func takeStringType() *flow.Type {
	return &flow.Type{
		Name: "take_string",
		Doc:  "Takes strings and does nothing with them.",
		In:   []flow.Port{{Name: "string", Type: text, Flags: flow.Required, Doc: "String to take."}},
	}
}

func testProcSeqType() *flow.Type {
	return &flow.Type{
		Name: "test_proc_seq",
		Doc:  "Takes numbers and logs each part of its own life, to show the order of calls.",
		In:   []flow.Port{{Name: "number", Type: integer, Flags: flow.Required, Doc: "Number to take."}},
	}
}
