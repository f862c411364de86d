package launch

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// The kinds of problems that NewPlan and Convert report.
const (
	TooManyVariables problem.Kind = "too-many-variables" // each node would get too many tunables
	DaemonCommand    problem.Kind = "daemon-command"     // the command cannot be split into words
	CommandEmpty     problem.Kind = "command-empty"
	CommandBlanks    problem.Kind = "command-blanks" // the command of a process looks like a command line
	HostDash         problem.Kind = "host-dash"      // the host looks like an option
	NULByte          problem.Kind = "nul-byte"
	ImplicitDaemon   problem.Kind = "implicit-daemon"  // a daemon is started although it is not declared
	DaemonElsewhere  problem.Kind = "daemon-elsewhere" // the name belongs to a daemon on another host
	VisiAgain        problem.Kind = "visi-again"
	VisiUnknown      problem.Kind = "visi-unknown"
	TunableClash     problem.Kind = "tunable-clash"   // two tunables share a variable
	ProgramUnknown   problem.Kind = "program-unknown" // settings are for a program that the plan does not have
	EnvFile          problem.Kind = "env-file"        // a file with variables cannot be read
	AfterUnknown     problem.Kind = "after-unknown"   // a program waits for a program that never starts
	Circle           problem.Kind = "circle"          // programs wait for each other
	TooManyEdges     problem.Kind = "too-many-edges"
	CopyClash        problem.Kind = "copy-clash"   // a copy has the name of another program
	CopiesPlace      problem.Kind = "copies-place" // the copies do not fit on their hosts
	Loss             problem.Kind = "loss"         // another format cannot express something
)

// FromSettings reports whether problems of a kind are about the settings of a project: their position is in its settings, not in a declaration.
func FromSettings(kind problem.Kind) bool {
	switch kind {
	case ProgramUnknown, EnvFile, AfterUnknown, Circle, TooManyEdges, CopyClash, CopiesPlace:
		return true
	}
	return false
}

// problems collects problems and drops repeated ones.
type problems struct {
	list problem.List
	seen map[cause]bool
}

// cause identifies a problem: two problems with the same cause are the same.
type cause struct {
	kind    problem.Kind
	at      source.Span
	message string
}

// report adds a problem of a node, once for each place. The caller may add details to the result.
func (l *problems) report(s problem.Severity, kind problem.Kind, at source.Span, node, format string, args ...any) *problem.Problem {
	message := fmt.Sprintf(format, args...)
	p := &problem.Problem{Kind: kind, Severity: s, Span: at, Subject: problem.Subject{Name: node}, Message: message}
	l.add(p, cause{kind, at, message})
	return p
}

// lose reports something that another format cannot express, once for all places.
func (l *problems) lose(at source.Span, node, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	p := &problem.Problem{Kind: Loss, Severity: problem.Warning, Span: at, Subject: problem.Subject{Name: node}, Message: message}
	l.add(p, cause{kind: Loss, message: message})
}

func (l *problems) add(p *problem.Problem, c cause) {
	if l.seen == nil {
		l.seen = map[cause]bool{}
	}
	if !l.seen[c] {
		l.seen[c] = true
		l.list = append(l.list, p)
	}
}
