package live

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/core/visible"
)

// Column is how a column of a section gives way where the terminal is too narrow for all.
type Column struct {
	Keep int  // the smallest goes first; 0 stays
	Text bool // it is cut before another one goes
}

// minText is how much of a text is left where it is cut for the sake of other columns.
const minText = 12

// gapOf is what stands between columns: little on a narrow terminal.
func gapOf(width int) string {
	if width > 0 && width < 80 {
		return "  "
	}
	return "   "
}

// fitted are the cells of a section as far as they fit: columns that go have no text.
func (t Section) fitted(width int) [][]string {
	cells := t.Cells()
	if width == 0 || len(cells) == 0 {
		return cells
	}
	widths := make([]int, len(cells[0]))
	for r, row := range cells {
		cells[r] = make([]string, len(row))
		for c, cell := range row {
			cells[r][c] = visible.Line(cell)
			widths[c] = max(widths[c], runewidth.StringWidth(cells[r][c]))
		}
	}
	for c, width := range t.widths(widths, width) {
		for _, row := range cells {
			row[c] = cut(row[c], width)
		}
	}
	return cells
}

// widths are how wide columns can be that would like to be as wide as wanted; 0: there is no room
// for it.
func (t Section) widths(wanted []int, width int) []int {
	given := make([]int, len(wanted))
	room, gap := width, len(gapOf(width))
	for c, want := range wanted {
		given[c] = want
		if t.column(c).Text {
			given[c] = min(want, minText)
		}
		if want > 0 {
			room -= given[c] + gap
		}
	}
	room += gap // behind the last one there is none
	for room < 0 {
		least := -1
		for c := range given {
			if keep := t.column(c).Keep; keep > 0 && given[c] > 0 && (least < 0 || keep < t.column(least).Keep) {
				least = c
			}
		}
		if least < 0 {
			break
		}
		room += given[least] + gap
		given[least] = 0
	}
	for c, want := range wanted {
		if t.column(c).Text && given[c] > 0 {
			more := max(min(want-given[c], room), 1-given[c])
			given[c] += more
			room -= more
		}
	}
	return given
}

func (t Section) column(c int) Column {
	if c < len(t.Columns) {
		return t.Columns[c]
	}
	return Column{}
}

// cut is a text that fits into so many columns; what is left out is marked.
func cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(text, width, "…")
}

// folded is a text in lines that fit, the later ones indented; a width of 0 is as wide as any text.
func folded(text string, width, indent int) []string {
	if width <= indent+1 || runewidth.StringWidth(text) <= width {
		return []string{text}
	}
	first, _, _ := strings.Cut(ansi.Wrap(text, width, ""), "\n")
	lines := []string{first}
	rest := strings.TrimLeft(strings.TrimPrefix(text, first), " ")
	for line := range strings.SplitSeq(ansi.Wrap(rest, width-indent, ""), "\n") {
		lines = append(lines, strings.Repeat(" ", indent)+line)
	}
	return lines
}
