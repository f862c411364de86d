// Package child has the process types whose work a program does: `exec`, a
// program in any language, and `python`, a Python class.
//
// The simplest programs read a JSON object per step from their standard input and
// answer with one on their standard output. From programs that know nothing of
// pipelines, the printed lines are taken. Other programs speak the binary protocol
// of docs/protocol.md on a separate socket, with shared memory; their printed output
// goes to the log. A program is never restarted, and is ended with the pipeline.
//
//	              ┌─ lines ─▶ {"n": 3, …} ─▶ stdin  │ program │ stdout ─▶ {"out": 6, …}
//	in ports ─▶ ──┤
//	              └─ link ──▶ frames ──▶ socket, memory │ program │
package child

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists the process types.
func Types() []*pipe.Type { return []*pipe.Type{execType(), pythonType()} }
