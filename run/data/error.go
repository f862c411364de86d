package data

import (
	"errors"
	"fmt"
	"strings"
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

// Error is every error of this package: its class, the node that is at fault
// where one is, and what went wrong.
type Error struct {
	Status Status
	Node   *Node  // nil where no part of a tree is at fault
	What   string // without the place
	Err    error  // what caused it; its text is part of What
}

func (e *Error) Error() string { return e.Node.at() + e.What }
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

// Errorf returns an Error without a cause, for plugins and their configuration.
func Errorf(s Status, n *Node, format string, args ...any) *Error {
	return &Error{Status: s, Node: n, What: fmt.Sprintf(format, args...)}
}

// Within prefixes an error with what was being done, keeping class and node. No
// error stays none.
func Within(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	what := err.Error()
	e := &Error{Status: StatusOf(err), Err: err}
	if inner, ok := errors.AsType[*Error](err); ok {
		e.Node, what = inner.Node, inner.What
	}
	e.What = fmt.Sprintf(format, args...) + ": " + what
	return e
}

// join makes one error of those that several callbacks returned.
func join(errs []error) error {
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
	return &Error{Status: StatusMultiple, What: b.String(), Err: errors.Join(errs...)}
}
