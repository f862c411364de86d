package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (s *Server) didOpen(_ context.Context, p *protocol.DidOpenParams) (*nothing, error) {
	t := &p.TextDocument
	path := pathOf(t.URI)
	// Some clients send one language for all files of a server, so the client's
	// language counts only if name and content do not decide.
	text := func() string { return t.Text }
	if !slices.ContainsFunc(s.workspace.Languages, func(l *lang.Language) bool { return l.Claims(path, text) }) {
		if l, err := lang.ByName(s.workspace.Languages, t.LanguageID); err == nil {
			s.Assign(path, l)
		}
	}
	s.docs[filepath.Clean(path)] = &document{uri: t.URI, path: path, version: t.Version}
	s.setText(path, newLines(t.Text))
	return nil, nil
}

func (s *Server) didChange(_ context.Context, p *protocol.DidChangeParams) (*nothing, error) {
	path := pathOf(p.TextDocument.URI)
	d := s.docs[filepath.Clean(path)]
	if d == nil {
		return nil, fmt.Errorf("`%s` is not open: the change is ignored", p.TextDocument.URI)
	}
	text := d.text
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			text = newLines(c.Text)
			continue
		}
		start := text.offset(c.Range.Start, s.utf8)
		end := max(start, text.offset(c.Range.End, s.utf8))
		text = newLines(text.text[:start] + c.Text + text.text[end:])
	}
	d.version = p.TextDocument.Version
	s.setText(path, text)
	return nil, nil
}

func (s *Server) setText(path string, text *lines) {
	d := s.docs[filepath.Clean(path)]
	d.text = text
	s.Set(path, text.text)
	s.touched(path)
}

func (s *Server) didClose(_ context.Context, p *protocol.DocumentParams) (*nothing, error) {
	path := pathOf(p.TextDocument.URI)
	delete(s.docs, filepath.Clean(path))
	delete(s.colours, p.TextDocument.URI)
	s.Release(path)
	s.touched(path)
	return nil, nil
}

func (s *Server) didSave(_ context.Context, p *protocol.DocumentParams) (*nothing, error) {
	s.touched(pathOf(p.TextDocument.URI))
	return nil, nil
}

func (s *Server) didChangeFiles(_ context.Context, p *protocol.WatchedFilesParams) (*nothing, error) {
	for _, c := range p.Changes {
		if c.Type != 2 || filepath.Base(pathOf(c.URI)) == project.FileName {
			s.Relist()
			s.rescan()
		}
		s.touched(pathOf(c.URI))
	}
	return nil, nil
}

func (s *Server) didChangeFolders(_ context.Context, p *protocol.FoldersParams) (*nothing, error) {
	for _, f := range p.Event.Removed {
		path := pathOf(f.URI)
		s.folders = slices.DeleteFunc(s.folders, func(have string) bool { return have == path })
	}
	for _, f := range p.Event.Added {
		s.folders = append(s.folders, pathOf(f.URI))
	}
	s.rescan()
	return nil, nil
}

func (s *Server) didChangeConfiguration(_ context.Context, p *protocol.ConfigurationParams) (*nothing, error) {
	s.settings.read(p.Settings)
	return nil, nil
}
