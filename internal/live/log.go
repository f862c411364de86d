package live

import (
	"bytes"
	"sync"
)

// maxLog is how many lines a Log keeps.
const maxLog = 2000

// Log keeps the newest lines that are written to it. The zero Log is ready for use.
type Log struct {
	mu    sync.Mutex
	lines []string
	part  []byte
}

// Write adds lines. It never fails.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.part = append(l.part, p...)
			return n, nil
		}
		l.lines = append(l.lines, string(append(l.part, p[:end]...)))
		l.part, p = l.part[:0], p[end+1:]
		if len(l.lines) > 2*maxLog { // only now and then, so that a line costs little
			l.lines = append([]string(nil), l.lines[maxLog:]...)
		}
	}
}

// Lines returns the newest lines.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines[max(0, len(l.lines)-maxLog):]...)
}
