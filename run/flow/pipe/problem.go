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
	CannotRun         problem.Kind = "cannot-run" // declared, but cannot be run here
	UnknownProcess    problem.Kind = "unknown-process"
	UnknownPort       problem.Kind = "unknown-port"
	PortTwice         problem.Kind = "port-connected-twice"
	TypeMismatch      problem.Kind = "type-mismatch"
	TypeRefused       problem.Kind = "type-refused" // a process refuses the type of its neighbour
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
	NoSuchEdge        problem.Kind = "no-such-edge" // the configuration of an edge names no existing edge
	StaticIgnored     problem.Kind = "static-ignored"
	NoEffect          problem.Kind = "no-effect" // a setting without effect
	StateInReplicas   problem.Kind = "state-in-replicas"
	MixedData         problem.Kind = "mixed-data"        // data are dropped before some inputs of a process
	SameFile          problem.Kind = "same-file"         // two processes write the same file
	EdgeGrown         problem.Kind = "edge-grown"        // reported by a run only
	UnknownScheduler  problem.Kind = "unknown-scheduler" // reported by Start only
	SetupFailed       problem.Kind = "setup-failed"      // the process itself refused; reported by Start only
)

// Kinds lists all kinds.
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

// ImportHint ends the messages of problems that can be settled with the declarations of the user's
// own installation.
const ImportHint = "`types import` reads yours"

// foreign reports whether a declaration may be of another version than the installed one.
// Declarations read from the sources of an installation are its own.
func (t *Type) foreign() bool { return t.Version != "" && t.Origin == "" }

// Soften turns a problem into a warning if an installation with another version of the type may not
// have it. A misspelt name stays an error, because it is misspelt in all versions.
func (t *Type) Soften(p *problem.Problem, lacks string) {
	if t.foreign() && !p.Misspelt {
		p.Severity = problem.Warning
		p.Message = fmt.Sprintf("the declaration of `%s` here, %s, %s; "+ImportHint, t.Name, t.Version, lacks)
	}
}

// Suggest adds to a problem the nearest of the names or, if none is near, all of them after the
// words in listed.
func Suggest(p *problem.Problem, name string, names []string, listed string) {
	near, ok := problem.Nearest(name, names)
	if ok {
		p.Suggestion, p.Misspelt = near, problem.Misspelt(name, names)
	} else if len(names) > 0 && listed != "" {
		p.Expected = listed + " " + strings.Join(names, ", ")
	}
}
