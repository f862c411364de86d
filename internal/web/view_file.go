package web

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// fileAnswer is one file: its text in coloured pieces, its findings and settings.
type fileAnswer struct {
	Path     string          `json:"path"`
	Full     string          `json:"full"` // for links to an editor
	Language string          `json:"language"`
	Pieces   []piece         `json:"pieces"`
	Check    json.RawMessage `json:"check"`    // as `check --format json`
	Settings []origin.Entry  `json:"settings"` // as `show --format json`
	Graph    *graphAnswer    `json:"graph,omitempty"`
}

// piece is a part of the text that is coloured alike. All pieces together are the
// text.
type piece struct {
	Class string `json:"c,omitempty"`
	Text  string `json:"t"`
}

func (s *Server) fileView(r *http.Request) (any, error) {
	o := s.open()
	c, err := o.config(r.URL.Query().Get("path"))
	if err != nil {
		return nil, err
	}
	return s.file(c, o.findings(c))
}

// scratchView looks at a text that is in no file.
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
		return nil, s.unreadable(in.Name, err)
	}
	env := *w.EnvOf(d)
	env.Overrides = nil
	c := d.Resolve(&env)
	out, err := s.file(c, c.Diagnostics())
	if err != nil {
		return nil, err
	}
	if g, err := c.Graph(); err == nil {
		picture, err := drawn(g, false)
		if err != nil {
			return nil, err
		}
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
	out := &fileAnswer{Path: path, Full: full, Language: c.Document.Language.Title, Pieces: pieces(c), Settings: []origin.Entry{}}
	for e := range c.Values() {
		if !e.Implicit {
			out.Settings = append(out.Settings, e)
		}
	}
	out.Check, err = s.report([]*lang.Config{c}, found)
	return out, err
}

// pieces colours a text. The names come from the outline, everything else from the
// look of the tokens, which is the same in all languages.
func pieces(c *lang.Config) []piece {
	names := map[int]bool{}
	var walk func([]lang.Symbol)
	walk = func(list []lang.Symbol) {
		for _, s := range list {
			if s.Head.File == c.Document.File {
				names[s.Head.Start] = true
			}
			walk(s.Children)
		}
	}
	walk(c.Document.Outline())
	tokens := c.Document.Tokens()
	if tokens.Text() != c.Document.File.Text() { // it was not parsed
		return []piece{{Text: c.Document.File.Text()}}
	}
	list := []piece{}
	for i := range tokens.Len() {
		class, text := classOf(tokens.At(i), i+1 < tokens.Len() && isAssign(tokens.At(nextInk(tokens, i)))), tokens.At(i)
		if names[int(tokens.Tokens[i].Start)] {
			class = "name"
		}
		if n := len(list); n > 0 && list[n-1].Class == class {
			list[n-1].Text += text
			continue
		}
		list = append(list, piece{class, text})
	}
	return list
}

// nextInk is the next token that is not blank.
func nextInk(tokens interface {
	Len() int
	At(int) string
}, i int) int {
	for i++; i < tokens.Len()-1 && strings.Trim(tokens.At(i), " \t") == ""; i++ {
	}
	return i
}

func isAssign(text string) bool { return text == "=" || text == ":" || text == ":=" }

// classOf is what a token looks like.
func classOf(text string, assigned bool) string {
	switch {
	case strings.TrimSpace(text) == "":
		return ""
	case text[0] == '#', text[0] == ';' && len(text) > 1, strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"):
		return "comment"
	case text[0] == '"', text[0] == '\'':
		return "string"
	case strings.ContainsRune(text, '$'):
		return "macro"
	case strings.IndexFunc(text, func(r rune) bool { return r > ' ' && !strings.ContainsRune("[](){}<>=:,;.|&*-+/!@%", r) }) < 0:
		return "sign"
	case text[0] >= '0' && text[0] <= '9', text[0] == '-' && len(text) > 1 && text[1] >= '0' && text[1] <= '9':
		return "number"
	case keywords[text]:
		return "word"
	case assigned:
		return "key"
	}
	return ""
}

// keywords are the words that begin something in one of the languages.
var keywords = map[string]bool{
	"process": true, "config": true, "connect": true, "from": true, "to": true, "block": true, "endblock": true, "include": true,
	"cluster": true, "imap": true, "omap": true, "relativepath": true, "daemon": true, "visi": true, "tunable_constant": true,
	"list": true, "@include": true, "RESET": true, "REMOVE": true, "INHERIT": true,
}
