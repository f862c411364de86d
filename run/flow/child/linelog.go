package child

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// A lineLog logs a program's output line by line, unchanged, and keeps the last line for messages.
// A Python traceback becomes one log message: it starts at its first line and ends at the first
// line that is not indented.
type lineLog struct {
	log    *slog.Logger
	stream string

	mu    sync.Mutex
	part  []byte
	trace []string // lines of a traceback that has not ended yet
	text  string
}

const (
	maxErrorLine  = 4096
	maxTraceLines = 200
	traceHead     = "Traceback (most recent call last):"
)

func (e *lineLog) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		if room := maxErrorLine - len(e.part); len(line) > room {
			line = line[:room]
		}
		e.part = append(e.part, line...)
		if whole {
			e.emit()
		}
		p = rest
	}
	return n, nil
}

// emit handles a complete line of output.
func (e *lineLog) emit() {
	line := strings.TrimRight(string(e.part), " \t\r")
	e.part = e.part[:0]
	switch {
	case line == "":
	case line == traceHead && e.trace == nil:
		e.trace = append(e.trace, line)
	case e.trace != nil && line[0] == ' ' && len(e.trace) < maxTraceLines:
		e.trace = append(e.trace, line)
	default:
		e.text = strings.TrimSpace(line)
		e.write(line)
	}
}

// write logs these lines, after the lines of the traceback that ends with them.
func (e *lineLog) write(lines ...string) {
	if lines = append(e.trace, lines...); len(lines) > 0 {
		e.log.Info(strings.Join(lines, "\n"), "stream", e.stream)
	}
	e.trace = nil
}

func (e *lineLog) flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.emit()
	e.write()
}

func (e *lineLog) last() string {
	e.flush()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text
}
