package live

import (
	"io"

	"github.com/charmbracelet/x/ansi"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
)

// table returns the section as a table for a terminal.
func (t Section) table(width int) columns.Table {
	gap := "   "
	if width > 0 && width < 80 {
		gap = "  "
	}
	return columns.Table{Columns: t.Columns, Gap: gap, Width: width}
}

// Write writes the section as wide as a terminal; width 0: as wide as needed.
func (t Section) Write(w io.Writer, width int) error { return t.table(width).Write(w, t.Cells()) }

// cut shortens a text to a number of columns and marks the cut.
func cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(text, width, "…")
}
