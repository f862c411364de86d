// Package workspace is the model that all front ends share: open documents with
// their language, tree and meaning, and the ways to change them.
//
// The command line opens files from the disk; an editor replaces their texts.
// Both change files through a Draft: it computes and checks the new texts first,
// and then writes all of them to the disk or none. Each text is parsed once. The
// languages are an argument of New; this package knows none of them, but some
// keys of project files have the name of a language.
//
//	path ──Open──▶ Document ──Config──▶ Config ──Draft.Fix──▶ Changes ──Write──▶ disk
package workspace

import (
	"path/filepath"
	"sync"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

// Workspace opens documents of the given languages.
type Workspace struct {
	Languages []*lang.Language
	Env       *load.Env
	// Force, if not nil, is the language of every file, whatever its name is.
	Force *lang.Language

	// Projects finds project files. If it is nil, none are read.
	Projects *project.Finder
	// Configure returns the languages as a project configures them. If it is
	// nil, they are the same for every project.
	Configure    func(*project.Project) []*lang.Language
	FixedDialect bool // the dialect of Env overrides the project's
	NoIgnore     bool // Walk includes the files that a project or .gitignore excludes

	// Inside are the only folders that may be read, whatever the project says.
	// If Inside is empty, the project decides. If either of them restricts the
	// folders, nothing else on this machine is read, and only the variables in
	// Known are visible.
	Inside []string
	Known  func(name string) (string, bool)

	session *Session // nil if nothing is kept between calls

	mu   sync.Mutex
	docs map[string]*lang.Document

	scoping sync.Mutex
	scopes  []*scope
	walked  []string                       // the folders that are being checked
	indexes map[string]map[string][]string // files of projects, by root and name
}

// New returns a workspace.
func New(languages []*lang.Language, env *load.Env) *Workspace {
	return &Workspace{Languages: languages, Env: env, docs: map[string]*lang.Document{}}
}

// As returns a workspace that reads all files as one language, whatever their
// names are. It is used for files that another file refers to.
func (w *Workspace) As(language string) (*Workspace, error) {
	l, err := lang.ByName(w.Languages, language)
	if err != nil {
		return nil, err
	}
	own := w.With(w.Env)
	own.Force = l
	return own, nil
}

// With returns a new workspace with the same languages, projects and limits, but
// another environment. It has not read anything yet.
func (w *Workspace) With(env *load.Env) *Workspace {
	own := New(w.Languages, env)
	own.Force, own.Projects, own.Configure, own.FixedDialect, own.NoIgnore = w.Force, w.Projects, w.Configure, w.FixedDialect, w.NoIgnore
	own.Inside, own.Known = w.Inside, w.Known
	return own
}

// Open parses the file at a path. If the file is over the size limit, Refused
// turns the error into a finding.
func (w *Workspace) Open(path string) (*lang.Document, error) { return w.open(path, false) }

// OpenNamed parses a file that the user named. If its content does not decide
// its language, its name does.
func (w *Workspace) OpenNamed(path string) (*lang.Document, error) { return w.open(path, true) }

func (w *Workspace) open(path string, named bool) (*lang.Document, error) {
	opener := w.opener(w.scope(path, false).project)
	open := opener.Open
	if named {
		open = func(path string) (*source.File, error) { return source.OpenNamed(opener, path) }
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	return w.document(f, named)
}

// Document parses a file that was read already.
func (w *Workspace) Document(f *source.File) (*lang.Document, error) { return w.document(f, false) }

func (w *Workspace) document(f *source.File, named bool) (*lang.Document, error) {
	l := w.language(f, named)
	if l == nil {
		return nil, &UnknownLanguage{Path: f.Path()}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.docs[f.Path()]; d != nil && d.Language == l && d.File.Text() == f.Text() {
		return d, nil
	}
	d := l.Parse(f)
	w.docs[f.Path()] = d
	return d, nil
}

// Config resolves the file at a path. In a session, each text is resolved only
// once.
func (w *Workspace) Config(path string) (*lang.Config, error) {
	if w.session != nil {
		return w.session.config(path)
	}
	d, err := w.Open(path)
	if err != nil {
		return nil, err
	}
	return w.Resolve(d), nil
}

// Resolve returns the meaning of a document, with the settings of its project.
func (w *Workspace) Resolve(d *lang.Document) *lang.Config { return d.Resolve(w.EnvOf(d)) }

// below returns the layers under a document, the files that are read before it
// in a layered language. They are found by the search that the language does for
// a run in the document's folder. If that search does not find the document
// itself, it has none.
func (w *Workspace) below(d *lang.Document) []*lang.Document {
	path := d.File.Path()
	files, _ := d.Language.Search(w.EnvOf(d), filepath.Dir(path)) // findings about the other files are shown when those are checked
	var lower []*lang.Document
	for _, f := range files {
		if canonical(f.Path()) == canonical(path) {
			return lower
		}
		if l, err := w.Document(f); err == nil && l.Language == d.Language {
			lower = append(lower, l)
		}
	}
	return nil
}

// Layers resolves documents, in order, as the layers of one configuration. The
// project of the last one applies.
func (w *Workspace) Layers(docs []*lang.Document) *lang.Config {
	last := len(docs) - 1
	return docs[last].Resolve(w.EnvOf(docs[last]), docs[:last]...)
}
