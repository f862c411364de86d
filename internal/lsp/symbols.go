package lsp

import (
	"context"
	"strings"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// documentSymbol returns the outline of a document.
func (s *session) documentSymbol(c *lang.Config, _ *protocol.DocumentParams) ([]protocol.DocumentSymbol, error) {
	return s.outline(c.Document.Outline()), nil
}

func (s *session) outline(list []lang.Symbol) []protocol.DocumentSymbol {
	out := []protocol.DocumentSymbol{}
	for _, x := range list {
		if x.Name == "" {
			x.Name = x.Kind // editors refuse a symbol without a name
		}
		out = append(out, protocol.DocumentSymbol{
			Name: x.Name, Detail: x.Detail, Kind: symbolKind(x.Kind), Range: s.rangeOf(x.Span.To(x.Head)), SelectionRange: s.rangeOf(x.Head),
			Children: s.outline(x.Children),
		})
	}
	return out
}

// classSymbol is the kind of processes and programs.
const classSymbol = 5

// symbolKind returns the kind of a symbol, for which editors show an icon.
func symbolKind(kind string) int {
	switch kind {
	case "include":
		return 1 // file
	case "section", "config", "list", "tunable_constant":
		return 3 // namespace
	case "process", "daemon", "visi":
		return classSymbol
	case "cluster":
		return 2 // module
	case "tunable":
		return 14 // constant
	case "name":
		return 13 // variable
	}
	return 7 // property
}

// maxSymbols limits the answer about a whole workspace.
const maxSymbols = 500

// workspaceSymbol finds symbols of all files by a part of their name.
func (s *Server) workspaceSymbol(ctx context.Context, p *protocol.WorkspaceSymbolParams) ([]protocol.WorkspaceSymbol, error) {
	list := []protocol.WorkspaceSymbol{}
	query := strings.ToLower(p.Query)
	for len(s.scan) > 0 && ctx.Err() == nil {
		s.readNext()
	}
	var add func(symbols []lang.Symbol, container string)
	add = func(symbols []lang.Symbol, container string) {
		for _, x := range symbols {
			if len(list) >= maxSymbols {
				return
			}
			name := x.Name
			if symbolKind(x.Kind) == classSymbol {
				name += " " + x.Detail // the name of a block is its keyword; its own name is the detail
			}
			if x.Name != "" && strings.Contains(strings.ToLower(name), query) {
				list = append(list, protocol.WorkspaceSymbol{Name: x.Name, Kind: symbolKind(x.Kind), ContainerName: container, Location: s.location(x.Head)})
			}
			add(x.Children, x.Name)
		}
	}
	for _, path := range s.Known() {
		if c, err := s.workspace.Config(path); err == nil {
			add(c.Document.Outline(), base(path))
		}
	}
	return list, nil
}
