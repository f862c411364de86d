package launch

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

const (
	firstBuffer = 4 << 10
	fullBuffer  = 64 << 10
	longestLine = 1 << 20 // a longer line is passed on in pieces, each with a prefix
)

// mux writes whole lines of many streams to a few writers, each line prefixed with the name of its node.
type mux struct {
	mu      sync.Mutex
	to      []*sink
	now     func() time.Time
	stamp   []byte
	buf     []byte
	writing atomic.Bool  // a writer has not yet accepted its last lines
	passed  atomic.Int64 // how often lines have reached all their writers
}

// sink is a writer of lines; after an error it is not used again.
type sink struct {
	w       io.Writer
	colour  bool
	stamped bool   // whether each line begins with its time and stream
	failed  func() // called when writing fails; may be nil
	err     error
}

// label is the prefix of a node's lines.
type label struct{ plain, colour []byte }

func newLabels(nodes []*Node) []label {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	labels := make([]label, len(nodes))
	for i, name := range state.Labels(ids) {
		colour := strconv.Itoa(31 + i%6)
		labels[i] = label{[]byte(name), []byte("\x1b[" + colour + "m" + name + "\x1b[0m")}
	}
	return labels
}

// write writes complete lines of a stream to all sinks, with one call for each writer.
func (m *mux) write(l label, stream string, lines []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.to {
		if s.err != nil {
			continue
		}
		prefix := l.plain
		switch {
		case s.colour:
			prefix = l.colour
		case s.stamped:
			m.stamp = append(state.AppendStamp(m.stamp[:0], m.now(), stream), l.plain...)
			prefix = m.stamp
		}
		m.buf = appendPrefixed(m.buf[:0], prefix, lines)
		m.writing.Store(true)
		_, s.err = s.w.Write(m.buf)
		m.writing.Store(false)
		if s.err != nil && s.failed != nil {
			s.failed()
		}
	}
	if cap(m.buf) > 4*fullBuffer {
		m.buf = nil
	}
}

// appendPrefixed appends lines, each with the prefix, and ends the last line.
func appendPrefixed(buf, prefix, lines []byte) []byte {
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n') + 1
		if end == 0 {
			end = len(lines)
		}
		buf = append(append(buf, prefix...), lines[:end]...)
		lines = lines[end:]
	}
	if n := len(buf); n > 0 && buf[n-1] != '\n' {
		buf = append(buf, '\n')
	}
	return buf
}

// stream copies one output of a process to its file, byte for byte, and to the mux, line by line.
type stream struct {
	mux    *mux
	label  label
	name   string           // `out` or `err`
	log    *state.LogWriter // nil: none
	mark   string           // begins the line that the wrapper, not the program, has written
	marked func(pid int, clock *time.Duration)
	want   atomic.Pointer[regexp.Regexp] // nil: no line is waited for
	found  func()
	failed func(error) // called when the file cannot be written
}

func (s *stream) copy(r io.Reader) {
	defer func() {
		if s.log != nil {
			s.log.Close()
		}
	}()
	buf := make([]byte, 0, firstBuffer)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		end := bytes.LastIndexByte(buf[len(buf)-n:], '\n') + 1 // earlier bytes have no line end
		if end > 0 {
			end += len(buf) - n
		}
		if err != nil || end == 0 && len(buf) >= longestLine {
			end = len(buf)
		}
		s.pass(buf[:end])
		if err != nil {
			return
		}
		rest := copy(buf, buf[end:])
		full := len(buf) == cap(buf)
		buf = buf[:rest]
		if full && (cap(buf) < fullBuffer || rest > cap(buf)/2) {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
	}
}

// pass handles complete lines and, at the end of a stream, a last incomplete line.
func (s *stream) pass(lines []byte) {
	if s.mark != "" {
		lines = s.dropMark(lines)
	}
	if len(lines) == 0 {
		return
	}
	s.save(lines)
	s.mux.write(s.label, s.name, lines)
	s.mux.passed.Add(1)
	if re := s.want.Load(); re != nil && matchesLine(re, lines) {
		s.want.Store(nil)
		s.found()
	}
}

func matchesLine(re *regexp.Regexp, lines []byte) bool {
	for line := range bytes.Lines(lines) {
		if re.Match(bytes.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// dropMark removes the wrapper's report, which is the first line that begins with the mark.
func (s *stream) dropMark(lines []byte) []byte {
	for at := 0; at < len(lines); {
		end := bytes.IndexByte(lines[at:], '\n') + 1
		if end == 0 {
			end = len(lines) - at
		}
		if text, ok := strings.CutPrefix(string(lines[at:at+end]), s.mark); ok {
			pid, clock, ok := parseReport(text, time.Now())
			if ok {
				s.mark = ""
				s.marked(pid, clock)
				return append(lines[:at:at], lines[at+end:]...)
			}
		}
		at += end
	}
	return lines
}

// parseReport reads what a wrapper reports about its machine: the process ID of the program and the time, from which it computes how far that clock
// is ahead of ours. The report takes a moment to arrive, so the clock appears slower by that time. clock is nil if the machine has no precise time.
func parseReport(text string, now time.Time) (pid int, clock *time.Duration, ok bool) {
	words := strings.Fields(text)
	if len(words) == 0 || len(words) > 2 {
		return 0, nil, false
	}
	pid, err := strconv.Atoi(words[0])
	if err != nil || len(words) == 1 {
		return pid, nil, err == nil
	}
	whole, fraction, _ := strings.Cut(words[1], ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	nano, fine := strconv.ParseInt(fraction, 10, 64)
	if err != nil || fine != nil || len(fraction) != len("000000000") {
		return pid, nil, true
	}
	ahead := time.Unix(seconds, nano).Sub(now)
	return pid, &ahead, true
}

func (s *stream) save(lines []byte) {
	if s.log == nil {
		return
	}
	if _, err := s.log.Write(lines); err != nil {
		s.log.Close()
		s.log = nil
		s.failed(err)
	}
}
