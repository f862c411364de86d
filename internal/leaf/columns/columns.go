// Package columns writes tables and sentences for people, as wide as their terminal.
//
// A table that is too wide gives way in this order: names and prose get less room, the columns that
// matter least go, names and prose get little room, and at last any text is shortened. Figures are never shortened.
package columns

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// Kind is how the cells of a column are set.
type Kind int

// The kinds of columns.
const (
	Text   Kind = iota // whole
	Figure             // at the right, whole
	Name               // shortened in the middle
	Line               // a sentence, cut at its end
	Prose              // a sentence, in several lines if it needs them
)

// Column is how a column is set, and whether it may go.
type Column struct {
	Kind Kind
	Keep int // columns with the smallest go first; 0 stays
}

// Of are columns that all stay.
func Of(kinds ...Kind) []Column {
	list := make([]Column, len(kinds))
	for i, kind := range kinds {
		list[i].Kind = kind
	}
	return list
}

// A Table is how rows are written.
type Table struct {
	Columns []Column // those beyond are Text
	Gap     string   // between columns; "": two blanks
	Width   int      // of the terminal; 0: as wide as the rows are
}

// The least widths of texts before other columns go: of a name also a quarter of the terminal, since rows are known by it.
const (
	minText  = 12
	minProse = 30
)

// Write writes rows with their cells under each other. A column without text takes no room, and a
// cell commands no terminal.
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

// Gone are the numbers of the columns that have text and no room.
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

// shown are the rows as texts of one line each, and how wide each column would be.
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

// given are the widths of columns that would like to be as wide as wanted; 0: there is no room for the column.
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

// least is how wide a column at least is, unless nothing else can give way.
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

// narrow takes from the widest column of these kinds, cell by cell down to a least width, until there is room. It
// returns the room.
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

// widen gives room, cell by cell, to the narrowest column that wants it.
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

// set is a cell in lines that are as wide as its column at most.
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

// Middle shortens a name in its middle, so that it takes width cells at most: what it begins with and
// what it ends in tell it apart.
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
	return front + "…" + strings.TrimLeft(back, " ") // a wide character that lies across is a blank
}

// Wrap breaks a line at its blanks, so that no part is wider than width, if that is not 0. The later parts are
// indented. A word that is wider than a line is broken too.
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
			if runewidth.StringWidth(word) <= width-indent { // else it is broken in any case
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
