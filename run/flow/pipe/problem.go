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
	CannotRun         problem.Kind = "cannot-run" // declared, but nothing here runs it
	UnknownProcess    problem.Kind = "unknown-process"
	UnknownPort       problem.Kind = "unknown-port"
	PortTwice         problem.Kind = "port-connected-twice"
	TypeMismatch      problem.Kind = "type-mismatch"
	TypeRefused       problem.Kind = "type-refused" // a process refuses the type its neighbour has
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
	NoSuchEdge        problem.Kind = "no-such-edge" // edge configuration that names none
	StaticIgnored     problem.Kind = "static-ignored"
	NoEffect          problem.Kind = "no-effect" // a setting that changes nothing
	StateInReplicas   problem.Kind = "state-in-replicas"
	MixedData         problem.Kind = "mixed-data"        // data are dropped before some inputs of a process
	SameFile          problem.Kind = "same-file"         // two processes write it
	EdgeGrown         problem.Kind = "edge-grown"        // only from a run
	UnknownScheduler  problem.Kind = "unknown-scheduler" // only from Start
	SetupFailed       problem.Kind = "setup-failed"      // the process itself refused; only from Start
)

// Kinds lists all of them.
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

// ImportHint ends the messages of problems that the declarations of the user's own
// installation settle.
const ImportHint = "`types import` reads yours"

// foreign reports whether a declaration may be that of another version than the one which is
// installed. What was read from the sources of an installation is its own.
func (t *Type) foreign() bool { return t.Version != "" && t.Origin == "" }

// Soften makes a warning of a problem that an installation with another
// version of the type may not have. A misspelt name is one in all versions.
func (t *Type) Soften(p *problem.Problem, lacks string) {
	if t.foreign() && !p.Misspelt {
		p.Severity = problem.Warning
		p.Message = fmt.Sprintf("the declaration of `%s` here, %s, %s; "+ImportHint, t.Name, t.Version, lacks)
	}
}

// Suggest completes a problem with the nearest of the names, or with all of
// them behind the words listed, if there are any.
func Suggest(p *problem.Problem, name string, names []string, listed string) {
	near, ok := problem.Nearest(name, names)
	if ok {
		p.Suggestion, p.Misspelt = near, problem.Misspelt(name, names)
	} else if len(names) > 0 && listed != "" {
		p.Expected = listed + " " + strings.Join(names, ", ")
	}
}
