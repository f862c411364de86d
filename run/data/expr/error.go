package expr

import (
	"fmt"
)

// A Status is the class of an error, as PDI tells errors apart.
type Status uint8

const (
	ValueError      Status = iota + 1 // the value does not exist or cannot be used so
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

// An Error says what is wrong with an expression and where in its text:
// bytes Offset to End, which the language maps into the scalar they came from.
type Error struct {
	Offset, End int
	Status      Status
	Msg         string
	Upstream    string // what the original program says, where that is known
}

func (e *Error) Error() string { return e.Msg }

// plain returns e as an ordinary error, which is nil where e is.
func plain(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}

// A span is a range of bytes in the text of a program.
type span struct{ off, end int32 }

// as gives an error the words of the original program.
func (e *Error) as(format string, args ...any) *Error {
	e.Upstream = fmt.Sprintf(format, args...)
	return e
}

func (s span) fail(st Status, format string, args ...any) *Error {
	return &Error{Offset: int(s.off), End: int(s.end), Status: st, Msg: fmt.Sprintf(format, args...)}
}
