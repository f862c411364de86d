// Package problem is what an engine finds wrong.
//
// Engines know no files and no codes. They report a Problem: its kind, where
// the value came from, what it is about, and what was expected. A language
// turns the kind into its documented code; the sentence is never parsed.
// With it stand the two things that every message needs: the nearest name to
// a misspelt one, and the clipping of texts that a message quotes.
package problem

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Severity is how much a problem matters.
type Severity uint8

// The severities. An error makes the answer "no"; a warning does under
// --strict; an info never does.
const (
	Error Severity = iota
	Warning
	Info
)

func (s Severity) String() string { return [...]string{"error", "warning", "info"}[s] }

// Kind is which rule a problem breaks. Each engine declares its own constants,
// and they never change.
type Kind string

// Problem is one thing that is wrong.
type Problem struct {
	Kind     Kind
	Severity Severity
	Span     source.Span // zero where the value came from a Go program
	Related  []Related
	Subject  Subject

	Message    string
	Expected   string // what to do, or what would be right; may be empty
	Suggestion string // the name that was probably intended, or empty
	Misspelt   bool   // it can be nothing but a misspelling of that name
}

// Subject is what a problem is about. Empty parts do not apply.
type Subject struct {
	Name   string // of a process, a node of a plan, a datum
	Port   string
	Output bool // Port is an output
	Key    string
}

// Related is another place that a problem is about.
type Related struct {
	Span    source.Span
	Message string
}

// Error is the problem in one line with its place in front.
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

// Help is the advice of the problem: the suggestion, else what was expected.
func (p *Problem) Help() string {
	if p.Suggestion != "" {
		return DidYouMean(p.Suggestion)
	}
	return p.Expected
}

// DidYouMean is the question that offers a name.
func DidYouMean(name string) string { return "did you mean `" + name + "`?" }

// Advise offers the nearest of some names, or gives other advice where none is near.
func Advise(name string, candidates []string, otherwise string) string {
	if near, ok := Nearest(name, candidates); ok {
		return DidYouMean(near)
	}
	return otherwise
}

// List is everything that was found. As an error it shows the first of its errors.
type List []*Problem

// HasErrors reports whether the answer is "no".
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(p *Problem) bool { return p.Severity == Error })
}

// Err is the list as an error where it has one, or nil.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Error shows the first error and how many more there are.
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
