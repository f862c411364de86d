package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

// settings are what a user can switch.
type settings struct {
	Hints map[lang.HintKind]bool `json:"hints"` // false: this kind is not shown
	Lens  *bool                  `json:"lens"`
}

// read takes settings over; what is not understood stays as it is.
func (s *settings) read(raw json.RawMessage) {
	var all struct {
		Pentode *settings `json:"pentode"`
		settings
	}
	if len(raw) == 0 || json.Unmarshal(raw, &all) != nil {
		return
	}
	from := &all.settings
	if all.Pentode != nil {
		from = all.Pentode
	}
	if from.Hints != nil {
		s.Hints = from.Hints
	}
	if from.Lens != nil {
		s.Lens = from.Lens
	}
}

// pathOf is the path of a URI; a document that is no file goes by its URI.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // a drive of Windows
		path = path[1:]
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uri is the URI of a path: of an open document the one that the client uses.
func (s *Server) uri(path string) string {
	if d := s.docs[filepath.Clean(path)]; d != nil {
		return d.uri
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func (s *Server) didOpen(_ context.Context, p *protocol.DidOpenParams) (*nothing, error) {
	t := &p.TextDocument
	path := pathOf(t.URI)
	// Some clients send one language for all files of a server, so the client's
	// word counts only where name and content do not decide.
	text := func() string { return t.Text }
	if !slices.ContainsFunc(s.workspace.Languages, func(l *lang.Language) bool { return l.Claims(path, text) }) {
		if l, err := lang.ByName(s.workspace.Languages, t.LanguageID); err == nil {
			s.session.Assign(path, l)
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
	s.session.Set(path, text.text)
	s.touched(path)
}

func (s *Server) didClose(_ context.Context, p *protocol.DocumentParams) (*nothing, error) {
	path := pathOf(p.TextDocument.URI)
	delete(s.docs, filepath.Clean(path))
	delete(s.colours, p.TextDocument.URI)
	s.session.Release(path)
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
			s.session.Relist()
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

// touched notes that the findings of a file, and of all that it is a part of,
// may be others now. A project file is a part of every file below it.
func (s *Server) touched(path string) {
	path = filepath.Clean(path)
	if filepath.Base(path) == project.FileName {
		s.session.Relist()
	}
	s.outdated[path] = true
	for open := range s.docs {
		s.outdated[open] = true
	}
	for _, name := range s.session.Includers(path) {
		s.outdated[name] = true
	}
}

// open is a document that the client asks about, with its configuration.
func (s *Server) open(uri string) (*lang.Config, error) {
	path := pathOf(uri)
	c, err := s.workspace.Config(path)
	if err != nil {
		return nil, errNothing // of no language, or not there any more: findings say why
	}
	return c, nil
}

// place is where in an open document a client points at.
func (s *Server) place(p *protocol.PositionParams) (*lang.Config, source.Span, error) {
	c, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, source.Span{}, err
	}
	f := c.Document.File
	at := s.linesOf(f).offset(p.Position, s.utf8)
	return c, f.Span(at, at), nil
}
