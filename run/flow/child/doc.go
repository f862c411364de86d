// Package child has the process types whose work a program does: `exec`, a
// program in any language, and `python`, a Python class.
//
// In the simplest protocol, a program reads one JSON object per step from its standard
// input and writes one to its standard output. A program that has no protocol can serve
// as a source: the lines it prints are the data. Other programs use the binary protocol
// of docs/protocol.md, over a socket and shared memory; what they print goes to the log.
// A program is never restarted, and ends with the pipeline.
//
//	              ┌─ lines ─▶ {"n": 3, …} ─▶ stdin  │ program │ stdout ─▶ {"out": 6, …}
//	in ports ─▶ ──┤
//	              └─ link ──▶ frames ──▶ socket, memory │ program │
package child

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type { return []*pipe.Type{execType(), pythonType()} }
