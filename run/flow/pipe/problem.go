package pipe

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// The kinds of problems that a pipeline can have.
const (
	NoProcesses       problem.Kind = "no-processes"
	DuplicateProcess  problem.Kind = "duplicate-process"
	UnknownType       problem.Kind = "unknown-type"
	CannotRun         problem.Kind = "cannot-run" // the type is declared, but cannot run here
	UnknownProcess    problem.Kind = "unknown-process"
	UnknownPort       problem.Kind = "unknown-port"
	PortTwice         problem.Kind = "port-connected-twice"
	TypeMismatch      problem.Kind = "type-mismatch"
	TypeRefused       problem.Kind = "type-refused" // a process refuses the type that its neighbour has
	UntypedPort       problem.Kind = "untyped-port"
	FlagMismatch      problem.Kind = "flag-mismatch"
	MissingConnection problem.Kind = "missing-required-connection"
	TooFewPorts       problem.Kind = "too-few-ports"
	NotADAG           problem.Kind = "not-a-dag"
	FrequencyMismatch problem.Kind = "frequency-mismatch"
	SeparateParts     problem.Kind = "separate-parts"
	UnknownKey        problem.Kind = "unknown-key"
	UnknownAlgorithm  problem.Kind = "unknown-algorithm"
	MissingKey        problem.Kind = "missing-key"
	BadValue          problem.Kind = "bad-value"
	ReadOnlyKey       problem.Kind = "read-only-key"
	NoSuchEdge        problem.Kind = "no-such-edge" // a rule for edges names an edge that does not exist
	StaticIgnored     problem.Kind = "static-ignored"
	NoEffect          problem.Kind = "no-effect" // a setting has no effect
	StateInReplicas   problem.Kind = "state-in-replicas"
	MixedData         problem.Kind = "mixed-data"        // data may meet that do not belong together, because some were dropped
	SameFile          problem.Kind = "same-file"         // two processes write to the same file
	EdgeGrown         problem.Kind = "edge-grown"        // an edge was enlarged; reported only by a run
	UnknownScheduler  problem.Kind = "unknown-scheduler" // reported only by Start
	SetupFailed       problem.Kind = "setup-failed"      // the setup of a process failed; reported only by Start
)

// Kinds returns all kinds.
func Kinds() []problem.Kind {
	return []problem.Kind{NoProcesses, DuplicateProcess, UnknownType, CannotRun, UnknownProcess, UnknownPort, PortTwice,
		TypeMismatch, TypeRefused, UntypedPort, FlagMismatch, MissingConnection, TooFewPorts, NotADAG,
		FrequencyMismatch, SeparateParts, UnknownKey, UnknownAlgorithm, MissingKey, BadValue, ReadOnlyKey, NoSuchEdge,
		StaticIgnored, NoEffect, StateInReplicas, MixedData, SameFile, EdgeGrown, UnknownScheduler, SetupFailed}
}

// NewProblem returns a problem of a process.
func NewProblem(n *Node, kind problem.Kind, format string, args ...any) *problem.Problem {
	return &problem.Problem{Kind: kind, Span: n.Span, Subject: problem.Subject{Name: n.Name}, Message: fmt.Sprintf(format, args...)}
}

// ImportHint ends a message if the declarations of the user's own installation would show whether
// there really is a problem.
const ImportHint = "`types import` reads yours"

// foreign reports whether the installed program may be of a different version than the declaration.
// If the declaration was read from the sources of an installation, it is not.
func (t *Type) foreign() bool { return t.Version != "" && t.Origin == "" }

// Soften turns a problem into a warning if another version of the type may not have the problem. A
// misspelt name stays an error, because it is wrong in all versions.
func (t *Type) Soften(p *problem.Problem, lacks string) {
	if t.foreign() && !p.Misspelt {
		p.Severity = problem.Warning
		p.Message = fmt.Sprintf("the declaration of `%s` here, %s, %s; "+ImportHint, t.Name, t.Version, lacks)
	}
}

// Suggest adds to a problem the name that is most similar to name. If none is similar, it adds all
// names, after the text listed.
func Suggest(p *problem.Problem, name string, names []string, listed string) {
	near, ok := problem.Nearest(name, names)
	if ok {
		p.Suggestion, p.Misspelt = near, problem.Misspelt(name, names)
	} else if len(names) > 0 && listed != "" {
		p.Expected = listed + " " + strings.Join(names, ", ")
	}
}
