// Package origin remembers the way a value came.
//
// A resolved setting is the end of a chain: a default, a line in a file, a
// macro, a layer over it, a word on the command line. `show`, `explain`, `set` and the
// diagnostics all read this chain, and a test replays it: what the steps say
// must be what the value is.
package origin

import "github.com/pentode-dev/pentode/core/source"

// Step is one thing that happened to a value.
type Step struct {
	What string      // default, set, inherit, macro, include, layer, override, …
	Text string      // what the value was after the step, or the text that was written
	Span source.Span // where; zero where no file says it
	Note string      // whose default, which section, included from where
}

// Entry is a setting with its way.
type Entry struct {
	Key   string
	Value string // as the language's users write it
	Type  string // string, int, float, bool, enum, list, set …
	Flags []string
	Steps []Step // the last one decides
	Uses  []Use
	// Implicit is true where no file and no command line set it: a default
	// or something computed. `show` lists such entries only with --all.
	Implicit bool
}

// Use is somebody who read the value.
type Use struct {
	Key  string // the setting that read it
	Text string // how, for instance the macro
	Span source.Span
}

// Decided is the step that gave the value, or the zero Step.
func (e *Entry) Decided() Step {
	if len(e.Steps) == 0 {
		return Step{}
	}
	return e.Steps[len(e.Steps)-1]
}
