package data

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

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
