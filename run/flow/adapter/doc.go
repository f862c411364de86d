// Package adapter joins a pipeline to the program around it: data in, data
// out, configuration shown.
//
//	Input.Send ─▶ input_adapter ─▶ … ─▶ output_adapter ─▶ Output.Receive
//
// Start runs a pipeline that has both. A program with more of them makes an Input or an
// Output for each and puts its Type into the registry in place of the one that is only declared.
package adapter

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Types lists them. The adapters need a Go program at their other end: see
// Input and Output.
func Types() []*pipe.Type { return []*pipe.Type{inputType(), outputType(), printConfigType()} }

// A Set is one datum for each port.
type Set map[string]flow.Datum
