package lsp

import (
	"context"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// selectionRange are the ranges around places: the name, the value, the line,
// the section, the document.
func (s *Server) selectionRange(_ context.Context, p *protocol.SelectionParams) ([]protocol.SelectionRange, error) {
	c, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	list := []protocol.SelectionRange{}
	for _, pos := range p.Positions {
		list = append(list, *s.around(c, s.linesOf(c.Document.File).offset(pos, s.utf8)))
	}
	return list, nil
}

func (s *Server) around(c *lang.Config, offset int) *protocol.SelectionRange {
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
