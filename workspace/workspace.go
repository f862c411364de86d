// Package workspace is the one model behind every front: open documents,
// each with its language, tree and meaning, and the ways to change them.
//
// The command line opens files from disk; an editor puts texts over them. Both ask
// the same questions here, and both change files through a Draft: fixes are
// computed and checked first, and the disk gets all new texts or none. Parsing
// happens once per text. No language is named here: the list is an argument.
//
//	path ──Open──▶ Document ──Config──▶ Config ──Draft.Fix──▶ Changes ──Write──▶ disk
package workspace

import (
	"sync"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Workspace opens documents of the languages it was given.
type Workspace struct {
	Languages []*lang.Language
	Env       *load.Env
	// Force is the language of every file, whatever its name says.
	Force *lang.Language

	session *Session // nil where every question is answered afresh

	mu   sync.Mutex
	docs map[string]*lang.Document
}

// New returns a workspace.
func New(languages []*lang.Language, env *load.Env) *Workspace {
	return &Workspace{Languages: languages, Env: env, docs: map[string]*lang.Document{}}
}

// Open parses the file at a path. The error of a file over the size limit is
// a finding: see Refused.
func (w *Workspace) Open(path string) (*lang.Document, error) {
	f, err := w.Env.Opener.Open(path)
	if err != nil {
		return nil, err
	}
	return w.Document(f)
}

// Document parses a file that is already read.
func (w *Workspace) Document(f *source.File) (*lang.Document, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.Force
	if l == nil && w.session != nil {
		l = w.session.assigned[f.Path()]
	}
	if l == nil {
		if l = lang.Detect(w.Languages, f); l == nil {
			return nil, &UnknownLanguage{Path: f.Path()}
		}
	}
	if d := w.docs[f.Path()]; d != nil && d.Language == l && d.File.Text() == f.Text() {
		return d, nil
	}
	d := l.Parse(f)
	w.docs[f.Path()] = d
	return d, nil
}

// Config resolves a file. In a session that is done once for a text.
func (w *Workspace) Config(path string) (*lang.Config, error) {
	if w.session != nil {
		return w.session.config(path)
	}
	d, err := w.Open(path)
	if err != nil {
		return nil, err
	}
	return d.Resolve(w.Env), nil
}

// Layers resolves the documents as layers of one configuration, in order.
func (w *Workspace) Layers(docs []*lang.Document) *lang.Config {
	last := len(docs) - 1
	return docs[last].Resolve(w.Env, docs[:last]...)
}
