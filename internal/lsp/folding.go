package lsp

import (
	"context"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// foldingRange are the sections of a document, and its comments of several lines.
func (s *Server) foldingRange(_ context.Context, p *protocol.DocumentParams) ([]protocol.FoldingRange, error) {
	c, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
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
