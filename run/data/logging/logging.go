// Package logging writes the log of a data store with spdlog's patterns.
//
// PDI passes its log to spdlog, so trees contain spdlog's pattern language. A pattern is
// compiled once to a list of steps. A message that is not logged costs one comparison.
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

// Level is the importance of a message. The level of a logger is the lowest importance that
// it writes.
type Level uint8

const (
	Trace Level = iota
	Debug
	Info
	Warn
	Error
	Off // a level for loggers: no message is written
)

// Levels are the names of the levels in a specification tree, in the order of the constants.
var Levels = [...]string{"trace", "debug", "info", "warn", "error", "off"}

// ParseLevel returns the level with a name, which must be in lower case.
func ParseLevel(name string) (Level, bool) {
	for i, n := range Levels {
		if n == name {
			return Level(i), true
		}
	}
	return Info, false
}

// String returns the name of the level for messages. It writes `warning` in full.
func (l Level) String() string {
	if l == Warn {
		return "warning"
	}
	return Levels[l]
}

// DefaultPattern is PDI's default pattern.
const DefaultPattern = "[%T][%n] *** %^%l%$: %v"

// WithBlock returns the default pattern with a block after the time. The block has its own brackets.
func WithBlock(block string) string {
	return "[%T]" + block + strings.TrimPrefix(DefaultPattern, "[%T]")
}

// Logger writes the messages of the store or of one plugin. A nil Logger writes nothing.
type Logger struct {
	Name    string
	Level   Level
	Pattern *Pattern
	Sinks   []Sink
	Now     func() time.Time // nil: time.Now

	buffer []byte
	last   time.Time
}

// Sink is a destination of a log.
type Sink struct {
	io.Writer
	Color bool // true if colours can be shown; the pattern's flags %^ and %$ then switch them
}

// Named returns a logger with another name. It begins with the level, the pattern and the
// sinks of l, which can then be changed.
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
		s.Write(l.buffer) // an error in writing the log does not stop the program
	}
}

func (l *Logger) Trace(format string, args ...any) { l.Log(Trace, format, args...) }
func (l *Logger) Debug(format string, args ...any) { l.Log(Debug, format, args...) }
func (l *Logger) Info(format string, args ...any)  { l.Log(Info, format, args...) }
func (l *Logger) Warn(format string, args ...any)  { l.Log(Warn, format, args...) }
func (l *Logger) Error(format string, args ...any) { l.Log(Error, format, args...) }

// Entry is one message with everything that a pattern may show.
type Entry struct {
	Time  time.Time
	Level Level
	Name  string
	Text  string

	last time.Time // the time of the previous message; some flags show the time since then
}

// process is the ID of this process, for the flag %P.
var process = os.Getpid()
