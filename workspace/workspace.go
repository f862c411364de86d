// Package workspace is the one model behind every front: open documents,
// each with its language, tree and meaning, and the ways to change them.
//
// The command line opens files from disk; an editor puts texts over them. Both ask
// the same questions here, and both change files through a Draft: fixes are
// computed and checked first, and the disk gets all new texts or none. Parsing
// happens once per text. The languages are an argument; only the keys of a project file are called after some of them.
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

// Workspace opens documents of the languages it was given.
type Workspace struct {
	Languages []*lang.Language
	Env       *load.Env
	// Force is the language of every file, whatever its name says.
	Force *lang.Language

	// Projects finds project files; nil: none is read.
	Projects *project.Finder
	// Configure makes the languages as a project asks for them; nil: they are
	// the same everywhere.
	Configure    func(*project.Project) []*lang.Language
	FixedDialect bool // the dialect of Env wins over that of a project
	NoIgnore     bool // Walk looks also at what a project or .gitignore leaves out

	// Inside are the folders that may be read, whatever a project says; none: its
	// project decides. Where one of the two is given, nothing of this machine
	// is read but the files in them, and of its variables only those of Known.
	Inside []string
	Known  func(name string) (string, bool)

	session *Session // nil where every question is answered afresh

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

// As is the workspace for files that are of one language, whatever they are
// called: another file names them as such.
func (w *Workspace) As(language string) (*Workspace, error) {
	l, err := lang.ByName(w.Languages, language)
	if err != nil {
		return nil, err
	}
	own := w.With(w.Env)
	own.Force = l
	return own, nil
}

// With is a workspace that has read nothing yet, of the same languages, projects
// and limits, in another environment.
func (w *Workspace) With(env *load.Env) *Workspace {
	own := New(w.Languages, env)
	own.Force, own.Projects, own.Configure, own.FixedDialect, own.NoIgnore = w.Force, w.Projects, w.Configure, w.FixedDialect, w.NoIgnore
	own.Inside, own.Known = w.Inside, w.Known
	return own
}

// Open parses the file at a path. The error of a file over the size limit is
// a finding: see Refused.
func (w *Workspace) Open(path string) (*lang.Document, error) { return w.open(path, false) }

// OpenNamed parses a file that the user named. Where its content does not tell
// the language, its name does.
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

// Document parses a file that is already read.
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

// Config resolves a file. In a session that is done once for a text.
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

// Resolve gives the meaning of a document, as its project has it.
func (w *Workspace) Resolve(d *lang.Document) *lang.Config { return d.Resolve(w.EnvOf(d)) }

// below are the layers under a document that the search of its language finds
// in the document's folder, as a run there would. A document that the search
// does not find stands alone.
func (w *Workspace) below(d *lang.Document) []*lang.Document {
	path := d.File.Path()
	files, _ := d.Language.Search(w.EnvOf(d), filepath.Dir(path)) // what is wrong with other files is shown in them
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

// Layers resolves the documents as layers of one configuration, in order. The
// project of the last one holds.
func (w *Workspace) Layers(docs []*lang.Document) *lang.Config {
	last := len(docs) - 1
	return docs[last].Resolve(w.EnvOf(docs[last]), docs[:last]...)
}
