package data

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Status is the class of an error, with the numbers of PDI's C interface.
type Status uint8

const (
	StatusOK Status = iota
	StatusUnavailable
	StatusSpecTree      // the specification tree is invalid
	StatusValue         // an expression cannot be evaluated
	StatusPlugin        // a plugin cannot be loaded or failed
	StatusImpl          // a feature is missing in the library
	StatusSystem        // the operating system refused
	StatusState         // the call does not fit what happened before
	StatusPermission    // an access right is missing
	StatusType          // a value has a type that cannot be used here
	StatusInvalidAction // a plugin was asked for an action that it does not have
	StatusMultiple      // several callbacks failed
)

var statusNames = [...]string{
	"OK", "UNAVAILABLE", "SPECTREE", "VALUE", "PLUGIN", "IMPL", "SYSTEM",
	"STATE", "PERMISSION", "TYPE", "INVALIDACTION", "MULTIPLE",
}

func (s Status) String() string { return statusNames[s] }

// Error is the type of every error of this package: a problem and its class. The subject of the
// problem is the datum it is about. The kind of the problem is set if the declaration of a type
// is wrong.
type Error struct {
	problem.Problem
	Status Status
	Node   *Node // nil if no part of a tree is at fault
	Err    error // the cause; its text is part of the message

	upstream upstream // what the original program reports
}

func (e *Error) Unwrap() error { return e.Err }

// StatusOf returns the class of an error. An error that this package did not make is a system error.
func StatusOf(err error) Status {
	if err == nil {
		return StatusOK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return StatusSystem
}

// asError returns the Error inside err. If there is none, it returns a new one with the text of err.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := Errorf(StatusOf(err), nil, "%s", err)
	e.Err = err
	return e
}

// Message returns the text of an error without its place.
func Message(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// Errorf returns an Error without a cause, for plugins and their configuration.
func Errorf(s Status, n *Node, format string, args ...any) *Error {
	e := &Error{Status: s, Node: n}
	e.Span, e.Message = n.span(), fmt.Sprintf(format, args...)
	return e
}

// Within prefixes an error with the operation that failed, and keeps its class and place. It
// returns nil if err is nil.
func Within(err error, format string, args ...any) error {
	context := fmt.Sprintf(format, args...)
	return within(err, context, upstreamContext(context))
}

// within is Within with a different prefix for the message of the original program.
func within(err error, context, original string) error {
	if err == nil {
		return nil
	}
	e := new(Error)
	*e = *asError(err)
	e.Err = err
	e.upstream.within(original, err)
	if context != "" {
		e.Message = context + ": " + e.Message
	}
	return e
}

// Join combines several errors into one and leaves out nil errors. It returns nil if no error remains.
func Join(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d errors", len(errs))
	for _, err := range errs {
		b.WriteString("\n * " + err.Error())
	}
	e := Errorf(StatusMultiple, nil, "%s", b.String())
	e.Err, e.upstream.parts = errors.Join(errs...), errs
	return e
}

// span returns the place of a node, which may be nil.
func (n *Node) span() source.Span {
	if n == nil {
		return source.Span{}
	}
	return n.Span
}

// Programs written for the original program compare the texts of its errors. So an error here
// has, in addition to its own message, the text and the place that the original program
// reports.

// upstream is an error as the original program reports it.
type upstream struct {
	text  string       // empty: the message of the error
	at    *source.Span // nil: the place of the error
	parts []error      // several errors reported as one
	alone bool         // the class is not written before the text

	earlier *Node // the text ends with this declaration, which came first
}

// Upstream sets the text that the original program reports for an error.
func (e *Error) Upstream(format string, args ...any) *Error {
	e.upstream.text = fmt.Sprintf(format, args...)
	return e
}

// UpstreamAt is Upstream for an error that the original program reports at another node, or at
// none if n is nil.
func (e *Error) UpstreamAt(n *Node, format string, args ...any) *Error {
	at := n.span()
	e.upstream.at = &at
	return e.Upstream(format, args...)
}

// UpstreamAlone is Upstream for an error that the original program passes on from a library,
// without a class.
func (e *Error) UpstreamAlone(text string) *Error {
	e.upstream.alone = true
	return e.Upstream("%s", text)
}

// The original program's tree reader has its own messages, which end in a line break. If a part
// of a node is missing, it reports not a place but a path, which ends in the missing part.

// NoScalar sets the original program's text for a node that is not a scalar.
func (e *Error) NoScalar(n *Node) *Error {
	return e.UpstreamAt(n, "Configuration error #2: Expected a scalar, found %s\n", n.Kind)
}

// NoMapping sets the original program's text for a node that is not a mapping.
func (e *Error) NoMapping(n *Node, path string) *Error {
	return e.UpstreamAt(nil, "Configuration error #2: Expected mapping, found %s (ROOT)%s\n", n.Kind, path)
}

// NoSequence sets the original program's text for a node that is not a sequence.
func (e *Error) NoSequence(n *Node) *Error {
	return e.UpstreamAt(nil, "Configuration error #2: Expected sequence, found %s (ROOT)\n", n.Kind)
}

// NoKey sets the original program's text for a mapping without the key.
func (e *Error) NoKey(key, path string) *Error {
	return e.UpstreamAt(nil, "Configuration error #3: Key `%s' not found in (ROOT)%s\n", key, path)
}

// statusText is how the original program begins the message of an error of each class.
var statusText = [...]string{
	"Not an error",
	"Data unavailable",
	"Invalid entry in specification tree",
	"Invalid value expression",
	"Invalid plugin",
	"Missing feature",
	"System error",
	"Precondition not respected",
	"Permission issue",
	"Incorrect type",
	"Invalid action requested",
	"Multiple errors",
}

// Text returns the original program's text for the class.
func (s Status) Text() string { return statusText[s] }

// UpstreamMessage returns the message that the original program gives for an error, if it is
// known, and the message of this package otherwise. region formats a place as that program
// does.
func UpstreamMessage(err error, region func(source.Span) string) string {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return StatusSystem.Text() + ": " + err.Error()
	}
	if e.upstream.alone {
		return e.upstream.text
	}
	var b strings.Builder
	b.WriteString(e.Status.Text() + ": ")
	at := e.Span
	if e.upstream.at != nil {
		at = *e.upstream.at
	}
	if e.Status == StatusSpecTree && !at.IsZero() {
		b.WriteString(region(at) + " ")
	}
	b.WriteString(UpstreamText(e))
	if n := e.upstream.earlier; n != nil && !n.Span.IsZero() {
		b.WriteString(" previously defined in `" + region(n.Span)) // without the quote that would close it
	}
	for _, part := range e.upstream.parts {
		b.WriteString("\n * " + UpstreamMessage(part, region))
	}
	return b.String()
}

