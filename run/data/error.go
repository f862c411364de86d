package data

import (
	"errors"
	"fmt"
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
