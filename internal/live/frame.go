package live

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"

	"github.com/pentode-dev/pentode/core/visible"
)

// filled and free are the cells of a bar.
const (
	filled = "█"
	free   = "░"
)

// barWidth is how many cells show the fill of an edge.
const barWidth = 20

var (
	headStyle   = lipgloss.NewStyle().Bold(true)
	faintStyle  = lipgloss.NewStyle().Faint(true)
	calmStyle   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	fullStyle   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	chosenStyle = lipgloss.NewStyle().Reverse(true)
)

// frame is one picture of the run in at most so many lines and columns.
func (m *model) frame() string {
	lines := []string{headStyle.Render(visible.Line(m.source.Title)) + "  " + visible.Line(m.picture.Summary)}
	foot := m.foot()
	switch m.shows {
	case showHelp:
		lines = append(lines, m.help()...)
	case showLog:
		lines = append(lines, m.tail(max(1, m.room()-2))...)
	case showDetail:
		lines = append(lines, m.detail()...)
	default:
		lines = append(lines, m.list()...)
	}
	if room := m.room(); len(lines) > room {
		hidden := len(lines) - (room - 1)
		lines = append(lines[:room-1], faintStyle.Render(fmt.Sprintf("and %d lines more", hidden)))
	}
	if foot != "" {
		lines = append(lines, foot)
	}
	for i, line := range lines {
		if m.width > 0 {
			lines[i] = lipgloss.NewStyle().MaxWidth(m.width).Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

// room is how many lines there are above the foot; the last line of the terminal
// stays free.
func (m *model) room() int {
	if m.height == 0 {
		return 1000
	}
	room := m.height - 1
	if m.foot() != "" {
		room--
	}
	return max(2, room)
}

// foot is what is asked, what went wrong, or which keys there are.
func (m *model) foot() string {
	switch {
	case !m.keys:
		return ""
	case m.asks != nil:
		return headStyle.Render(visible.Line(m.asks.question) + " (y/n)")
	case m.typing:
		return "/" + m.filter + "█"
	case m.trouble != "":
		return fullStyle.Render(visible.Line(m.trouble))
	}
	parts := []string{"? keys", "q leave", "↵ detail", "l log", "/ filter"}
	if m.source.Stop != nil && !m.picture.Over {
		parts = append(parts, "s stop")
	}
	if m.source.Restart != nil {
		parts = append(parts, "r restart")
	}
	switch {
	case m.source.Pause == nil || m.picture.Over:
	case m.picture.Paused:
		parts = append(parts, "p resume")
	default:
		parts = append(parts, "p pause")
	}
	if m.filter != "" {
		parts = append(parts, "shown: "+m.filter)
	}
	return faintStyle.Render(strings.Join(parts, "  "))
}

func (m *model) help() []string {
	return []string{
		"↑ ↓ j k   choose a line",
		"enter     what is known about it; esc goes back",
		"l         the log, and back",
		"/         show only lines with a text; an empty one shows all",
		"p         pause, and go on",
		"s         stop in good order",
		"r         restart the chosen program",
		"q         leave the view; the run goes on",
		"Ctrl-C    as everywhere",
	}
}

// list is the tables, the chosen row marked.
func (m *model) list() []string {
	var lines []string
	for n, t := range m.picture.Sections {
		if t = m.filtered(t); len(t.Rows) == 0 {
			continue
		}
		var b strings.Builder
		Columns(&b, t.Cells(), "   ")
		text := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if t.Head != nil {
			lines, text = append(lines, faintStyle.Render(text[0])), text[1:]
		}
		for i, line := range text {
			switch {
			case n == 0 && m.keys && i == m.chosen(t):
				line = chosenStyle.Render(line)
			case t.Rows[i].Hot:
				line = fullStyle.Render(line)
			default:
				line = withBar(line, t.Rows[i].Full)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// bars are what bar draws.
var bars = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[" + filled + free + "]{" + strconv.Itoa(barWidth) + "}")
})

// withBar colours the bar of a line; one that is full stands out.
func withBar(line string, full bool) string {
	return bars().ReplaceAllStringFunc(line, func(bar string) string {
		held := strings.TrimRight(bar, free)
		style := calmStyle
		if full {
			style = fullStyle
		}
		return style.Render(held) + faintStyle.Render(bar[len(held):])
	})
}

// detail is what there is to say about the chosen row.
func (m *model) detail() []string {
	for _, r := range m.rows().Rows {
		if r.Name == m.name {
			var lines []string
			for _, line := range r.Detail {
				lines = append(lines, visible.Line(line))
			}
			if m.source.LogOf != nil {
				lines = append(lines, m.newest(m.source.LogOf(m.name), max(1, m.room()-1-len(lines)))...)
			}
			return lines
		}
	}
	return []string{"`" + visible.Line(m.name) + "` is not there any more"}
}

// tail is the last lines of the log.
func (m *model) tail(n int) []string {
	if m.source.Log == nil {
		return []string{faintStyle.Render("there is no log")}
	}
	return m.newest(m.source.Log(), n)
}

// newest are the last lines of a log, as far as a filter lets them.
func (m *model) newest(log []string, n int) []string {
	var lines []string
	for _, line := range log {
		if line = colours().ReplaceAllString(line, ""); m.passes(line) {
			lines = append(lines, clean(line))
		}
	}
	if len(lines) == 0 {
		return []string{faintStyle.Render("nothing was written yet")}
	}
	return lines[max(0, len(lines)-n):]
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
