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

// textAnswer is the text of a file, as a text area has it: its lines end in \n.
type textAnswer struct {
	Path string `json:"path"`
	Text string `json:"text"`
	Hash string `json:"hash"` // of the file, by which a change says what it is made from
}

// saveAnswer is what a new text of a file does, or would do.
type saveAnswer struct {
	Check   json.RawMessage `json:"check"`   // of the new text, as `check --format json`
	Added   []finding       `json:"added"`   // errors that the file on the disk does not have
	Written bool            `json:"written"` // with Hash
	Hash    string          `json:"hash"`
	Theirs  *textAnswer     `json:"theirs,omitempty"` // the file was changed elsewhere, and is this now; nothing was written
}

// textOf is a file as a text area has it. One that would not be the same afterwards is refused.
func textOf(f *source.File) (*textAnswer, error) {
	text := f.Text()
	ends, returns := strings.Count(text, "\n"), strings.Count(text, "\r")
	switch {
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return nil, errors.New("the file is not a text in UTF-8, and a text area would change it; edit it elsewhere")
	case returns > 0 && (returns != ends || strings.Count(text, "\r\n") != ends):
		return nil, errors.New("the lines of the file end in different ways, and a text area would change them; edit it elsewhere")
	}
	sum := sha256.Sum256([]byte(text))
	return &textAnswer{f.Path(), strings.ReplaceAll(text, "\r\n", "\n"), hex.EncodeToString(sum[:])}, nil
}

// editable opens a file of the folder that some language claims.
func (s *Server) editable(path string) (*source.File, *textAnswer, error) {
	c, err := s.open().config(path)
	if err != nil {
		return nil, nil, err
	}
	f := c.Document.File
	if !s.fence.Inside(f.Path()) {
		return nil, nil, guard.Forbidden("`" + path + "` lies outside of the folder that is served, and is not written")
	}
	now, err := textOf(f)
	return f, now, err
}

// textView is the text of a file that is to be edited.
func (s *Server) textView(r *http.Request) (any, error) {
	_, now, err := s.editable(r.FormValue("path"))
	return now, err
}

// save judges a new text of a file, and writes it if asked to: where it adds no error, or on insistence, and never over a text that it was not
// made from.
func (s *Server) save(r *http.Request) (any, error) {
	in, err := change[struct {
		editTarget
		Text   string `json:"text"`
		Hash   string `json:"hash"` // of the text that this one was made from
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
		if err := s.write([]source.Change{{File: f, Text: text}}); err != nil { // also where it was changed just now
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

// with is a file as it would be with another text, what would be found in it, and what in all of the run that it belongs to.
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

// completionEntry is something that may be written at a place of a text, which begins and ends at a line and a UTF-16 unit of it, from 0 on.
type completionEntry struct {
	Label  string `json:"label"`
	Detail string `json:"detail"`
	Doc    string `json:"doc"`
	Insert string `json:"insert"`
	Start  [2]int `json:"start"`
	End    [2]int `json:"end"`
}

// maxCompletions bounds the list.
const maxCompletions = 200

// complete lists what may be written at a place of a text that is being edited.
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

// openOver reads the folder as it would be if a file had another text.
func (s *Server) openOver(path, text string) *opened {
	over := &source.Overlay{Under: s.fence}
	over.Set(filepath.Clean(path), text)
	return s.openWith(over)
}
