// Package child holds the process type `exec`: a program in any language as a
// process of a pipeline.
//
// The program gets one record a step on its standard input and answers with
// one record on its standard output. Its standard error goes to the log line
// by line, it is never restarted, and it does not outlive the pipeline.
//
//	in ports ─▶ {"n": 3, …} ─▶ stdin │ child │ stdout ─▶ {"out": 6, …} ─▶ out ports
package child

import "github.com/pentode-dev/pentode/run/flow"

// Types lists them.
func Types() []*flow.Type { return []*flow.Type{execType()} }
