package web

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
)

// fileAnswer is one file: its text in coloured pieces, its findings and settings.
type fileAnswer struct {
	Path     string          `json:"path"`
	Full     string          `json:"full"` // for links to an editor
	Language string          `json:"language"`
	Pieces   []piece         `json:"pieces"`
	Check    json.RawMessage `json:"check"`    // as `check --format json`
	Settings []origin.Entry  `json:"settings"` // as `show --format json`
	Fields   int             `json:"fields"`   // number of settings in its form
	View     string          `json:"view"`     // the additional view of its language; empty: none
	Graph    *graphAnswer    `json:"graph,omitempty"`
}

// ownViews are the additional views of languages, by name of the language.
var ownViews = map[string]string{"pdi": "Layout", "pinsight": "Policy", "coil": "Target"}

// piece is a part of the text in one colour. All pieces together are the
// text.
type piece struct {
	Class string `json:"c,omitempty"`
	Text  string `json:"t"`
	At    int    `json:"a"` // its offset in bytes
}

func (s *Server) fileView(r *http.Request) (any, error) {
	o := s.open()
	c, err := o.config(r.FormValue("path"))
	if err != nil {
		return nil, err
	}
	return s.file(c, o.findings(c))
}

// scratchView checks a text that is not in a file.
func (s *Server) scratchView(r *http.Request) (any, error) {
	in, err := body[struct {
		Name     string `json:"name"`
		Text     string `json:"text"`
		Language string `json:"language"`
	}](r)
	if err != nil {
		return nil, err
	}
	w := s.open().workspace
	if in.Language != "" {
		if w.Force, err = lang.ByName(w.Languages, in.Language); err != nil {
			return nil, err
		}
	}
	f := source.NewFile(filepath.Join(s.root, filepath.Base("/"+in.Name)), in.Text)
	d, err := w.Document(f)
	if err != nil {
		return nil, unreadable(in.Name, err)
	}
	env := *w.EnvOf(d)
	env.Overrides = nil
	c := d.Resolve(&env)
	out, err := s.file(c, c.Diagnostics())
	if err != nil {
		return nil, err
	}
	if g, err := c.Graph(); err == nil {
		picture := drawn(g, false)
		out.Graph = &picture
	}
	return out, nil
}

func (s *Server) file(c *lang.Config, found diag.List) (*fileAnswer, error) {
	path := c.Document.File.Path()
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	out := &fileAnswer{Path: path, Full: full, Language: c.Document.Language.Title, Pieces: pieces(c), Settings: []origin.Entry{}, Fields: len(suite.Form(c)), View: ownViews[c.Document.Language.Name]}
	for e := range c.Values() {
		if !e.Implicit {
			out.Settings = append(out.Settings, e)
		}
	}
	out.Check, err = checkReport([]*lang.Config{c}, found)
	return out, err
}

// pieces divides a text into coloured pieces by meaning. In the table, a larger place comes before
// the places inside it, so that a macro in a value keeps its own colour.
func pieces(c *lang.Config) []piece {
	f := c.Document.File
	canvas := make([]lang.Kind, f.Len())
	for _, o := range slices.Concat(slices.Collect(c.Document.Words()), c.Occurrences()) {
		if o.Span.File != f {
			continue
		}
		for i := o.Span.Start; i < o.Span.End; i++ {
			canvas[i] = o.Kind
		}
	}
	all := []piece{}
	for start, end := 0, 0; start < len(canvas); start = end {
		for end < len(canvas) && canvas[end] == canvas[start] {
			end++
		}
		all = append(all, piece{string(canvas[start]), f.Text()[start:end], start})
	}
	return all
}
