package live

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// filled and free are the cells of a bar.
const (
	filled = "█"
	free   = "░"
)

// barWidth is the number of cells in the bar that shows how full an edge is.
const barWidth = 20

var (
	headStyle   = lipgloss.NewStyle().Bold(true)
	faintStyle  = lipgloss.NewStyle().Faint(true)
	calmStyle   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	fullStyle   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	chosenStyle = lipgloss.NewStyle().Reverse(true)
)

// frame returns one picture of the run that fits the lines and columns of the terminal.
func (m *model) frame() string {
	lines := m.head()
	foot := m.foot()
	room := m.room() - len(lines)
	switch m.shows {
	case showHelp:
		lines = append(lines, m.limited(m.help(), room)...)
	case showLog, showPage:
		lines = append(lines, m.tail(max(1, room-1))...)
	case showDetail:
		lines = append(lines, m.limited(m.detail(room), room)...)
	default:
		lines = append(lines, m.list(room)...)
	}
	if foot != "" {
		lines = append(lines, foot)
	}
	for i, line := range lines {
		if m.width > 0 {
			lines[i] = cut(line, m.width)
		}
	}
	return strings.Join(lines, "\n")
}

// head returns the summary of the run in one line, or in several lines if the terminal is too narrow.
func (m *model) head() []string {
	title, summary := visible.Line(m.source.Title), visible.Line(m.picture.Summary)
	line := headStyle.Render(title) + "  " + summary
	if m.width == 0 || m.room() < 8 || lipgloss.Width(line) <= m.width {
		return []string{line}
	}
	return append([]string{headStyle.Render(title)}, columns.Wrap(summary, m.width, 0)...)
}

// limited returns the first lines of a text, as many as fit, and a line with the number of hidden ones.
func (m *model) limited(lines []string, room int) []string {
	if room = max(1, room); len(lines) <= room {
		return lines
	}
	hidden := len(lines) - (room - 1)
	return append(lines[:room-1], faintStyle.Render(fmt.Sprintf("and %d lines more", hidden)))
}

// room returns the number of lines above the foot. The last line of the terminal stays empty.
func (m *model) room() int {
	if m.height == 0 {
		return 1000
	}
	room := m.height - 1
	if m.keys {
		room--
	}
	return max(2, room)
}

// foot returns the open question, the last error, or the keys.
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
	parts := []string{"? keys", "q leave"}
	switch {
	case m.shows == showPage:
		parts = append(parts, "esc back", "↓ scroll", "/ filter")
	case m.source.Pages != nil:
		for _, page := range m.source.Pages {
			parts = append(parts, strings.Replace(page.Key, "enter", "↵", 1)+" "+page.Name)
		}
		parts = append(parts, "space mark", "/ filter")
	case m.scroll.held != nil:
		parts = append([]string{"end follows"}, parts...)
	case m.shows == showLog:
		parts = append(parts, "l back", "↑ scroll", "/ filter")
	default:
		parts = append(parts, "↵ detail", "l log", "/ filter")
	}
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
	return faintStyle.Render(m.few(parts))
}

// few returns as many keys as fit; ? shows the others.
func (m *model) few(parts []string) string {
	line := strings.Join(parts, "  ")
	for n := len(parts) - 1; m.width > 0 && lipgloss.Width(line) > m.width && n > 0; n-- {
		line = strings.Join(parts[:n], "  ")
	}
	return line
}

