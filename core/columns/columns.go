// Package columns writes tables for people.
package columns

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/core/visible"
)

// Write writes rows with their cells under each other and a gap between them.
// A column without text takes no room, and a cell is one line.
func Write(w io.Writer, rows [][]string, gap string) error {
	var width []int
	for _, row := range rows {
		for i := range row {
			cell := visible.Line(row[i])
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], runewidth.StringWidth(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if width[i] > 0 {
				line += runewidth.FillRight(visible.Line(cell), width[i]) + gap
			}
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}
