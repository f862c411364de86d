package lsp

import (
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// definition returns the declaration of the thing at a place: of its symbol; else of
// its type; else of the thing that it is a part of; or the file that the place
// names.
func (s *session) definition(c *lang.Config, at source.Span, _ *protocol.PositionParams) ([]protocol.Location, error) {
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

// joined returns the places in other files or languages that declare the thing at an offset.
func (s *session) joined(c *lang.Config, path string, offset int) []protocol.Location {
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
		return others // an event has no declaration: show the places that trigger it or wait for it
	}
	return list
}

// typeDefinition returns the declaration of the type of the thing at a place.
func (s *session) typeDefinition(_ *lang.Config, at source.Span, _ *protocol.PositionParams) ([]protocol.Location, error) {
	var list []protocol.Location
	for _, f := range s.uses(at.File.Path(), at.Start) {
		list = append(list, s.declared(f, f.Type)...)
	}
	return unique(list), nil
}

// targets returns the files that a place names.
func (s *session) targets(path string, offset int) []protocol.Location {
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

// declaredAs returns the places that declare another symbol of the things at an offset.
func (s *session) declaredAs(path string, offset int, symbol func(found) string) []protocol.Location {
	var list []protocol.Location
	for _, f := range s.under(path, offset) {
		list = append(list, s.declared(f, symbol(f))...)
	}
	return list
}

// declared returns the places that declare a symbol in the configuration of an occurrence.
func (s *session) declared(f found, symbol string) []protocol.Location {
	var list []protocol.Location
	for _, o := range s.index(f.config).bySymbol[symbol] {
		if o.Def && symbol != "" {
			list = append(list, s.location(o.Span))
		}
	}
	return list
}

// unique removes duplicate places, which occur because several configurations
// contain them.
func unique(list []protocol.Location) []protocol.Location {
	out := []protocol.Location{}
	for _, l := range list {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// references returns all places of the thing at a place.
func (s *session) references(_ *lang.Config, at source.Span, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	list := []protocol.Location{}
	for _, f := range s.uses(at.File.Path(), at.Start) {
		if !f.Def || p.Context.IncludeDeclaration {
			list = append(list, s.location(f.Span))
		}
	}
	return list, nil
}

// highlight returns all places of the thing at a place in one document.
func (s *session) highlight(_ *lang.Config, at source.Span, _ *protocol.PositionParams) ([]protocol.DocumentHighlight, error) {
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

// documentLink returns links to the files that a document names: included files, and files that
// it starts or feeds.
func (s *session) documentLink(c *lang.Config, _ *protocol.DocumentParams) ([]protocol.DocumentLink, error) {
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
