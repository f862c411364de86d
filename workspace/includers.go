package workspace

import (
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Leaves leaves out the files that others of the list are made of: those are
// checked as a part of the files that include them.
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

// Includers finds the configurations of its project that a document is a part
// of, without those that are themselves parts of others. What it reads of a
// project it reads once: it is for one check.
type Includers struct {
	workspace *Workspace
	projects  map[[2]string][]*lang.Config // by root and language
}

// NewIncluders returns a finder for the texts as they are now.
func (w *Workspace) NewIncluders() *Includers {
	return &Includers{workspace: w, projects: map[[2]string][]*lang.Config{}}
}

// Of are the configurations that a document is a part of; none where it stands alone.
func (i *Includers) Of(d *lang.Document) []*lang.Config {
	own := canonical(d.File.Path())
	return slices.DeleteFunc(slices.Clone(i.leaves(d)), func(c *lang.Config) bool {
		return canonical(c.Document.File.Path()) == own || !isMadeOf(c, own)
	})
}

// leaves are the configurations of a document's project, in its language, that
// stand alone.
func (i *Includers) leaves(d *lang.Document) []*lang.Config {
	w, path := i.workspace, d.File.Path()
	key := [2]string{canonical(w.root(path)), d.Language.Name}
	if known, ok := i.projects[key]; ok {
		return known
	}
	paths := slices.DeleteFunc(w.siblings(path), func(path string) bool { return w.LanguageOf(path) != d.Language.Name })
	if len(paths) == 1 && canonical(paths[0]) == canonical(path) {
		return nil // it is alone, and need not be read again
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

// isMadeOf reports whether a configuration reads the file at a canonical path.
func isMadeOf(c *lang.Config, path string) bool {
	return slices.ContainsFunc(c.Files(), func(f *source.File) bool { return canonical(f.Path()) == path })
}

// siblings are the files of the project that a file belongs to. Without a
// project file and a repository, they are those of its folder: nothing says how
// far the project would reach.
func (w *Workspace) siblings(file string) []string {
	var paths []string
	if root := w.root(file); canonical(root) == canonical(filepath.Dir(file)) && w.Project(file).File == nil {
		paths, _ = w.Entries(root) // what cannot be read includes nothing
	} else {
		paths, _ = w.walk(root)
	}
	return paths
}
