package live

import (
	"regexp"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// scroll is the reader's position in a log. At the end, the log is followed. Above it, the view shows the lines as they were when the reader left the
// end, so that new lines do not move them.
type scroll struct {
	above int      // number of lines below the window
	page  int      // number of lines in the window at the last picture
	held  []string // the lines when the reader left the end; nil: the log is followed
}

// by moves the window; log returns the lines.
func (s *scroll) by(lines int, log func() []string) {
	if s.above == 0 && lines > 0 {
		s.held = log()
	}
	if s.above = max(0, s.above+lines); s.above == 0 {
		s.held = nil
	}
}

// window returns the visible lines.
func (s *scroll) window(lines []string, n int) []string {
	s.page = n
	s.above = max(0, min(s.above, len(lines)-n))
	end := len(lines) - s.above
	return lines[max(0, end-n):end]
}

// log returns the lines that the keys scroll: a page, the log of the chosen row, or the log of the run.
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

// tail returns as many lines of the log as n lines show, the newest unless the user has scrolled.
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

// written returns the lines of a log as they are shown, if they pass the filter.
func (m *model) written(log []string) []string {
	var lines []string
	for _, line := range log {
		if line = colours().ReplaceAllString(line, ""); m.passes(line) {
			lines = append(lines, columns.Wrap(clean(line), m.width, 2)...)
		}
	}
	if len(lines) == 0 {
		return []string{faintStyle.Render("nothing has been written yet")}
	}
	return lines
}

// colours matches colour codes for the terminal.
var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*m") })

// clean removes everything from a line that would change the terminal.
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
