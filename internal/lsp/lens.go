package lsp

import (
	"context"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// codeLens returns commands shown above a document, and the number of uses shown above
// each declaration.
func (s *session) codeLens(_ context.Context, p *protocol.DocumentParams) ([]protocol.CodeLens, error) {
	list := []protocol.CodeLens{}
	if s.settings.Lens != nil && !*s.settings.Lens {
		return list, nil
	}
	c, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	uri := p.TextDocument.URI
	f := c.Document.File
	top := func(title, command string) {
		list = append(list, protocol.CodeLens{Range: s.rangeOf(f.Span(0, 0)), Command: &protocol.Command{Title: title, Command: command, Arguments: []any{uri}}})
	}
	if runs(c) {
		top("run", commandRun)
	}
	if _, err := c.Graph(); err == nil {
		top("show graph", commandGraph)
	}
	top("show resolved", commandResolved)
	x := s.index(c)
	for _, o := range x.byPath[f.Path()] {
		if !o.Def || !counted[o.Kind] {
			continue
		}
		uses := 0
		for _, other := range x.bySymbol[o.Symbol] {
			if !other.Def {
				uses++
			}
		}
		r := s.rangeOf(o.Span)
		list = append(list, protocol.CodeLens{Range: r, Command: &protocol.Command{
			Title: quantity.Count(uses, "reference", "references"), Command: "pentode.references", Arguments: []any{uri, r.Start},
		}})
	}
	return list, nil
}

// counted are the kinds of declarations above which the number of uses is shown. Keys are left out
// because there would be too many.
var counted = map[lang.Kind]bool{lang.Process: true, lang.Datum: true, lang.Type: true, lang.Daemon: true, lang.Region: true, lang.Cluster: true}
