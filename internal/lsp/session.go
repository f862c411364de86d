package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// session has the server's knowledge about its client and the client's files, from which requests are answered. Only the Server
// above it communicates with the client.
type session struct {
	*workspace.Session
	workspace *workspace.Workspace
	host      suite.Host

	client   protocol.ClientCapabilities
	utf8     bool
	settings settings
	folders  []string
	docs     map[string]*document // open documents, by path

	lines   map[*source.File]*lines
	indexes map[*lang.Config]*index
	runs    map[string]*runFindings
	colours map[string]colours
	answers int // number of answers that later ones can refer to
}

// document is an open document of the client.
type document struct {
	uri     string
	path    string
	version int
	text    *lines
}

// settings are the options that a user can change.
type settings struct {
	Hints map[lang.HintKind]bool `json:"hints"` // false: this kind is not shown
	Lens  *bool                  `json:"lens"`
}

// read applies settings; unknown ones are ignored.
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

// index has the occurrences of a configuration by place and by symbol, and
// caches settings by key.
type index struct {
	byPath   map[string][]lang.Occurrence // sorted by start
	bySymbol map[string][]lang.Occurrence
	values   map[string]*origin.Entry // cached settings; nil: there is no such setting
}

// place is a place in a file. Two configurations may have read the same file separately,
// so places are compared by path.
type place struct {
	path       string
	start, end int
}

func placeOf(s source.Span) place { return place{filepath.Clean(s.File.Path()), s.Start, s.End} }

// runFindings are the findings of a run folder.
type runFindings struct {
	list diag.List
	run  *suite.Run // nil if the folder is not a run

	links  []suite.Link // valid if linked is set
	linked bool
	joined map[place][]place // the links by place, made on the first request
	workspace.Needs
}

// colours are the last tokens sent to a client for a document.
type colours struct {
	id   string
	data []uint32
}

// errNothing makes a request return null.
var errNothing = errors.New("nothing")

// nothing is the type of absent parameters or results.
type nothing struct{}

// pathOf returns the path of a URI; for a document that is not a file, the URI itself.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // a Windows drive
		path = path[1:]
	}
	return filepath.Clean(filepath.FromSlash(path))
}

// uri returns the URI of a path: for an open document, the URI that the client uses.
func (s *session) uri(path string) string {
	if d := s.docs[filepath.Clean(path)]; d != nil {
		return d.uri
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// open returns the configuration of a document that the client asks about.
func (s *session) open(uri string) (*lang.Config, error) {
	path := pathOf(uri)
	c, err := s.workspace.Config(path)
	if err != nil {
		return nil, errNothing // not in a known language, or missing: findings tell why
	}
	return c, nil
}

// place returns the place in an open document that a client points at.
func (s *session) place(p *protocol.PositionParams) (*lang.Config, source.Span, error) {
	c, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, source.Span{}, err
	}
	f := c.Document.File
	at := s.linesOf(f).offset(p.Position, s.utf8)
	return c, f.Span(at, at), nil
}

// linesOf returns the line table of a file, made once.
func (s *session) linesOf(f *source.File) *lines {
	if l := s.lines[f]; l != nil {
		return l
	}
	if len(s.lines) > maxLineTables {
		clear(s.lines)
	}
	l := newLines(f.Text())
	s.lines[f] = l
	return l
}

// maxLineTables is the maximum number of line tables kept.
const maxLineTables = 500

func (s *session) rangeOf(span source.Span) protocol.Range {
	l := s.linesOf(span.File)
	return protocol.Range{Start: l.position(span.Start, s.utf8), End: l.position(span.End, s.utf8)}
}

func (s *session) location(span source.Span) protocol.Location {
	return protocol.Location{URI: s.uri(span.File.Path()), Range: s.rangeOf(span)}
}

// spanOf converts a range of a file.
func (s *session) spanOf(f *source.File, r protocol.Range) source.Span {
	l := s.linesOf(f)
	return f.Span(l.offset(r.Start, s.utf8), l.offset(r.End, s.utf8))
}

// workspaceEdit converts edits of files to the form of the protocol.
func (s *session) workspaceEdit(edits []source.Edit) *protocol.WorkspaceEdit {
	w := &protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{}}
	for _, e := range edits {
		uri := s.uri(e.Span.File.Path())
		w.Changes[uri] = append(w.Changes[uri], protocol.TextEdit{Range: s.rangeOf(e.Span), NewText: e.Text})
	}
	return w
}

func (s *session) textEdits(edits []source.Edit) []protocol.TextEdit {
	list := []protocol.TextEdit{}
	for _, e := range edits {
		list = append(list, protocol.TextEdit{Range: s.rangeOf(e.Span), NewText: e.Text})
	}
	return list
}

// shorten removes the paths of the open folders from a text.
func (s *session) shorten(text string) string {
	for _, dir := range s.folders {
		text = strings.ReplaceAll(text, filepath.Clean(dir)+string(filepath.Separator), "")
	}
	return text
}

func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func short(span source.Span) string {
	return fmt.Sprintf("%s:%d", base(span.File.Path()), span.Position().Line)
}
