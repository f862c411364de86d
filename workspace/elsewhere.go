package workspace

import (
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/workspace/ignore"
)

// maxIndex is the largest number of files that are searched for a missing one.
const maxIndex = 50_000

// root returns the folder of a file's project: the project file's folder, else the folder
// being checked, else the repository, else the file's own folder.
func (w *Workspace) root(file string) string {
	if p := w.Project(file); p.File != nil {
		return p.Dir
	}
	w.scoping.Lock()
	defer w.scoping.Unlock()
	for _, dir := range w.walked {
		if _, ok := below(dir, file); ok {
			return dir
		}
	}
	dir := filepath.Dir(file)
	if top, ok := ignore.Repository(dir); ok {
		if short, err := filepath.Rel(canonical("."), top); err == nil && !filepath.IsAbs(dir) {
			return short
		}
		return top
	}
	return dir
}

// below returns a file's path relative to a folder, and whether the file is inside it.
func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(canonical(dir), canonical(file))
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// elsewhere finds a file of a project by the end of its path. If there are several, the
// one with the shortest path is returned.
func (w *Workspace) elsewhere(root, name string) (found, folder string, ok bool) {
	name = path.Clean(filepath.ToSlash(name))
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	project := w.scope(root, true).project
	for _, rel := range w.index(root)[path.Base(name)] {
		found := filepath.Join(root, rel)
		if !w.mayRead(project, found) {
			continue
		}
		dir, ends := strings.CutSuffix(filepath.ToSlash(canonical(found)), "/"+name) // the prefix may begin above the root of the project
		if folder, err := filepath.Rel(canonical(root), dir+"/"); ends && err == nil {
			return found, filepath.ToSlash(folder), true
		}
	}
	return "", "", false
}

// index returns the files below a folder by their names, with the shortest paths first.
func (w *Workspace) index(root string) map[string][]string {
	w.scoping.Lock()
	known := w.indexes[root]
	w.scoping.Unlock()
	if known != nil {
		return known
	}
	files := map[string][]string{}
	tree := ignore.NewTree(root)
	n := 0
	_ = filepath.WalkDir(root, func(at string, e fs.DirEntry, err error) error { // entries that cannot be read are skipped
		if n++; n > maxIndex {
			return fs.SkipAll
		}
		if err != nil || at != root && w.passesOver(tree, at, e) {
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if rel, ok := below(root, at); ok && !e.IsDir() {
			rel = filepath.ToSlash(rel)
			files[e.Name()] = append(files[e.Name()], rel)
		}
		return nil
	})
	for _, list := range files {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	}
	w.scoping.Lock()
	defer w.scoping.Unlock()
	if w.indexes == nil {
		w.indexes = map[string]map[string][]string{}
	}
	w.indexes[root] = files
	return files
}
