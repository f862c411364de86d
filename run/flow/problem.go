package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Code says which rule a problem breaks. Codes never change.
type Code string

const (
	NoProcesses       Code = "no-processes"
	DuplicateProcess  Code = "duplicate-process"
	UnknownType       Code = "unknown-type"
	CannotRun         Code = "cannot-run" // declared, but nothing here runs it
	UnknownProcess    Code = "unknown-process"
	UnknownPort       Code = "unknown-port"
	PortTwice         Code = "port-connected-twice"
	TypeMismatch      Code = "type-mismatch"
	TypeRefused       Code = "type-refused" // a process refuses the type its neighbour has
	UntypedPort       Code = "untyped-port"
	FlagMismatch      Code = "flag-mismatch"
	MissingConnection Code = "missing-required-connection"
	TooFewPorts       Code = "too-few-ports"
	NotADAG           Code = "not-a-dag"
	FrequencyMismatch Code = "frequency-mismatch"
	SeparateParts     Code = "separate-parts"
	UnknownKey        Code = "unknown-key"
	MissingKey        Code = "missing-key"
	BadValue          Code = "bad-value"
	ReadOnlyKey       Code = "read-only-key"
	NoSuchEdge        Code = "no-such-edge" // edge configuration that names none
	StaticIgnored     Code = "static-ignored"
	EdgeGrown         Code = "edge-grown"   // only from a run
	SetupFailed       Code = "setup-failed" // the process itself refused; only from Start
)

// Codes lists all of them.
func Codes() []Code {
	return []Code{NoProcesses, DuplicateProcess, UnknownType, CannotRun, UnknownProcess, UnknownPort, PortTwice,
		TypeMismatch, TypeRefused, UntypedPort, FlagMismatch, MissingConnection, TooFewPorts, NotADAG,
		FrequencyMismatch, SeparateParts, UnknownKey, MissingKey, BadValue, ReadOnlyKey, NoSuchEdge,
		StaticIgnored, EdgeGrown, SetupFailed}
}

// Severity separates what stops a pipeline from what its author should know.
type Severity uint8

const (
	Error Severity = iota
	Warning
)

// A Problem is one thing that is wrong with a graph.
type Problem struct {
	Code     Code
	Severity Severity
	Message  string
	Help     string // what to do; may be empty

	Process    string // empty when no single process is meant
	Port       string
	Output     bool // Port is an output
	Key        string
	Connection int    // index into Graph.Connections, or -1
	Place      string // of the connection, the setting or the process, whichever is closest
	Related    []Related
}

// Related is a second place that a problem is about.
type Related struct {
	Message string
	Place   string
}

// SetupError is a list of problems as an error.
type SetupError struct {
	Problems []Problem // at least one of severity Error
}

// Error shows the first error and how many more there are.
func (e *SetupError) Error() string {
	var first string
	n := 0
	for i := range e.Problems {
		if p := &e.Problems[i]; p.Severity == Error {
			if n == 0 {
				first = p.String()
			}
			n++
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s (and %d more)", first, n-1)
	}
	return first
}

// String is the problem in one line with its place in front.
func (p *Problem) String() string {
	s := p.Message
	if p.Place != "" {
		s = p.Place + ": " + s
	}
	if p.Help != "" {
		s += ": " + p.Help
	}
	return s
}

// Errors reports whether a list holds a problem that stops a pipeline.
func Errors(list []Problem) bool {
	return slices.ContainsFunc(list, func(p Problem) bool { return p.Severity == Error })
}

// nearest finds the name that is closest to a misspelt one, or "".
func nearest(name string, names []string) string {
	best, at := "", len(name)/3+1
	for _, n := range names {
		if d := distance(name, n, at); d <= at && d < len(name) && (best == "" || d < at || d == at && cmp.Less(n, best)) {
			best, at = n, d
		}
	}
	return best
}

// distance counts edits, swaps of neighbours as one; past limit it stops.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit || len(a) > 64 || len(b) > 64 {
		return limit + 1
	}
	var rows [3][65]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, up, up2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], up2[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

func didYouMean(name string, names []string, listed string) string {
	if n := nearest(name, names); n != "" {
		return fmt.Sprintf("did you mean `%s`?", n)
	}
	if len(names) == 0 || listed == "" {
		return ""
	}
	return listed + " " + strings.Join(names, ", ")
}
