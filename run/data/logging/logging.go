// Package logging writes the log of a data store in spdlog's patterns.
//
// PDI hands its log to spdlog, so trees carry spdlog's pattern language. A
// pattern is compiled once to a list of steps; a logger that is quiet costs one
// comparison.
//
//	Options ──New──▶ Logger ──Named("Trace")──▶ Logger (same sinks, own level)
//	                   │
//	                   └─Info(…)──▶ Pattern.Append ──▶ sinks
package logging

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Level says how important a message is, and how important one must be to be
// written.
type Level uint8

const (
	Trace Level = iota
	Debug
	Info
	Warn
	Error
	Off // for loggers only: nothing is written
)

// Levels are the names that a specification tree gives levels, in order.
var Levels = [...]string{"trace", "debug", "info", "warn", "error", "off"}

// ParseLevel finds a level by its name, in lower case.
func ParseLevel(name string) (Level, bool) {
	for i, n := range Levels {
		if n == name {
			return Level(i), true
		}
	}
	return Info, false
}

// String is how a message shows its level: a warning is spelled out.
func (l Level) String() string {
	if l == Warn {
		return "warning"
	}
	return Levels[l]
}

// DefaultPattern is PDI's.
const DefaultPattern = "[%T][%n] *** %^%l%$: %v"

// WithBlock is the default pattern with a block behind the time.
func WithBlock(block string) string {
	return "[%T]" + block + strings.TrimPrefix(DefaultPattern, "[%T]")
}

// Logger writes messages of one speaker. A nil Logger is quiet.
type Logger struct {
	Name    string
	Level   Level
	Pattern *Pattern
	Sinks   []Sink
	Now     func() time.Time // nil: time.Now

	buffer []byte
	last   time.Time
}

// Sink is where a log goes.
type Sink struct {
	io.Writer
	Color bool // understands terminal colours, which %^ and %$ then make
}

// Named returns a logger of another speaker that begins with the same level,
// pattern and sinks.
func (l *Logger) Named(name string) *Logger {
	c := *l
	c.Name, c.buffer = name, nil
	return &c
}

// Enabled reports whether messages of a level are written.
func (l *Logger) Enabled(level Level) bool { return l != nil && level >= l.Level }

// Log writes one message.
func (l *Logger) Log(level Level, format string, args ...any) {
	if !l.Enabled(level) {
		return
	}
	now := time.Now
	if l.Now != nil {
		now = l.Now
	}
	e := Entry{Time: now(), Level: level, Name: l.Name, Text: fmt.Sprintf(format, args...), last: l.last}
	l.last = e.Time
	for _, s := range l.Sinks {
		l.buffer = append(l.Pattern.Append(l.buffer[:0], &e, s.Color), '\n')
		s.Write(l.buffer) // a log that cannot be written stops nothing
	}
}

func (l *Logger) Trace(format string, args ...any) { l.Log(Trace, format, args...) }
func (l *Logger) Debug(format string, args ...any) { l.Log(Debug, format, args...) }
func (l *Logger) Info(format string, args ...any)  { l.Log(Info, format, args...) }
func (l *Logger) Warn(format string, args ...any)  { l.Log(Warn, format, args...) }
func (l *Logger) Error(format string, args ...any) { l.Log(Error, format, args...) }

// Entry is one message with what a pattern may show of it.
type Entry struct {
	Time  time.Time
	Level Level
	Name  string
	Text  string

	last time.Time // of the message before, for elapsed times
}

// process is what %P shows.
var process = os.Getpid()
