package lsp

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// The kinds of nodes in the hierarchy.
const (
	fileNode = 1
	partNode = 5
)

// prepareCalls is the node at a place: a part of the picture of the document,
// such as a process, else the document itself.
func (s *Server) prepareCalls(_ context.Context, p *protocol.PositionParams) ([]protocol.CallItem, error) {
	c, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	for _, f := range s.uses(at.File.Path(), at.Start) {
		if f.Def && f.config == c && (f.Kind == lang.Process || f.Kind == lang.Daemon || f.Kind == lang.Datum) {
			return []protocol.CallItem{s.part(f.Span)}, nil
		}
	}
	return []protocol.CallItem{s.fileItem(c.Document.File)}, nil
}

func (s *Server) part(span source.Span) protocol.CallItem {
	r := s.rangeOf(span)
	return protocol.CallItem{Name: span.Text(), Kind: partNode, Detail: base(span.File.Path()), URI: s.uri(span.File.Path()), Range: r, SelectionRange: r}
}

func (s *Server) fileItem(f *source.File) protocol.CallItem {
	top := s.rangeOf(f.Span(0, 0))
	return protocol.CallItem{Name: base(f.Path()), Kind: fileNode, Detail: filepath.Dir(f.Path()), URI: s.uri(f.Path()), Range: s.rangeOf(f.Span(0, f.Len())), SelectionRange: top}
}

// incomingCalls are those that include a file, or feed a part.
func (s *Server) incomingCalls(_ context.Context, p *protocol.CallParams) ([]protocol.IncomingCall, error) {
	c, err := s.open(p.Item.URI)
	if err != nil {
		return nil, err
	}
	list := []protocol.IncomingCall{}
	if p.Item.Kind == partNode {
		for _, item := range s.neighbours(c, p.Item.Name, false) {
			list = append(list, protocol.IncomingCall{From: item, FromRanges: []protocol.Range{item.SelectionRange}})
		}
		return list, nil
	}
	path := filepath.Clean(c.Document.File.Path())
	for _, name := range s.session.Includers(path) {
		by, err := s.workspace.Config(name)
		if err != nil {
			continue
		}
		if ranges := s.includes(by, path); len(ranges) > 0 {
			list = append(list, protocol.IncomingCall{From: s.fileItem(by.Document.File), FromRanges: ranges})
		}
	}
	return list, nil
}

// outgoingCalls are the files that a file includes, or the parts that a part feeds.
func (s *Server) outgoingCalls(_ context.Context, p *protocol.CallParams) ([]protocol.OutgoingCall, error) {
	c, err := s.open(p.Item.URI)
	if err != nil {
		return nil, err
	}
	list := []protocol.OutgoingCall{}
	if p.Item.Kind == partNode {
		for _, item := range s.neighbours(c, p.Item.Name, true) {
			list = append(list, protocol.OutgoingCall{To: item, FromRanges: []protocol.Range{p.Item.SelectionRange}})
		}
		return list, nil
	}
	for _, o := range s.index(c).byPath[filepath.Clean(c.Document.File.Path())] {
		if !o.Target.IsZero() {
			list = append(list, protocol.OutgoingCall{To: s.fileItem(o.Target.File), FromRanges: []protocol.Range{s.rangeOf(o.Span)}})
		}
	}
	return list, nil
}

// includes are the places of a document that lead to a file.
func (s *Server) includes(c *lang.Config, path string) []protocol.Range {
	var list []protocol.Range
	for _, o := range s.index(c).byPath[filepath.Clean(c.Document.File.Path())] {
		if !o.Target.IsZero() && placeOf(o.Target).path == path {
			list = append(list, s.rangeOf(o.Span))
		}
	}
	return list
}

// neighbours are the parts that the picture joins to one.
func (s *Server) neighbours(c *lang.Config, name string, out bool) []protocol.CallItem {
	g, err := c.Graph()
	if err != nil {
		return nil
	}
	parts := s.parts(c)
	labels := map[string]string{}
	for _, n := range g.Nodes {
		labels[n.ID] = n.Label
	}
	id := func(node string) string {
		if outer, _, inside := strings.Cut(node, "/"); inside {
			return outer // a part of a cluster stands for the cluster
		}
		return cmp.Or(labels[node], node)
	}
	var names []string
	for _, e := range g.Edges {
		from, to := id(e.From), id(e.To)
		switch {
		case from == to:
		case out && from == name:
			names = append(names, to)
		case !out && to == name:
			names = append(names, from)
		}
	}
	slices.Sort(names)
	var list []protocol.CallItem
	for _, n := range slices.Compact(names) {
		if span, ok := parts[n]; ok {
			list = append(list, s.part(span))
		}
	}
	return list
}

// parts are what a configuration declares that its picture may show, by name.
func (s *Server) parts(c *lang.Config) map[string]source.Span {
	parts := map[string]source.Span{}
	for _, o := range c.Occurrences() {
		switch o.Kind {
		case lang.Process, lang.Daemon, lang.Datum, lang.Type, lang.Plugin, lang.Section, lang.Region, lang.Cluster:
			if _, twice := parts[o.Span.Text()]; o.Def && !twice {
				parts[o.Span.Text()] = o.Span
			}
		}
	}
	return parts
}
