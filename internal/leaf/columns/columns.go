// Package columns writes tables and sentences for people, as wide as their terminal.
//
// A table that is too wide is narrowed in this order: names and prose get narrower, the least important columns are dropped, names and prose get very
// narrow, and finally all texts are shortened. Figures are never shortened.
package columns

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// Kind says how the cells of a column are written.
type Kind int

// The kinds of columns.
const (
	Text   Kind = iota // never cut
	Figure             // aligned to the right, never cut
	Name               // shortened in the middle
	Line               // a sentence, cut at the end
	Prose              // a sentence, on several lines if needed
)

// Column describes a column, and when it is dropped.
type Column struct {
	Kind Kind
	Keep int // columns with the smallest value are dropped first; 0: never dropped
}

// Of returns columns of these kinds, which are never dropped.
func Of(kinds ...Kind) []Column {
	list := make([]Column, len(kinds))
	for i, kind := range kinds {
		list[i].Kind = kind
	}
	return list
}

// A Table describes how rows are written.
type Table struct {
	Columns []Column // further columns are Text
	Gap     string   // between columns; "": two blanks
	Width   int      // of the terminal; 0: as wide as the rows need
}

// The widths to which texts are narrowed before any column is dropped. A name also keeps a quarter of the terminal, because names identify rows.
const (
	minText  = 12
	minProse = 30
)

// Write writes rows as a table. A column without text takes no space, and control characters in cells are escaped.
func (t Table) Write(w io.Writer, rows [][]string) error {
	rows, wanted := t.shown(rows)
	given := t.given(wanted)
	var text strings.Builder
	for _, row := range rows {
		cells := make([][]string, len(row))
		height := 1
		for c, cell := range row {
			cells[c] = t.set(c, cell, given[c])
			height = max(height, len(cells[c]))
		}
		for n := range height {
			line := ""
			for c := range cells {
				if given[c] == 0 {
					continue
				}
				cell := ""
				if n < len(cells[c]) {
					cell = cells[c][n]
				}
				if t.column(c).Kind == Figure {
					line += runewidth.FillLeft(cell, given[c]) + t.gap()
				} else {
					line += runewidth.FillRight(cell, given[c]) + t.gap()
				}
			}
			text.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// Gone returns the indices of the columns that Write leaves out because the table is too wide.
func (t Table) Gone(rows [][]string) []int {
	_, wanted := t.shown(rows)
	var gone []int
	for c, width := range t.given(wanted) {
		if width == 0 && wanted[c] > 0 {
			gone = append(gone, c)
		}
	}
	return gone
}

// shown returns the rows with each cell escaped to one line of text, and the width that each column needs to show its cells in full.
func (t Table) shown(rows [][]string) (shown [][]string, wanted []int) {
	shown = make([][]string, len(rows))
	for r, row := range rows {
		shown[r] = make([]string, len(row))
		for c, cell := range row {
			cell = visible.Line(cell)
			if c == len(wanted) {
				wanted = append(wanted, 0)
			}
			shown[r][c], wanted[c] = cell, max(wanted[c], runewidth.StringWidth(cell))
		}
	}
	return shown, wanted
}

// given returns the widths that the columns get, at most the ones in wanted. A column that is dropped gets 0.
func (t Table) given(wanted []int) []int {
	given := append([]int(nil), wanted...)
	if t.Width <= 0 {
		return given
	}
	room := t.Width + len(t.gap()) // there is no gap after the last column
	for c, want := range wanted {
		given[c] = min(want, t.least(c))
		if want > 0 {
			room -= given[c] + len(t.gap())
		}
	}
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
		room += given[least] + len(t.gap())
		given[least] = 0
	}
	room = t.narrow(given, room, minText, Name)
	room = t.narrow(given, room, minText, Line, Prose)
	room = t.narrow(given, room, 1, Name, Line, Prose)
	room = t.narrow(given, room, 1, Text)
	t.widen(given, wanted, room)
	return given
}

// least returns the width that a column keeps unless dropping columns is not enough.
func (t Table) least(c int) int {
	switch t.column(c).Kind {
	case Name:
		return max(minText, t.Width/4)
	case Line:
		return minText
	case Prose:
		return minProse
	}
	return 1 << 30
}

// narrow makes the widest column of these kinds narrower, one character at a time and not below least, until the table fits. It returns the remaining
// room.
func (t Table) narrow(given []int, room, least int, kinds ...Kind) int {
	for room < 0 {
		widest := -1
		for c, width := range given {
			if slices.Contains(kinds, t.column(c).Kind) && width > least && (widest < 0 || width > given[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			break
		}
		given[widest]--
		room++
	}
	return room
}

// widen distributes the remaining room: each character goes to the narrowest column that is still narrower than wanted.
func (t Table) widen(given, wanted []int, room int) {
	for ; room > 0; room-- {
		narrowest := -1
		for c, width := range given {
			if width > 0 && width < wanted[c] && (narrowest < 0 || width < given[narrowest]) {
				narrowest = c
			}
		}
		if narrowest < 0 {
			return
		}
		given[narrowest]++
	}
}

func (t Table) gap() string { return cmp.Or(t.Gap, "  ") }

func (t Table) column(c int) Column {
	if c < len(t.Columns) {
		return t.Columns[c]
	}
	return Column{}
}

// set splits a cell into lines that are at most as wide as its column.
func (t Table) set(c int, cell string, width int) []string {
	switch {
	case width == 0:
		return nil
	case runewidth.StringWidth(cell) <= width:
		return []string{cell}
	}
	switch t.column(c).Kind {
	case Line:
		return []string{runewidth.Truncate(cell, width, "…")}
	case Prose:
		return Wrap(cell, width, 0)
	}
	return []string{Middle(cell, width)}
}

// Middle shortens a name in the middle to at most width cells, because names differ at their beginning and end.
func Middle(name string, width int) string {
	if runewidth.StringWidth(name) <= width {
		return name
	}
	if width <= 1 {
		return runewidth.Truncate(name, max(width, 0), "")
	}
	front := runewidth.Truncate(name, width/2, "")
	room := width - 1 - runewidth.StringWidth(front)
	back := runewidth.TruncateLeft(name, runewidth.StringWidth(name)-room, "")
	return front + "…" + strings.TrimLeft(back, " ") // a wide character at the cut becomes a blank
}

// Wrap breaks a line at blanks, so that no part is wider than width, unless width is 0. The later parts are indented. A word that is wider than a
// line is broken too.
func Wrap(line string, width, indent int) []string {
	if width <= 0 || runewidth.StringWidth(line) <= width {
		return []string{line}
	}
	if indent >= width {
		indent = 0
	}
	margin := strings.Repeat(" ", indent)
	var parts []string
	before := ""
	for {
		room := width - len(before)
		if runewidth.StringWidth(line) <= room {
			return append(parts, before+line)
		}
		part := runewidth.Truncate(line, room, "")
		if part == "" { // a character that is wider than a line
			return append(parts, before+line)
		}
		rest := line[len(part):]
		if at := strings.LastIndexByte(part, ' '); rest[0] != ' ' && strings.TrimLeft(part[:max(at, 0)], " ") != "" {
			word, _, _ := strings.Cut(line[at+1:], " ")
			if runewidth.StringWidth(word) <= width-indent { // a wider word is broken in any case
				part, rest = part[:at], line[at:]
			}
		}
		parts = append(parts, before+strings.TrimRight(part, " "))
		line, before = strings.TrimLeft(rest, " "), margin
		if line == "" {
			return parts
		}
	}
}
