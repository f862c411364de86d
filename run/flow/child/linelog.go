package child

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// A lineLog writes a program's output to the log, line by line and unchanged, and keeps the last
// line for messages. A Python traceback is one message: from its first line to the first line that
// is not indented.
type lineLog struct {
	log    *slog.Logger
	stream string

	mu    sync.Mutex
	part  []byte
	trace []string // lines of an unfinished trace
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

// emit handles a complete line.
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

// write logs lines, together with the trace that they end.
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
