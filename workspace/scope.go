package workspace

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

// scope has what is the same for all files of one project.
type scope struct {
	project   *project.Project
	languages []*lang.Language
}

// scope returns the scope of a file or, if folder is set, of the files in a
// folder.
func (w *Workspace) scope(path string, folder bool) *scope {
	if w.Projects == nil {
		return &scope{&project.Project{}, w.Languages}
	}
	p := w.Projects.Of(path, folder)
	w.scoping.Lock()
	defer w.scoping.Unlock()
	if i := slices.IndexFunc(w.scopes, func(s *scope) bool { return s.project == p }); i >= 0 {
		return w.scopes[i]
	}
	s := &scope{p, w.Languages}
	if dirs := w.inside(p); len(dirs) > 0 {
		p.Confine(dirs)
	}
	if w.Configure != nil {
		s.languages = w.Configure(p)
	}
	w.scopes = append(w.scopes, s)
	return s
}

// inside returns the folders of a project that may be read. If there are none,
// everything may be read.
func (w *Workspace) inside(p *project.Project) []string {
	if len(w.Inside) > 0 {
		return w.Inside
	}
	var dirs []string
	for _, path := range p.Inside {
		dirs = append(dirs, path.Name)
	}
	return dirs
}

// opener returns an opener that opens only files that may be read in a project.
func (w *Workspace) opener(p *project.Project) source.Opener {
	if dirs := w.inside(p); len(dirs) > 0 {
		return source.Inside{Dirs: dirs, Under: w.Env.Opener}
	}
	return w.Env.Opener
}

// mayRead reports whether a file may be read in a project.
func (w *Workspace) mayRead(p *project.Project, path string) bool {
	dirs := w.inside(p)
	return len(dirs) == 0 || source.Inside{Dirs: dirs}.Holds(path)
}

// Confined reports whether a file may only use files in certain folders.
func (w *Workspace) Confined(path string) bool {
	return len(w.inside(w.scope(path, false).project)) > 0
}

// Project returns the project of a file.
func (w *Workspace) Project(path string) *project.Project { return w.scope(path, false).project }

// IsProject reports whether a path is a project file. If so, it reads the file.
func (w *Workspace) IsProject(path string) bool {
	return w.Projects != nil && w.Force == nil && filepath.Base(path) == project.FileName && w.Project(path).File != nil
}

// Forget makes the workspace read project files again, after a project file or
// a file that it names has changed.
func (w *Workspace) Forget() {
	if w.Projects == nil {
		return
	}
	w.Projects.Forget()
	w.scoping.Lock()
	defer w.scoping.Unlock()
	w.scopes, w.indexes = nil, nil
}

// Problems returns the findings about the project files read so far.
func (w *Workspace) Problems() diag.List {
	w.scoping.Lock()
	defer w.scoping.Unlock()
	var list diag.List
	for _, s := range w.scopes {
		list = append(list, s.project.Problems()...)
	}
	return list
}

// EnvOf returns the environment of a document: the workspace's environment with
// the settings of the document's project.
func (w *Workspace) EnvOf(d *lang.Document) *load.Env {
	p := w.scope(d.File.Path(), false).project
	env := *w.Env
	if dialect, ok := p.Dialect(d.Language.Name); ok && !w.FixedDialect {
		env.Dialect = dialect
	}
	outside := w.Env.Getenv
	if dirs := w.inside(p); len(dirs) > 0 {
		env.Opener, env.Confined, outside = w.opener(p), true, w.known
	}
	env.Lookup = func(name string) (string, bool) {
		if value, ok := outside(name); ok {
			return value, true
		}
		return p.Getenv(name)
	}
	env.Elsewhere = func(name string) (string, string, bool) {
		return w.elsewhere(w.root(d.File.Path()), name)
	}
	env.Names = func() []string { return slices.Sorted(maps.Keys(w.index(w.root(d.File.Path())))) }
	env.Review = func(list diag.List) diag.List {
		return p.Review(newSilences(w, d.Language).apply(list))
	}
	return &env
}

// known replaces Getenv if the environment variables of this machine must not
// be read.
func (w *Workspace) known(name string) (string, bool) {
	if w.Known == nil {
		return "", false
	}
	return w.Known(name)
}

// language returns the language of a file. If named is set, the user named the
// file, and the file name alone may decide.
func (w *Workspace) language(f *source.File, named bool) *lang.Language {
	s := w.scope(f.Path(), false)
	if w.Force != nil {
		return s.byName(w.Force)
	}
	if w.session != nil {
		if l := w.session.assigned[filepath.Clean(f.Path())]; l != nil {
			return s.byName(l)
		}
	}
	switch name := s.project.Language(f.Path()); {
	case name == project.NoLanguage && !named:
		return nil
	case name != "" && name != project.NoLanguage:
		return s.named(name)
	case named:
		return lang.Named(s.languages, f)
	}
	return lang.Detect(s.languages, f)
}

// byName returns a language with the configuration of the project.
func (s *scope) byName(l *lang.Language) *lang.Language {
	if own := s.named(l.Name); own != nil {
		return own
	}
	return l
}

func (s *scope) named(name string) *lang.Language {
	if i := slices.IndexFunc(s.languages, func(l *lang.Language) bool { return l.Name == name }); i >= 0 {
		return s.languages[i]
	}
	return nil
}
