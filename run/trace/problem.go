package trace

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// The kinds of problems. The subject's Name is the domain, its Key the event
// or the unit kind.
const (
	BadCatalog    problem.Kind = "bad-catalog"    // names or numbers of a catalogue clash
	UnknownDomain problem.Kind = "unknown-domain" // not in the catalogue
	UnknownEvent  problem.Kind = "unknown-event"  // not an event of the domain
	UnknownUnit   problem.Kind = "unknown-unit"   // not a unit kind of the domain
	UnknownMode   problem.Kind = "unknown-mode"   // not one of the four
	ForeignUnit   problem.Kind = "foreign-unit"   // a unit kind of another domain
	NoUnits       problem.Kind = "no-units"       // a section for units without any
	NoRegion      problem.Kind = "no-region"      // a region without address and name
)

// maxProblems is how many problems of a configuration are reported.
const maxProblems = 100

// fail reports a problem and returns it, to be described further.
func (b *builder) fail(kind problem.Kind, place source.Span, domain, key, format string, args ...any) *problem.Problem {
	p := &problem.Problem{
		Kind: kind, Span: place, Subject: problem.Subject{Name: domain, Key: key}, Message: fmt.Sprintf(format, args...),
	}
	if len(b.problems) < maxProblems {
		b.problems = append(b.problems, p)
	}
	return p
}
