package data

import "github.com/pentode-dev/pentode/core/problem"

// The kinds of problems that the declaration of a type may have.
const (
	WrongShape     problem.Kind = "wrong-shape"     // a mapping, a list or a scalar where another is needed
	MissingKey     problem.Kind = "missing-key"     // the subject is the key
	UnknownKey     problem.Kind = "unknown-key"     // the type has no such key; it is ignored
	DuplicateKey   problem.Kind = "duplicate-key"   // a repeated key or member
	MergeKey       problem.Kind = "merge-key"       // `<<`, which merges nothing
	UnknownType    problem.Kind = "unknown-type"    // the subject is the name of the type
	RecursiveType  problem.Kind = "recursive-type"  // a type that contains itself
	StartAlone     problem.Kind = "start-alone"     // `start` without `subsize`
	Deprecated     problem.Kind = "deprecated"      // still read, but PDI's document advises against it
	BadExpression  problem.Kind = "bad-expression"  // the error that it wraps knows the position in the text
	DialectsDiffer problem.Kind = "dialects-differ" // upstream refuses it, or reads it differently
	BadLayout      problem.Kind = "layout"          // the type has no valid layout in memory
)

// maxProblems limits the problems reported for one declaration.
const maxProblems = 1000

// report adds a problem. If the same problem was reported before, that one gets the more
// severe of the two severities.
func (env *Env) report(kind problem.Kind, s problem.Severity, n *Node, format string, args ...any) *Error {
	e := Errorf(StatusSpecTree, n, format, args...)
	for _, have := range env.problems {
		if have.Kind == kind && have.Node == n && have.Message == e.Message {
			have.Severity = min(have.Severity, s)
			return have
		}
	}
	e.Kind, e.Severity = kind, s
	env.add(e)
	return e
}

// add keeps a problem. Above the limit, it keeps errors only.
func (env *Env) add(e *Error) {
	if len(env.problems) < maxProblems || e.Severity == problem.Error {
		env.problems = append(env.problems, e)
	}
	env.full = env.full || len(env.problems) >= maxProblems
}

// refuse reports a problem that makes a declaration invalid.
func (env *Env) refuse(kind problem.Kind, n *Node, format string, args ...any) *Error {
	return env.report(kind, problem.Error, n, format, args...)
}

// warn reports a part of a declaration that is ignored.
func (env *Env) warn(kind problem.Kind, n *Node, format string, args ...any) *Error {
	return env.report(kind, problem.Warning, n, format, args...)
}

// differ reports a declaration that upstream refuses although its documentation allows it. In
// the documented dialect the declaration stays valid and differ returns nil.
func (env *Env) differ(n *Node, expected, format string, args ...any) *Error {
	switch {
	case env.Dialect == Upstream:
		e := env.refuse(DialectsDiffer, n, format, args...)
		e.Expected = expected
		return e
	case env.Lint:
		env.report(DialectsDiffer, problem.Info, n, format, args...).Expected = expected
	}
	return nil
}

// failed reports an error in an expression.
func (env *Env) failed(err error) {
	e := asError(err)
	if e.Kind == "" {
		e.Kind = BadExpression
	}
	env.add(e)
}

// firstError returns the first problem with severity error, or nil.
func firstError(list []*Error) *Error {
	for _, e := range list {
		if e.Severity == problem.Error {
			return e
		}
	}
	return nil
}
