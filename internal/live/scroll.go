package live

import (
	"regexp"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// scroll is where in a log one reads. At its end the log is followed; above it the lines stay as they
// were when one left the end, so that new ones do not push them away.
type scroll struct {
	above int      // how many lines are below the window
	page  int      // how many lines the window had last
	held  []string // nil: the log is followed
}

// by moves the window; log is what there is to read.
func (s *scroll) by(lines int, log func() []string) {
	if s.above == 0 && lines > 0 {
		s.held = log()
	}
	if s.above = max(0, s.above+lines); s.above == 0 {
		s.held = nil
	}
}

// window are the lines that are seen.
func (s *scroll) window(lines []string, n int) []string {
	s.page = n
	s.above = max(0, min(s.above, len(lines)-n))
	end := len(lines) - s.above
	return lines[max(0, end-n):end]
}

// log is what the keys scroll through: a page, the log of the chosen row beside what is known about it, else that of the run.
func (m *model) log() []string {
	switch {
	case m.shows == showPage:
		return m.text
	case m.shows == showDetail && m.source.LogOf != nil:
		return m.source.LogOf(m.name)
	case m.shows != showDetail && m.source.Log != nil:
		return m.source.Log()
	}
	return nil
}

// tail is as much of the log as n lines show, the newest unless one has scrolled.
func (m *model) tail(n int) []string {
	log := m.scroll.held
	switch {
	case log != nil:
	case m.shows == showLog && m.source.Log == nil:
		return []string{faintStyle.Render("there is no log")}
	default:
		log = m.log()
	}
	return m.scroll.window(m.written(log), n)
}

// written are the lines of a log as they are shown, as far as a filter lets them.
func (m *model) written(log []string) []string {
	var lines []string
	for _, line := range log {
		if line = colours().ReplaceAllString(line, ""); m.passes(line) {
			lines = append(lines, columns.Wrap(clean(line), m.width, 2)...)
		}
	}
	if len(lines) == 0 {
		return []string{faintStyle.Render("nothing was written yet")}
	}
	return lines
}

// colours are what a line of the log was coloured with for the terminal.
var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*m") })

// clean keeps what programs write from changing the terminal.
func clean(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !visible.Shows(r):
			return '·'
		}
		return r
	}, line)
}
