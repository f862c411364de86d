// Package origin records where a value comes from.
//
// A resolved setting is the result of a chain of steps: a default, a line in a
// file, a macro, another file or section, an argument on the command line.
// `show`, `explain`, `set` and the diagnostics all read this chain. A test
// replays it: the steps must give the value.
package origin

import "github.com/pentode-dev/pentode/core/source"

// What is the kind of step.
type What string

// The kinds of steps. Every language uses Set, Override and Default.
const (
	Default     What = "default"     // the default of the language or of a type
	Set         What = "set"         // a line of a file
	Override    What = "override"    // the command line, or the user of a cluster
	Include     What = "include"     // a line of an included file
	Inherit     What = "inherit"     // another section
	Reset       What = "reset"       // the value went back to a default
	Remove      What = "remove"      // the file says that a section contains nothing more
	Snapshot    What = "snapshot"    // a copy made at a section's header
	Macro       What = "macro"       // a macro was expanded
	Trim        What = "trim"        // blanks were dropped
	Path        What = "path"        // a folder was put before a relative path
	Map         What = "map"         // the key by which a cluster passes the value on
	Refused     What = "refused"     // a read-only key kept its value
	Alias       What = "alias"       // an anchor of the same file
	Localhost   What = "localhost"   // the name of this machine
	Environment What = "environment" // an environment variable
	Upstream    What = "upstream"    // the installed program reads it differently
)

// JSONValues returns all kinds, for the JSON Schema of answers.
func (What) JSONValues() []string {
	return []string{string(Default), string(Set), string(Override), string(Include), string(Inherit), string(Reset), string(Remove), string(Snapshot), string(Macro), string(Trim), string(Path), string(Map), string(Refused), string(Alias), string(Localhost), string(Environment), string(Upstream)}
}

// Step is one change of a value.
type Step struct {
	What What
	Text string      // the value after the step, or the text as written
	Span source.Span // its place; zero if it is in no file
	Note string      // the owner of a default, the section, or the including line
}

// Entry is a setting, its value and where that comes from.
type Entry struct {
	Key   string
	Value string // as written by users of the language
	Type  string // string, int, float, bool, enum, list, set …
	Flags []string
	Steps []Step // the last one decides
	Uses  []Use
	// Implicit means that no file and no command line set the value: it is a
	// default or computed. `show` lists such entries only with --all.
	Implicit bool
}

// Use is another setting that uses the value.
type Use struct {
	Key  string // the setting that uses it
	Text string // how it is used, such as the macro
	Span source.Span
}

// Decided returns the last step, which gave the value, or the zero Step.
func (e *Entry) Decided() Step {
	if len(e.Steps) == 0 {
		return Step{}
	}
	return e.Steps[len(e.Steps)-1]
}
