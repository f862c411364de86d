package workspace

import (
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Leaves drops the configurations whose files are included by others in the
// list, because they are checked as a part of those.
func Leaves(list []*lang.Config) []*lang.Config {
	if len(list) < 2 {
		return list
	}
	type key struct{ language, path string }
	used := map[key]bool{}
	for _, c := range list {
		own := canonical(c.Document.File.Path())
		for _, f := range c.Files() {
			if path := canonical(f.Path()); path != own {
				used[key{c.Document.Language.Name, path}] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(c *lang.Config) bool {
		return used[key{c.Document.Language.Name, canonical(c.Document.File.Path())}]
	})
}

// Includers finds the configurations that include a document and are not
// included themselves. It reads each project once, so it is for one check only.
type Includers struct {
	workspace *Workspace
	projects  map[[2]string][]*lang.Config // by root and language
}

// NewIncluders returns an Includers for the current texts.
func (w *Workspace) NewIncluders() *Includers {
	return &Includers{workspace: w, projects: map[[2]string][]*lang.Config{}}
}

// Of returns the configurations found by the Includers that include a document.
func (i *Includers) Of(d *lang.Document) []*lang.Config {
	own := canonical(d.File.Path())
	return slices.DeleteFunc(slices.Clone(i.leaves(d)), func(c *lang.Config) bool {
		return canonical(c.Document.File.Path()) == own || !isMadeOf(c, own)
	})
}

// leaves returns the configurations of a document's project and language whose
// files are not included by others.
func (i *Includers) leaves(d *lang.Document) []*lang.Config {
	w, path := i.workspace, d.File.Path()
	key := [2]string{canonical(w.root(path)), d.Language.Name}
	if known, ok := i.projects[key]; ok {
		return known
	}
	paths := slices.DeleteFunc(w.siblings(path), func(path string) bool { return w.LanguageOf(path) != d.Language.Name })
	if len(paths) == 1 && canonical(paths[0]) == canonical(path) {
		return nil // the document is the only file, and need not be read again
	}
	var all []*lang.Config
	for _, path := range paths {
		if other, err := w.Open(path); err == nil {
			all = append(all, w.Resolve(other))
		}
	}
	i.projects[key] = Leaves(all)
	return i.projects[key]
}

// isMadeOf reports whether a configuration reads the file with this canonical
// path.
func isMadeOf(c *lang.Config, path string) bool {
	return slices.ContainsFunc(c.Files(), func(f *source.File) bool { return canonical(f.Path()) == path })
}

// siblings returns the files of a file's project. Without a project file or a
// repository, the extent of the project is unknown, so siblings returns the
// files in the same folder.
func (w *Workspace) siblings(file string) []string {
	var paths []string
	if root := w.root(file); canonical(root) == canonical(filepath.Dir(file)) && w.Project(file).File == nil {
		paths, _ = w.Entries(root) // ignore errors: a file that cannot be read includes nothing
	} else {
		paths, _ = w.walk(root)
	}
	return paths
}
