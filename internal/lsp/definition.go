package lsp

import (
	"context"
	"slices"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// definition is where the thing at a place is declared: by its own symbol, by
// that of its type where it has no place of its own, by that of what it is a
// part of, or the file that is named.
func (s *Server) definition(_ context.Context, p *protocol.PositionParams) ([]protocol.Location, error) {
	c, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	path := at.File.Path()
	list := s.targets(path, at.Start)
	own := true
	for _, f := range s.under(path, at.Start) {
		list = append(list, s.declared(f, f.Symbol)...)
		if !f.Declared.IsZero() {
			list = append(list, s.location(f.Declared))
		}
		own = own && !f.Fixed
	}
	if len(list) == 0 {
		list = s.declaredAs(path, at.Start, func(f found) string { return f.Type })
	}
	if len(list) == 0 && own {
		list = s.joined(c, path, at.Start)
	}
	if len(list) == 0 {
		list = s.declaredAs(path, at.Start, func(f found) string { return f.Owner })
	}
	return unique(list), nil
}

// joined are the places that declare the thing at an offset in another file or
// another language.
func (s *Server) joined(c *lang.Config, path string, offset int) []protocol.Location {
	var list, others []protocol.Location
	for _, f := range s.uses(path, offset) {
		switch {
		case f.Def:
			list = append(list, s.location(f.Span))
		case f.config.Document.Language.Name != c.Document.Language.Name:
			others = append(others, s.location(f.Span))
		}
	}
	if len(list) == 0 {
		return others // nothing declares an event: another language triggers it, or waits for it
	}
	return list
}

// typeDefinition is where the type of the thing at a place is declared.
func (s *Server) typeDefinition(_ context.Context, p *protocol.PositionParams) ([]protocol.Location, error) {
	_, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	var list []protocol.Location
	for _, f := range s.uses(at.File.Path(), at.Start) {
		list = append(list, s.declared(f, f.Type)...)
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

// declaredAs are the places that declare another symbol of the things at an offset.
func (s *Server) declaredAs(path string, offset int, symbol func(found) string) []protocol.Location {
	var list []protocol.Location
	for _, f := range s.under(path, offset) {
		list = append(list, s.declared(f, symbol(f))...)
	}
	return list
}

// declared are the places that declare a symbol in the configuration of an occurrence.
func (s *Server) declared(f found, symbol string) []protocol.Location {
	var list []protocol.Location
	for _, o := range s.index(f.config).bySymbol[symbol] {
		if o.Def && symbol != "" {
			list = append(list, s.location(o.Span))
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
