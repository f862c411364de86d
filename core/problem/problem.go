// Package problem describes what an engine finds wrong.
//
// Engines know no files and no codes. They report a Problem: its kind, where the
// value came from, what it is about, and what was expected. A language turns the
// kind into its documented code; the message is never parsed. The package also has
// two things that every message needs: the nearest name to a misspelt one, and the
// clipping of quoted texts.
package problem

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Severity is how serious a problem is.
type Severity uint8

// The severities. An error makes the answer "no", a warning does so under --strict,
// an info never does.
const (
	Error Severity = iota
	Warning
	Info
)

func (s Severity) String() string { return [...]string{"error", "warning", "info"}[s] }

// Kind names the rule that a problem breaks. Each engine declares its own constants,
// which never change.
type Kind string

// Problem is one thing that is wrong.
type Problem struct {
	Kind     Kind
	Severity Severity
	Span     source.Span // zero if the value came from a Go program
	Related  []Related
	Subject  Subject

	Message    string
	Expected   string // what to do, or what would be right; may be empty
	Suggestion string // the name that was probably intended, or empty
	Misspelt   bool   // the name must be a misspelling of Suggestion
}

// Subject is what a problem is about. Parts that do not apply are empty.
type Subject struct {
	Name   string // of a process, a node of a plan, a datum
	Port   string
	Output bool // Port is an output
	Key    string
}

// Related is another place that belongs to a problem.
type Related struct {
	Span    source.Span
	Message string
}

// Error returns the problem in one line that begins with its place.
func (p *Problem) Error() string {
	s := p.Message
	if !p.Span.IsZero() {
		s = p.Span.String() + ": " + s
	}
	if help := p.Help(); help != "" {
		s += ": " + help
	}
	return s
}

// Help returns the advice: the suggestion if there is one, otherwise what was
// expected.
func (p *Problem) Help() string {
	if p.Suggestion != "" {
		return DidYouMean(p.Suggestion)
	}
	return p.Expected
}

// DidYouMean returns the question whether the user meant this name.
func DidYouMean(name string) string { return "did you mean `" + name + "`?" }

// Advise suggests the most similar of some names, or returns other advice if none is
// similar.
func Advise(name string, candidates []string, otherwise string) string {
	if near, ok := Nearest(name, candidates); ok {
		return DidYouMean(near)
	}
	return otherwise
}

// List holds all problems that were found. As an error, its text is its first error.
type List []*Problem

// HasErrors reports whether the list has an error, in which case a check answers
// "no".
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(p *Problem) bool { return p.Severity == Error })
}

// Err returns the list as an error, or nil if it has no error in it.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Error returns the first error and how many more there are.
func (l List) Error() string {
	var first string
	n := 0
	for _, p := range l {
		if p.Severity == Error {
			if n == 0 {
				first = p.Error()
			}
			n++
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s (and %d more)", first, n-1)
	}
	return first
}
