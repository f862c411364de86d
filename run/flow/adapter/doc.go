// Package adapter joins a pipeline to the program around it: data in, data
// out, configuration shown.
package adapter

import "github.com/pentode-dev/pentode/run/flow"

// Types lists them. The adapters need a Go program at their other end; see
// Input and Output.
func Types() []*flow.Type { return []*flow.Type{inputType(), outputType(), printConfigType()} }
