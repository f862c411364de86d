// Package adapter connects a pipeline with the program that embeds it: data in, data
// out, and the configuration logged.
//
//	Input.Send ─▶ input_adapter ─▶ … ─▶ output_adapter ─▶ Output.Receive
//
// Start runs a pipeline that has both. A program with more adapters makes an Input or an
// Output for each, and replaces the declared type in the registry by the Input's or Output's Type.
package adapter

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Types lists the process types. The adapters need a Go program at their other end: see Input and
// Output.
func Types() []*pipe.Type { return []*pipe.Type{inputType(), outputType(), printConfigType()} }

// A Set is one datum for each port.
type Set map[string]flow.Datum