// UpstreamText returns what the original program reports for an error, without its class and place.
func UpstreamText(err error) string {
	e, ok := errors.AsType[*Error](err)
	if ok && (e.upstream.text != "" || e.upstream.parts != nil) {
		return e.upstream.text
	}
	return Message(err)
}

// within puts a context before the text of the original program. For an error from a library,
// it then keeps only the context. An error without a text of the original program keeps our
// message and our context.
func (u *upstream) within(context string, err error) {
	if context == "" && u.text == "" && u.parts == nil {
		return
	}
	if u.alone && context != "" {
		u.text, u.alone = context, false
		return
	}
	u.text = context + UpstreamText(err)
}

// upstreamContext returns what the original program puts before an error: which operation on a
// datum, an event or a plugin failed, and no further context.
func upstreamContext(context string) string {
	doing, ok := strings.CutPrefix(context, "cannot share ")
	switch {
	case ok:
		doing = "Unable to share " + doing
	case strings.HasPrefix(context, "while "):
		doing = context
	default:
		return ""
	}
	return strings.TrimSuffix(doing, "`") + "', "
}

// Fault returns the error for a panic that was recovered: what failed because of a mistake in
// this program, and the place of the mistake. The value of the panic is left out, because its
// text is meant for the author of the code.
func Fault(what string) *Error {
	return Errorf(StatusSystem, nil, "%s failed: this library has a fault%s; please report this", what, panicked())
}

// panicked returns the place of the panic that the calling deferred function recovered.
func panicked() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	inPanic := false
	for {
		f, more := frames.Next()
		ofRuntime := strings.HasPrefix(f.Function, "runtime.")
		if inPanic && !ofRuntime {
			return fmt.Sprintf(" in %s:%d", path.Join(packageOf(f.Function), filepath.Base(f.File)), f.Line)
		}
		inPanic = inPanic || f.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// packageOf returns the folder of a function's package in this module, or the path of a package
// of another module.
func packageOf(function string) string {
	function = strings.TrimPrefix(function, "github.com/pentode-dev/pentode/")
	dir, name := path.Split(function)
	name, _, _ = strings.Cut(name, ".")
	return dir + name
}
