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

// Error is the type of all errors of this package: a problem with the class of the error. The subject
// of the problem is the datum with the error. If the declaration of a type is invalid, the problem has
// a kind.
type Error struct {
	problem.Problem
	Status Status
	Node   *Node // the part of the tree that has the error; nil if none has
	Err    error // the cause; its text is part of the message

	upstream upstream // how the original program reports the error
}

func (e *Error) Unwrap() error { return e.Err }

// StatusOf returns the class of an error. Errors that this package did not create count as system
// errors.
func StatusOf(err error) Status {
	if err == nil {
		return StatusOK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return StatusSystem
}

// asError returns the Error that err is or wraps. If there is none, it returns a new Error with the
// text of err.
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

// Errorf returns an Error that wraps no other error. Plugins use it for errors in their configuration.
func Errorf(s Status, n *Node, format string, args ...any) *Error {
	e := &Error{Status: s, Node: n}
	e.Span, e.Message = n.span(), fmt.Sprintf(format, args...)
	return e
}

// Within puts the operation that failed before the text of an error, and keeps its class and place. If
// err is nil, it returns nil.
func Within(err error, format string, args ...any) error {
	context := fmt.Sprintf(format, args...)
	return within(err, context, upstreamContext(context))
}

// within is Within, but the original program puts another text before its message.
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

// span returns the place of a node. For a nil node it is empty.
func (n *Node) span() source.Span {
	if n == nil {
		return source.Span{}
	}
	return n.Span
}

// Programs written for the original program may compare the texts of its errors. Therefore an error
// here has two messages: ours, and the text and the place that the original program reports.

// upstream describes how the original program reports an error.
type upstream struct {
	text  string       // empty: the same message as ours
	at    *source.Span // nil: the same place as ours
	parts []error      // the single errors, if several are reported as one
	alone bool         // the text is reported without the class of the error

	earlier *Node // the text ends with the place of this declaration, which is repeated by the wrong one
}

// Upstream sets the text that the original program reports for an error.
func (e *Error) Upstream(format string, args ...any) *Error {
	e.upstream.text = fmt.Sprintf(format, args...)
	return e
}

// UpstreamAt is Upstream for an error that the original program reports at the node n instead. If n is
// nil, it reports no place.
func (e *Error) UpstreamAt(n *Node, format string, args ...any) *Error {
	at := n.span()
	e.upstream.at = &at
	return e.Upstream(format, args...)
}

// UpstreamAlone is Upstream for an error that the original program gets from a library. It passes on
// the text without a class.
func (e *Error) UpstreamAlone(text string) *Error {
	e.upstream.alone = true
	return e.Upstream("%s", text)
}

// The component of the original program that reads trees has its own messages, which end in a line
// break. If a key is missing, they give no place in the file but the path of the missing key.

// NoScalar sets the message that the original program gives for a node that is not a scalar.
func (e *Error) NoScalar(n *Node) *Error {
	return e.UpstreamAt(n, "Configuration error #2: Expected a scalar, found %s\n", n.Kind)
}

// NoMapping sets the message that the original program gives for a node that is not a mapping. path
// leads to the node.
func (e *Error) NoMapping(n *Node, path string) *Error {
	return e.UpstreamAt(nil, "Configuration error #2: Expected mapping, found %s (ROOT)%s\n", n.Kind, path)
}

// NoSequence sets the message that the original program gives for a node that is not a sequence.
func (e *Error) NoSequence(n *Node) *Error {
	return e.UpstreamAt(nil, "Configuration error #2: Expected sequence, found %s (ROOT)\n", n.Kind)
}

// NoKey sets the message that the original program gives for a mapping without the key. path leads to
// the mapping.
func (e *Error) NoKey(key, path string) *Error {
	return e.UpstreamAt(nil, "Configuration error #3: Key `%s' not found in (ROOT)%s\n", key, path)
}

// statusText maps the class of an error to the words with which the original program begins its
// messages.
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

// Text returns the words with which the original program begins messages of the class.
func (s Status) Text() string { return statusText[s] }

// UpstreamMessage returns the message of the original program for an error or, if it is not known, the
// message of this package. region formats a place as the original program does.
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
		b.WriteString(" previously defined in `" + region(n.Span)) // the original program forgets the closing quote
	}
	for _, part := range e.upstream.parts {
		b.WriteString("\n * " + UpstreamMessage(part, region))
	}
	return b.String()
}

// UpstreamText returns the message of the original program for an error, without class and place.
func UpstreamText(err error) string {
	e, ok := errors.AsType[*Error](err)
	if ok && (e.upstream.text != "" || e.upstream.parts != nil) {
		return e.upstream.text
	}
	return Message(err)
}

// within puts the context of an error before the original program's text. If the text came from a
// library, the original program reports only the context. If no text of the original program is known,
// the error has our message and our context.
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

// upstreamContext returns the context that the original program reports with an error. It reports only
// which operation on a datum, an event or a plugin failed, so other contexts become empty.
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

// Fault returns the error for a recovered panic. It names the failed operation and the place in the
// code. The text of the panic is left out, because it would mean nothing to users.
func Fault(what string) *Error {
	return Errorf(StatusSystem, nil, "%s failed: this library has a fault%s; please report this", what, panicked())
}

// panicked returns the place of the panic. It must be called by the deferred function that recovers
// it.
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

// packageOf returns the package of a function: its folder if it belongs to this module, otherwise its
// full path.
func packageOf(function string) string {
	function = strings.TrimPrefix(function, "github.com/pentode-dev/pentode/")
	dir, name := path.Split(function)
	name, _, _ = strings.Cut(name, ".")
	return dir + name
}
