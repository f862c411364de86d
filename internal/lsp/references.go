package lsp

import (
	"context"
	"path/filepath"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// references are all places of the thing at a place.
func (s *Server) references(_ context.Context, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	_, at, err := s.place(&p.PositionParams)
	if err != nil {
		return nil, err
	}
	list := []protocol.Location{}
	for _, f := range s.uses(at.File.Path(), at.Start) {
		if !f.Def || p.Context.IncludeDeclaration {
			list = append(list, s.location(f.Span))
		}
	}
	return list, nil
}

// highlight is the same in one document.
func (s *Server) highlight(_ context.Context, p *protocol.PositionParams) ([]protocol.DocumentHighlight, error) {
	_, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	const read, write = 2, 3
	list := []protocol.DocumentHighlight{}
	own := filepath.Clean(at.File.Path())
	for _, f := range s.uses(own, at.Start) {
		if placeOf(f.Span).path == own {
			kind := read
			if f.Def {
				kind = write
			}
			list = append(list, protocol.DocumentHighlight{Range: s.rangeOf(f.Span), Kind: kind})
		}
	}
	return list, nil
}
