// Package child holds the process types whose work a program does: `exec`, a
// program in any language, and `python`, a Python class.
//
// The simplest programs read a JSON object a step from their standard input and
// answer with one on their standard output; of programs that know nothing of pipelines
// the lines that they print are taken. Others speak the binary protocol of
// docs/protocol.md on a socket of their own, with memory that both sides see; what
// they print is for people. A program is never restarted, and does not
// outlive the pipeline.
//
//	              ┌─ lines ─▶ {"n": 3, …} ─▶ stdin  │ program │ stdout ─▶ {"out": 6, …}
//	in ports ─▶ ──┤
//	              └─ link ──▶ frames ──▶ socket, memory │ program │
package child

import "github.com/pentode-dev/pentode/run/flow/pipe"

// Types lists them.
func Types() []*pipe.Type { return []*pipe.Type{execType(), pythonType()} }
