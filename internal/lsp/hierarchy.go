package lsp

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// The kinds of nodes in the hierarchy.
const (
	fileNode = 1
	partNode = 5
)

// prepareCalls is called first for a call hierarchy: it returns the node at a place, which is a
// part of the document's picture, such as a process, else the document itself.
func (s *session) prepareCalls(c *lang.Config, at source.Span, _ *protocol.PositionParams) ([]protocol.CallItem, error) {
	if g, err := c.Graph(); err == nil {
		for _, f := range s.uses(at.File.Path(), at.Start) {
			if n := declaredBy(g, f); n != nil && f.config == c {
				return []protocol.CallItem{s.part(g, n, f.Span)}, nil
			}
		}
	}
	return []protocol.CallItem{s.fileItem(c.Document.File)}, nil
}

// declaredBy returns the node that an occurrence declares, or nil.
func declaredBy(g *graph.Graph, f found) *graph.Node {
	if !f.Def {
		return nil
	}
	for _, n := range g.Nodes {
		switch {
		case !n.At.IsZero() && placeOf(n.At).path == placeOf(f.Span).path && n.At.Start <= f.Span.Start && f.Span.End <= n.At.End:
			return n
		case f.Kind == lang.Process || f.Kind == lang.Daemon:
			if n.Settings != "" && strings.HasPrefix(f.Key, n.Settings) { // the node is identified by one of its settings
				return n
			}
		}
	}
	return nil
}

// part returns the hierarchy item of a node at a place. A node inside a cluster is shown as the
// cluster.
func (s *session) part(g *graph.Graph, n *graph.Node, at source.Span) protocol.CallItem {
	r := s.rangeOf(at)
	id, name := outermost(g, n.ID), cmp.Or(n.Label, n.ID)
	if id != n.ID {
		name = id
	}
	return protocol.CallItem{Name: name, Kind: partNode, Detail: base(at.File.Path()), URI: s.uri(at.File.Path()), Range: r, SelectionRange: r, Data: id}
}

func (s *session) fileItem(f *source.File) protocol.CallItem {
	top := s.rangeOf(f.Span(0, 0))
	return protocol.CallItem{Name: base(f.Path()), Kind: fileNode, Detail: filepath.Dir(f.Path()), URI: s.uri(f.Path()), Range: s.rangeOf(f.Span(0, f.Len())), SelectionRange: top}
}

// incomingCalls returns the files that include a file, or the parts that send data to a part.
func (s *session) incomingCalls(c *lang.Config, p *protocol.CallParams) ([]protocol.IncomingCall, error) {
	list := []protocol.IncomingCall{}
	if p.Item.Kind == partNode {
		for _, item := range s.neighbours(c, p.Item.Data, false) {
			list = append(list, protocol.IncomingCall{From: item, FromRanges: []protocol.Range{item.SelectionRange}})
		}
		return list, nil
	}
	path := filepath.Clean(c.Document.File.Path())
	for _, name := range s.Includers(path) {
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

// outgoingCalls returns the files that a file includes, or the parts that a part sends data to.
func (s *session) outgoingCalls(c *lang.Config, p *protocol.CallParams) ([]protocol.OutgoingCall, error) {
	list := []protocol.OutgoingCall{}
	if p.Item.Kind == partNode {
		for _, item := range s.neighbours(c, p.Item.Data, true) {
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

// includes returns the places in a document that include a file.
func (s *session) includes(c *lang.Config, path string) []protocol.Range {
	var list []protocol.Range
	for _, o := range s.index(c).byPath[filepath.Clean(c.Document.File.Path())] {
		if !o.Target.IsZero() && placeOf(o.Target).path == path {
			list = append(list, s.rangeOf(o.Span))
		}
	}
	return list
}

// outermost returns the outermost cluster that contains a node, or the node itself.
func outermost(g *graph.Graph, id string) string {
	first, _, inside := strings.Cut(id, "/")
	if inside && slices.ContainsFunc(g.Groups, func(group *graph.Group) bool { return group.ID == first }) {
		return first
	}
	return id
}

// neighbours returns the parts that are connected to a part in the picture; id is its name there.
func (s *session) neighbours(c *lang.Config, id string, out bool) []protocol.CallItem {
	g, err := c.Graph()
	if err != nil {
		return nil
	}
	joined := map[string]bool{}
	for _, e := range g.Edges {
		from, to := outermost(g, e.From), outermost(g, e.To)
		switch {
		case from == to:
		case out && from == id:
			joined[to] = true
		case !out && to == id:
			joined[from] = true
		}
	}
	var list []protocol.CallItem
	for _, n := range g.Nodes {
		if id := outermost(g, n.ID); joined[id] && !n.At.IsZero() {
			list = append(list, s.part(g, n, n.At))
			delete(joined, id)
		}
	}
	slices.SortFunc(list, func(a, b protocol.CallItem) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
