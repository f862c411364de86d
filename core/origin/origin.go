// Package origin remembers where a value comes from.
//
// A resolved setting is the end of a chain: a default, a line in a file, a
// macro, a layer over it, a word on the command line. `show`, `explain`, `set` and the
// diagnostics all read this chain, and a test replays it: the steps must give
// the value.
package origin

import "github.com/pentode-dev/pentode/core/source"

// What is the kind of a step.
type What string

// The kinds of steps. Set, Override and Default are in every language.
const (
	Default     What = "default"     // the language or a type has it
	Set         What = "set"         // a line of a file
	Override    What = "override"    // the command line, or the user of a cluster
	Include     What = "include"     // a line of an included file
	Inherit     What = "inherit"     // another section
	Reset       What = "reset"       // back to a default
	Remove      What = "remove"      // a section says that it holds no more
	Snapshot    What = "snapshot"    // a copy that was made at a section's header
	Macro       What = "macro"       // a macro was expanded
	Trim        What = "trim"        // blanks were dropped
	Path        What = "path"        // a folder was put in front
	Map         What = "map"         // the key of a cluster
	Refused     What = "refused"     // a read-only key kept its value
	Alias       What = "alias"       // an anchor of the same file
	Localhost   What = "localhost"   // the name of this machine
	Environment What = "environment" // a variable
	Upstream    What = "upstream"    // what the installed program makes of it
)

// JSONValues returns all of them, for the JSON Schema of answers.
func (What) JSONValues() []string {
	return []string{string(Default), string(Set), string(Override), string(Include), string(Inherit), string(Reset), string(Remove), string(Snapshot), string(Macro), string(Trim), string(Path), string(Map), string(Refused), string(Alias), string(Localhost), string(Environment), string(Upstream)}
}

// Step is one thing that happened to a value.
type Step struct {
	What What
	Text string      // what the value was after the step, or the text that was written
	Span source.Span // where; zero where no file says it
	Note string      // the owner of a default, the section, the including line
}

// Entry is a setting with its origin.
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

// Use is another setting that read the value.
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
