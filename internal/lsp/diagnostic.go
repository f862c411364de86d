package lsp

import (
	"context"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// diagnostic returns the findings of a document.
func (s *Server) diagnostic(_ context.Context, p *protocol.DiagnosticParams) (*protocol.DiagnosticReport, error) {
	delete(s.outdated, filepath.Clean(pathOf(p.TextDocument.URI)))
	return s.reportOn(p.TextDocument.URI, p.PreviousResultID), nil
}

func (s *Server) reportOn(uri, previous string) *protocol.DiagnosticReport {
	items := s.diagnostics(pathOf(uri))
	have, ok := s.reports[uri]
	if !ok || !reflect.DeepEqual(have.items, items) {
		s.answers++
		have = report{strconv.Itoa(s.answers), items}
		s.reports[uri] = have
	}
	if have.id == previous {
		return &protocol.DiagnosticReport{Kind: "unchanged", ResultID: have.id}
	}
	return &protocol.DiagnosticReport{Kind: "full", ResultID: have.id, Items: items}
}

// workspaceDiagnostic returns the findings of all known files.
func (s *Server) workspaceDiagnostic(ctx context.Context, _ *nothing) (*protocol.WorkspaceDiagnosticReport, error) {
	all := &protocol.WorkspaceDiagnosticReport{Items: []protocol.DiagnosticReport{}}
	for len(s.scan) > 0 && ctx.Err() == nil {
		s.readNext()
	}
	for _, path := range s.Known() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		item := s.reportOn(s.uri(path), "")
		item.URI = s.uri(path)
		if d := s.docs[path]; d != nil {
			item.Version = &d.version
		}
		all.Items = append(all.Items, *item)
	}
	return all, nil
}

// push sends the findings of a file to the client, if the client does not pull
// them. If the document changes meanwhile, its findings are sent later.
func (s *Server) push(path string) {
	delete(s.outdated, path)
	if s.pulls() {
		if s.docs[path] == nil && s.client.Workspace.Diagnostics.RefreshSupport && len(s.outdated) == 0 {
			s.ask("workspace/diagnostic/refresh", nil)
		}
		return
	}
	items := s.diagnostics(path)
	if len(items) == 0 && !s.published[path] && s.docs[path] == nil {
		return
	}
	params := protocol.PublishParams{URI: s.uri(path), Diagnostics: items}
	if d := s.docs[path]; d != nil {
		if s.queue.changing(d.uri) {
			s.outdated[path] = true // send them after the change
			return
		}
		params.Version = &d.version
	}
	s.published[path] = len(items) > 0
	_ = s.conn.Notify(context.Background(), "textDocument/publishDiagnostics", params)
}