// help explains the keys that have an effect now.
func (m *model) help() []string {
	var lines []string
	type help struct {
		name, does string
		there      bool
	}
	run, leave := m.source.Pages == nil, "leave the view; the run continues"
	keys := []help{{"↑ ↓ j k", "choose a line, or scroll a text", true}}
	for _, page := range m.source.Pages {
		leave = "leave the view"
		keys = append(keys, help{page.Key, page.Does, true})
	}
	for _, key := range append(keys, []help{
		{"space", "mark a line, or remove the mark", !run},
		{"esc", "back to the list", !run},
		{"enter", "details and log; esc goes back", run},
		{"l", "the log, or back to the list", run},
		{"pgup pgdn", "scroll a page; home and end go to the ends", true},
		{"/", "show only lines with a text; an empty text shows all", true},
		{"p", "pause, or continue", m.source.Pause != nil},
		{"s", "stop in order", m.source.Stop != nil},
		{"r", "restart the chosen program", m.source.Restart != nil},
		{"q", leave, true},
		{"Ctrl-C", "as everywhere", true},
	}...) {
		if key.there {
			lines = append(lines, columns.Wrap(fmt.Sprintf("%-9s %s", key.name, key.does), m.width, 10)...)
		}
	}
	return lines
}

// list returns the tables, with the chosen row marked and visible, and below them the end of that row's log.
func (m *model) list(room int) []string {
	lines, heads, at := m.tables()
	if above := min(at-(room-2), at-heads); len(lines) > room && above > 0 { // the mark must be visible
		lines = slices.Delete(lines, heads, heads+above)
	}
	lines = m.limited(lines, room)
	if left := room - len(lines) - 1; m.whole && m.height > 0 && left > 1 {
		lines = append(lines, m.below(left)...)
	}
	return lines
}

// tables returns the lines of the list, the number of header lines of the first table, and the index of the chosen line.
func (m *model) tables() (lines []string, heads, at int) {
	for n, t := range m.picture.Sections {
		if t = m.filtered(t); len(t.Rows) == 0 {
			continue
		}
		if n == 0 && m.mark != "" {
			t = m.marked(t)
		}
		var b strings.Builder
		t.Write(&b, m.width)
		text := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if t.Head != nil {
			lines, text = append(lines, faintStyle.Render(text[0])), text[1:]
			if n == 0 {
				heads = 1
			}
		}
		for i, line := range text {
			switch {
			case n == 0 && m.keys && i == m.chosen(t):
				line, at = chosenStyle.Render(line), len(lines)
			case t.Rows[i].Hot:
				line = fullStyle.Render(line)
			default:
				line = withBar(line, t.Rows[i].Full)
			}
			lines = append(lines, line)
		}
	}
	return lines, heads, at
}

// marked returns the table with the mark before one of its rows.
func (m *model) marked(t Section) Section {
	before := func(cells []string, mark string) []string {
		cells = slices.Clone(cells)
		cells[0] = mark + " " + cells[0]
		return cells
	}
	t.Head = before(t.Head, " ")
	for i := range t.Rows { // the rows are a copy and may be changed
		if r := &t.Rows[i]; r.Name == m.mark {
			r.Cells = before(r.Cells, "●")
		} else {
			r.Cells = before(r.Cells, " ")
		}
	}
	return t
}

// below returns the end of the log of the chosen row, under a line with the row's name.
func (m *model) below(room int) []string {
	whose, log := "", m.source.Log
	if m.source.LogOf != nil && m.chosen(m.rows()) >= 0 {
		whose, log = " of "+visible.Line(m.name), func() []string { return m.source.LogOf(m.name) }
	}
	if log == nil {
		return nil
	}
	lines := m.written(log())
	return append([]string{faintStyle.Render("log" + whose)}, lines[max(0, len(lines)-room+1):]...)
}

// bars matches the bars that bar draws.
var bars = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[" + filled + free + "]{" + strconv.Itoa(barWidth) + "}")
})

// withBar colours the bar in a line; a full bar stands out.
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

// detail returns the details of the chosen row, with its log below.
func (m *model) detail(room int) []string {
	for _, r := range m.rows().Rows {
		if r.Name == m.name {
			var lines []string
			for _, line := range r.Detail {
				lines = append(lines, columns.Wrap(visible.Line(line), m.width, 2)...)
			}
			if m.source.LogOf != nil {
				lines = append(lines, m.tail(max(1, room-len(lines)))...)
			}
			return lines
		}
	}
	return []string{"`" + visible.Line(m.name) + "` no longer exists"}
}
