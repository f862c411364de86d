package lsp

import (
	"context"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// documentLink are the files that a document names: what it includes, and what
// it starts or feeds.
func (s *Server) documentLink(_ context.Context, p *protocol.DocumentParams) ([]protocol.DocumentLink, error) {
	c, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	list := []protocol.DocumentLink{}
	path := c.Document.File.Path()
	for _, o := range s.index(c).byPath[path] {
		if !o.Target.IsZero() {
			list = append(list, protocol.DocumentLink{Range: s.rangeOf(o.Span), Target: s.uri(o.Target.File.Path())})
		}
	}
	for _, l := range s.runLinks(path) {
		if l.Leads && placeOf(l.A).path == path && l.B.Start == 0 {
			list = append(list, protocol.DocumentLink{Range: s.rangeOf(l.A), Target: s.uri(l.B.File.Path())})
		}
	}
	return list, nil
}
