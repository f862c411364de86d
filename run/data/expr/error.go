package expr

import (
	"fmt"
)

// A Status is the class of an error, as PDI distinguishes them.
type Status uint8

const (
	ValueError      Status = iota + 1 // the value does not exist or cannot be used here
	TypeError                         // the type of a datum does not allow it
	PermissionError                   // the datum may not be read now
	FormatError                       // a format spec and its value do not fit (upstream's SYSTEM)
)

func (s Status) String() string {
	switch s {
	case ValueError:
		return "VALUE"
	case TypeError:
		return "TYPE"
	case PermissionError:
		return "PERMISSION"
	case FormatError:
		return "SYSTEM"
	}
	return "UNKNOWN"
}

// An Error describes a mistake in an expression and where it is in the text: bytes Offset
// to End, which lang/pdi maps to the scalar that they came from.
type Error struct {
	Offset, End int
	Status      Status
	Msg         string
	Upstream    string // what the original program reports, if known
}

func (e *Error) Error() string { return e.Msg }

// plain returns e as an error, or nil if e is nil.
func plain(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}

// A span is a range of bytes in the text of a program.
type span struct{ off, end int32 }

// as sets the original program's text for an error.
func (e *Error) as(format string, args ...any) *Error {
	e.Upstream = fmt.Sprintf(format, args...)
	return e
}

func (s span) fail(st Status, format string, args ...any) *Error {
	return &Error{Offset: int(s.off), End: int(s.end), Status: st, Msg: fmt.Sprintf(format, args...)}
}
