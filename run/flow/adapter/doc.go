// Package adapter connects a pipeline to the program that embeds it: the program sends data into
// the pipeline and receives data from it. Another process type logs the pipeline's configuration.
//
//	Input.Send ─▶ input_adapter ─▶ … ─▶ output_adapter ─▶ Output.Receive
//
// Start runs a pipeline that has one adapter of each kind. For more adapters, a program makes an
// Input or an Output for each, and puts its Type into the registry in place of the declared type.
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
