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

// Status is the class of an error, numbered as PDI's C interface does.
type Status uint8

const (
	StatusOK Status = iota
	StatusUnavailable
	StatusSpecTree      // the specification tree says something that cannot be
	StatusValue         // an expression has no such value
	StatusPlugin        // a plugin cannot be had
	StatusImpl          // something that should not happen inside the library
	StatusSystem        // the operating system refused
	StatusState         // the call does not fit what happened before
	StatusPermission    // an access right is missing
	StatusType          // a value is of a type that cannot be used so
	StatusInvalidAction // a plugin was asked for something it never does
	StatusMultiple      // several callbacks failed
)

var statusNames = [...]string{
	"OK", "UNAVAILABLE", "SPECTREE", "VALUE", "PLUGIN", "IMPL", "SYSTEM",
	"STATE", "PERMISSION", "TYPE", "INVALIDACTION", "MULTIPLE",
}

func (s Status) String() string { return statusNames[s] }

// Error is every error of this package: the problem, and its class. The subject
// of the problem is the datum it is about; its kind is set where the declaration
// of a type is at fault.
type Error struct {
	problem.Problem
	Status Status
	Node   *Node // nil where no part of a tree is at fault
	Err    error // what caused it; its text is part of the message

	upstream upstream // what the original program says
}

func (e *Error) Unwrap() error { return e.Err }

// StatusOf returns the class of an error; what this package did not make is a
// system error.
func StatusOf(err error) Status {
	if err == nil {
		return StatusOK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return StatusSystem
}

// asError is an error as one of this package, which it may have inside. What another
// package made keeps its text.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := Errorf(StatusOf(err), nil, "%s", err)
	e.Err = err
	return e
}

// Message is what an error says without its place.
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

// Within prefixes an error with what was being done, keeping class and place. No
// error stays none.
func Within(err error, format string, args ...any) error {
	context := fmt.Sprintf(format, args...)
	return within(err, context, upstreamContext(context))
}

// within is Within, with what the original program puts before its own text.
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

// Join makes one error of several, and none of none. Nil errors are left out.
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

// span is the place of a node, which may be nil.
func (n *Node) span() source.Span {
	if n == nil {
		return source.Span{}
	}
	return n.Span
}

// Programs that were written for the original program compare the texts of its errors.
// So an error here carries, beside its own message, what the original says and where.

// upstream is an error as the original program reports it.
type upstream struct {
	text  string       // empty: the message of the error
	at    *source.Span // nil: the place of the error
	parts []error      // of several errors that are reported as one
	alone bool         // the class does not stand before the text

	earlier *Node // what the text ends in: a declaration that is there already
}

// Upstream gives an error the words of the original program.
func (e *Error) Upstream(format string, args ...any) *Error {
	e.upstream.text = fmt.Sprintf(format, args...)
	return e
}

// UpstreamAt is Upstream for an error that the original program finds at another node or,
// where n is nil, at none.
func (e *Error) UpstreamAt(n *Node, format string, args ...any) *Error {
	at := n.span()
	e.upstream.at = &at
	return e.Upstream(format, args...)
}

// UpstreamAlone is Upstream for an error that the original program passes on from a library,
// without its class.
func (e *Error) UpstreamAlone(text string) *Error {
	e.upstream.alone = true
	return e.Upstream("%s", text)
}

// The original program's reader of trees has words of its own, which end in a line break. Where
// it looks for a part of a node in vain, it has no place for that but a path, which ends in
// what it was looking for.

// NoScalar says that a node is no scalar.
func (e *Error) NoScalar(n *Node) *Error {
	return e.UpstreamAt(n, "Configuration error #2: Expected a scalar, found %s\n", n.Kind)
}

// NoMapping says that a node is no mapping.
func (e *Error) NoMapping(n *Node, path string) *Error {
	return e.UpstreamAt(nil, "Configuration error #2: Expected mapping, found %s (ROOT)%s\n", n.Kind, path)
}

// NoSequence says that a node is no sequence.
func (e *Error) NoSequence(n *Node) *Error {
	return e.UpstreamAt(nil, "Configuration error #2: Expected sequence, found %s (ROOT)\n", n.Kind)
}

// NoKey says that a mapping lacks a key.
func (e *Error) NoKey(key, path string) *Error {
	return e.UpstreamAt(nil, "Configuration error #3: Key `%s' not found in (ROOT)%s\n", key, path)
}

// statusText is how the original program begins a message, by the class of the error.
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

// Text is the class in the words of the original program.
func (s Status) Text() string { return statusText[s] }

// UpstreamMessage is what the original program says of an error, as far as that is known:
// else it is what this package says. region writes a place as that program does.
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
		b.WriteString(" previously defined in `" + region(n.Span)) // without the quote that would end it
	}
	for _, part := range e.upstream.parts {
		b.WriteString("\n * " + UpstreamMessage(part, region))
	}
	return b.String()
}

// UpstreamText is what the original program says of an error, without its class and place.
func UpstreamText(err error) string {
	e, ok := errors.AsType[*Error](err)
	if ok && (e.upstream.text != "" || e.upstream.parts != nil) {
		return e.upstream.text
	}
	return Message(err)
}

// within puts a context before what the original program says of an error. Of an error from a
// library it then keeps the context alone. An error that it has no words for keeps ours, with
// their context.
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

// upstreamContext is what the original program puts before an error: it says what it was
// doing with a datum, an event or a plugin, and nothing else of the way there.
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

// Fault is the error of a panic, to be made where it was recovered: what failed because of a
// mistake in this program. It names the place of the mistake. The value of the panic is left
// out: it is worded for who wrote the code.
func Fault(what string) *Error {
	return Errorf(StatusSystem, nil, "%s failed: this library has a fault%s; please report this", what, panicked())
}

// panicked is the place of the panic that was recovered in the function that is being deferred.
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

// packageOf is the folder of a function's package within the module, or of another module.
func packageOf(function string) string {
	function = strings.TrimPrefix(function, "github.com/pentode-dev/pentode/")
	dir, name := path.Split(function)
	name, _, _ = strings.Cut(name, ".")
	return dir + name
}
