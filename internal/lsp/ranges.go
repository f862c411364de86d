package lsp

import (
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// selectionRange returns the ranges around places: the name, the value, the line,
// the section, the document.
func (s *session) selectionRange(c *lang.Config, p *protocol.SelectionParams) ([]protocol.SelectionRange, error) {
	list := []protocol.SelectionRange{}
	for _, pos := range p.Positions {
		list = append(list, *s.around(c, s.linesOf(c.Document.File).offset(pos, s.utf8)))
	}
	return list, nil
}

func (s *session) around(c *lang.Config, offset int) *protocol.SelectionRange {
	f := c.Document.File
	l := s.linesOf(f)
	line := l.position(offset, true).Line
	spans := []source.Span{f.Span(0, f.Len()), f.Span(l.starts[line], l.end(line))}
	for _, o := range s.at(c, f.Path(), offset) {
		spans = append(spans, o.Span)
	}
	var outline func(symbols []lang.Symbol)
	outline = func(symbols []lang.Symbol) {
		for _, x := range symbols {
			if x.Span.Start <= offset && offset <= x.Span.End {
				spans = append(spans, x.Span)
				outline(x.Children)
			}
		}
	}
	outline(c.Document.Outline())
	slices.SortStableFunc(spans, func(a, b source.Span) int { return b.Len() - a.Len() })
	var inner *protocol.SelectionRange
	last := source.Span{}
	for _, span := range spans {
		if span == last || inner != nil && !last.Contains(f.Span(span.Start, span.End)) {
			continue
		}
		last = f.Span(span.Start, span.End)
		inner = &protocol.SelectionRange{Range: s.rangeOf(last), Parent: inner}
	}
	return inner
}

// foldingRange returns the sections of a document, and its comments of several lines.
func (s *session) foldingRange(c *lang.Config, _ *protocol.DocumentParams) ([]protocol.FoldingRange, error) {
	list := []protocol.FoldingRange{}
	var fold func(symbols []lang.Symbol)
	fold = func(symbols []lang.Symbol) {
		for _, x := range symbols {
			if r := s.rangeOf(x.Span); r.End.Line > r.Start.Line {
				list = append(list, protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line, Kind: "region"})
			}
			fold(x.Children)
		}
	}
	fold(c.Document.Outline())
	first, last := -1, -2
	flush := func() {
		if last > first {
			list = append(list, protocol.FoldingRange{StartLine: first, EndLine: last, Kind: "comment"})
		}
	}
	for w := range c.Document.Words() {
		if w.Kind != lang.Comment {
			continue
		}
		line := s.rangeOf(w.Span).Start.Line
		if line != last+1 {
			flush()
			first = line
		}
		last = line
	}
	flush()
	return list, nil
}
