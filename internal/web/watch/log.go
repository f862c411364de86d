package watch

import (
	"bytes"
	"sync"
)

// Limits of a log in memory.
const (
	maxLines = 5000
	maxLine  = 4 << 10
)

// lines keeps the newest lines written to it. A reader asks for the lines
// after a number, and may have missed some of them.
type lines struct {
	mu    sync.Mutex
	kept  []string
	first int // number of the first kept line
	part  []byte
}

// Write never fails and never waits.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.part = append(l.part, p[:min(len(p), maxLine-min(len(l.part), maxLine))]...)
			break
		}
		l.add(append(l.part, p[:min(end, maxLine)]...))
		l.part, p = l.part[:0], p[end+1:]
	}
	return n, nil
}

func (l *lines) add(line []byte) {
	l.kept = append(l.kept, string(bytes.ToValidUTF8(bytes.TrimSuffix(line, []byte("\r")), []byte("\ufffd"))))
	if len(l.kept) > 2*maxLines { // only now and then, so that a line costs little
		l.first += len(l.kept) - maxLines
		l.kept = append([]string(nil), l.kept[len(l.kept)-maxLines:]...)
	}
}

// after returns the lines from number n on, and the number after the last.
func (l *lines) after(n int) ([]string, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.first + len(l.kept)
	n = min(max(n, l.first), next)
	return append([]string(nil), l.kept[n-l.first:]...), next
}
