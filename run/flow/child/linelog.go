package child

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// A lineLog writes what the program prints for people to the log line by line
// and keeps the last line for messages.
type lineLog struct {
	log    *slog.Logger
	stream string

	mu   sync.Mutex
	part []byte
	text string
}

const maxErrorLine = 4096

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

func (e *lineLog) emit() {
	if line := strings.TrimSpace(string(e.part)); line != "" {
		e.text = line
		e.log.Info(line, "stream", e.stream)
	}
	e.part = e.part[:0]
}

func (e *lineLog) flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.emit()
}

func (e *lineLog) last() string {
	e.flush()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text
}
