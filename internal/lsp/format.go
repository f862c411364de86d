package lsp

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// formatting changes the white space of a document.
func (s *session) formatting(c *lang.Config, _ *protocol.FormattingParams) ([]protocol.TextEdit, error) {
	return s.textEdits(formatEdits(c.Document)), nil
}

// rangeFormatting formats the lines in a range.
func (s *session) rangeFormatting(c *lang.Config, p *protocol.RangeParams) ([]protocol.TextEdit, error) {
	piece := s.spanOf(c.Document.File, p.Range)
	return s.textEdits(within(formatEdits(c.Document), piece)), nil
}

// onTypeFormatting formats the line that the user has just ended.
func (s *session) onTypeFormatting(c *lang.Config, p *protocol.OnTypeParams) ([]protocol.TextEdit, error) {
	f := c.Document.File
	l := s.linesOf(f)
	line := p.Position.Line - 1
	if line < 0 || line >= len(l.starts) {
		return []protocol.TextEdit{}, nil
	}
	return s.textEdits(within(formatEdits(c.Document), f.Span(l.starts[line], l.end(line)))), nil
}

func within(edits []source.Edit, piece source.Span) []source.Edit {
	var list []source.Edit
	for _, e := range edits {
		if piece.Contains(e.Span) {
			list = append(list, e)
		}
	}
	return list
}

const blanks = " \t\r\n\v\f"

// formatEdits returns the edits that format a document, one for each run of white
// space that changes, so that cursors and marks do not move. A text with
// mistakes is formatted as far as it parses.
func formatEdits(d *lang.Document) []source.Edit {
	text, ok := d.Format()
	old := d.File.Text()
	if !ok || text == old {
		return nil
	}
	whole := []source.Edit{{Span: d.File.Span(0, len(old)), Text: text}}
	var edits []source.Edit
	i, j := 0, 0
	for i < len(old) || j < len(text) {
		gap, want := blankRun(old[i:]), blankRun(text[j:])
		if old[i:i+gap] != text[j:j+want] {
			edits = append(edits, source.Edit{Span: d.File.Span(i, i+gap), Text: text[j : j+want]})
		}
		i, j = i+gap, j+want
		if i < len(old) && j < len(text) && old[i] == text[j] {
			i, j = i+1, j+1
		} else if i < len(old) || j < len(text) {
			return whole // not only white space changes, so one edit replaces the text
		}
	}
	return edits
}

func blankRun(s string) int { return len(s) - len(strings.TrimLeft(s, blanks)) }
