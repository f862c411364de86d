package lsp

import (
	"context"
	"slices"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// definition is where the thing at a place is declared: by its own symbol, by
// that of its type where it has no place of its own, or the file that is named.
func (s *Server) definition(_ context.Context, p *protocol.PositionParams) ([]protocol.Location, error) {
	c, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	path := at.File.Path()
	list := s.targets(path, at.Start)
	uses := s.uses(path, at.Start)
	for _, f := range uses {
		if f.Def {
			list = append(list, s.location(f.Span))
		}
	}
	if len(list) == 0 {
		list = s.typesOf(path, at.Start)
	}
	if len(list) == 0 { // nothing declares an event: the other languages say who triggers it, or waits for it
		for _, f := range uses {
			if f.config.Document.Language != c.Document.Language {
				list = append(list, s.location(f.Span))
			}
		}
	}
	return unique(list), nil
}

// typeDefinition is where the type of the thing at a place is declared.
func (s *Server) typeDefinition(_ context.Context, p *protocol.PositionParams) ([]protocol.Location, error) {
	_, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	var list []protocol.Location
	for _, f := range s.uses(at.File.Path(), at.Start) {
		if f.Type != "" {
			for _, o := range s.index(f.config).bySymbol[f.Type] {
				if o.Def {
					list = append(list, s.location(o.Span))
				}
			}
		}
	}
	return unique(list), nil
}

// targets are the files that a place names.
func (s *Server) targets(path string, offset int) []protocol.Location {
	list := []protocol.Location{}
	for _, f := range s.under(path, offset) {
		if !f.Target.IsZero() {
			list = append(list, s.location(f.Target))
		}
	}
	for _, span := range s.leads(path, offset) {
		list = append(list, s.location(span))
	}
	return list
}

func (s *Server) typesOf(path string, offset int) []protocol.Location {
	list := []protocol.Location{}
	for _, f := range s.under(path, offset) {
		for _, o := range s.index(f.config).bySymbol[f.Type] {
			if o.Def && f.Type != "" {
				list = append(list, s.location(o.Span))
			}
		}
	}
	return list
}

// unique leaves out places that are there twice, because several
// configurations have them.
func unique(list []protocol.Location) []protocol.Location {
	out := []protocol.Location{}
	for _, l := range list {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}
