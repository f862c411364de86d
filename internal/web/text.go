package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
)

// textAnswer is the text of a file as in a text area: lines end in \n.
type textAnswer struct {
	Path string `json:"path"`
	Text string `json:"text"`
	Hash string `json:"hash"` // of the file; a change names the version that it starts from
}

// saveAnswer is the effect of a new text of a file, saved or only previewed.
type saveAnswer struct {
	Check   json.RawMessage `json:"check"`   // of the new text, as `check --format json`
	Added   []finding       `json:"added"`   // errors that the file on the disk does not have
	Written bool            `json:"written"` // then Hash is set
	Hash    string          `json:"hash"`
	Theirs  *textAnswer     `json:"theirs,omitempty"` // the current text, if the file was changed elsewhere; nothing was written
}

// textOf returns a file as in a text area. It refuses a file that a text area would change.
func textOf(f *source.File) (*textAnswer, error) {
	text := f.Text()
	ends, returns := strings.Count(text, "\n"), strings.Count(text, "\r")
	switch {
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return nil, errors.New("the file is not a text in UTF-8, and a text area would change it; edit it elsewhere")
	case returns > 0 && (returns != ends || strings.Count(text, "\r\n") != ends):
		return nil, errors.New("the file mixes different line endings, and a text area would change them; edit it elsewhere")
	}
	sum := sha256.Sum256([]byte(text))
	return &textAnswer{f.Path(), strings.ReplaceAll(text, "\r\n", "\n"), hex.EncodeToString(sum[:])}, nil
}

// editable opens a file of the folder in one of the languages.
func (s *Server) editable(path string) (*source.File, *textAnswer, error) {
	c, err := s.open().config(path)
	if err != nil {
		return nil, nil, err
	}
	f := c.Document.File
	if !s.fence.Inside(f.Path()) {
		return nil, nil, guard.Forbidden("`" + path + "` is outside of the served folder, so the page does not write it")
	}
	now, err := textOf(f)
	return f, now, err
}

// textView returns the text of a file for editing.
func (s *Server) textView(r *http.Request) (any, error) {
	_, now, err := s.editable(r.FormValue("path"))
	return now, err
}

// save checks a new text of a file, and writes it if asked: if it adds no errors, or if the user insists. It never overwrites a version that the text
// did not start from.
func (s *Server) save(r *http.Request) (any, error) {
	in, err := change[struct {
		editTarget
		Text   string `json:"text"`
		Hash   string `json:"hash"` // of the version that this text starts from
		Insist bool   `json:"insist"`
	}](s, r)
	if err != nil {
		return nil, err
	}
	f, now, err := s.editable(in.Path)
	if err != nil {
		return nil, err
	}
	text := in.Text
	if strings.Contains(f.Text(), "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	after, own, found, err := s.with(f.Path(), text)
	if err != nil {
		return nil, err
	}
	out := saveAnswer{Added: []finding{}, Hash: now.Hash}
	if out.Check, err = checkReport([]*lang.Config{after}, own); err != nil {
		return nil, err
	}
	_, _, had, err := s.with(f.Path(), f.Text())
	if err != nil {
		return nil, err
	}
	for _, d := range lang.Added(had, found) {
		if d.Severity == diag.Error {
			out.Added = append(out.Added, findingOf(d))
		}
	}
	switch {
	case in.Hash != now.Hash:
		out.Theirs = now
	case in.Write && (len(out.Added) == 0 || in.Insist):
		if err := s.write([]source.Change{{File: f, Text: text}}); err != nil { // fails also if the file was changed just now
			return nil, guard.Conflict(err.Error())
		}
		saved, err := textOf(source.NewFile(f.Path(), text))
		if err != nil {
			return nil, err
		}
		out.Written, out.Hash = true, saved.Hash
	}
	return out, nil
}

// with resolves a file as if it had another text. It returns its findings, and the findings of the whole run that it belongs to.
func (s *Server) with(path, text string) (c *lang.Config, own, found diag.List, err error) {
	o := s.openOver(path, text)
	if c, err = o.config(path); err != nil {
		return nil, nil, nil, err
	}
	own = o.findings(c)
	if o.run != nil && suite.ConfigOf(o.run, path) == c {
		return c, own, suite.Diagnostics(o.run, s.opt.Host), nil
	}
	return c, own, own, nil
}

// completionEntry is a completion that replaces a range of a text, given as lines and UTF-16 units from 0.
type completionEntry struct {
	Label  string `json:"label"`
	Detail string `json:"detail"`
	Doc    string `json:"doc"`
	Insert string `json:"insert"`
	Start  [2]int `json:"start"`
	End    [2]int `json:"end"`
}

// maxCompletions limits the list of completions.
const maxCompletions = 200

// complete lists the completions at a place of a text that is being edited.
func (s *Server) complete(r *http.Request) (any, error) {
	in, err := body[struct {
		Path string `json:"path"`
		Text string `json:"text"`
		Line int    `json:"line"`
		Unit int    `json:"unit"`
	}](r)
	if err != nil {
		return nil, err
	}
	if _, _, err := s.editable(in.Path); err != nil {
		return nil, err
	}
	c, err := s.openOver(in.Path, in.Text).config(in.Path)
	if err != nil {
		return nil, err
	}
	f := c.Document.File
	list := []completionEntry{}
	for _, item := range c.Complete(f, f.Offset(in.Line, in.Unit)) {
		if len(list) == maxCompletions {
			break
		}
		if !item.Begins() {
			continue
		}
		e := completionEntry{Label: item.Label, Detail: item.Detail, Doc: item.Doc, Insert: item.Plain()}
		e.Start[0], e.Start[1] = f.UTF16(item.Replace.Start)
		e.End[0], e.End[1] = f.UTF16(item.Replace.End)
		list = append(list, e)
	}
	return list, nil
}

// openOver reads the folder as if a file had the given text.
func (s *Server) openOver(path, text string) *opened {
	over := &source.Overlay{Under: s.fence}
	over.Set(filepath.Clean(path), text)
	return s.openWith(over)
}
