package workspace

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/ignore"
)

// Walk lists the files below a folder that some language claims by name (and
// content, where the name alone does not tell), sorted. Hidden folders are passed over,
// and so is what .gitignore or the project excludes below the folder; folders
// that cannot be read are listed, so that opening them gives the error.
func (w *Workspace) Walk(dir string) ([]string, error) {
	w.scoping.Lock()
	w.walked = append(w.walked, dir)
	w.scoping.Unlock()
	paths, err := w.walk(dir)
	if err == nil {
		w.tell(dir, paths)
	}
	return paths, err
}

// tell gives the projects that lie in a folder the files that were found there.
func (w *Workspace) tell(dir string, paths []string) {
	w.scoping.Lock()
	defer w.scoping.Unlock()
	for _, s := range w.scopes {
		if p := s.project; p.File != nil {
			if _, inside := below(dir, p.Dir); inside {
				p.Walked(paths)
			}
		}
	}
}

func (w *Workspace) walk(dir string) ([]string, error) {
	var paths []string
	tree := ignore.NewTree(dir)
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		dir += string(filepath.Separator) // walk the folder that it leads to
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			paths = append(paths, path)
			return nil
		}
		if path != dir && w.passesOver(tree, path, e) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.IsDir() && isFile(path, e) && w.Claims(path) {
			paths = append(paths, path)
		}
		return nil
	})
	sort.Strings(paths)
	return paths, err
}

// Entries are the paths of the files directly in a folder that Walk would look at.
func (w *Workspace) Entries(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	tree := ignore.NewTree(dir)
	var paths []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.IsDir() && isFile(path, e) && !w.passesOver(tree, path, e) && w.Claims(path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// passesOver reports whether an entry of a folder is not looked at.
func (w *Workspace) passesOver(tree *ignore.Tree, path string, e fs.DirEntry) bool {
	if e.IsDir() && strings.HasPrefix(e.Name(), ".") {
		return true
	}
	return !w.NoIgnore && (tree.Ignores(path, e.IsDir()) || w.scope(path, false).project.Excludes(path, e.IsDir()))
}

// canonical is one name for a file, however it was written.
func canonical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// isFile reports whether an entry of a folder can be read to its end: a pipe may
// have none. A link that leads nowhere counts, so that it is reported.
func isFile(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// Claims reports whether a file is of some language, by its name and, where the
// name alone does not tell, by its content.
func (w *Workspace) Claims(path string) bool { return w.claimant(path) != nil }

// LanguageOf names the language of a file that is not read, or "".
func (w *Workspace) LanguageOf(path string) string {
	l := w.Force
	if l == nil {
		l = w.claimant(path)
	}
	if l == nil {
		return ""
	}
	return l.Name
}

func (w *Workspace) claimant(path string) *lang.Language {
	s := w.scope(path, false)
	if name := s.project.Language(path); name != "" {
		return s.named(name) // nil for files that are none of ours
	}
	head := sync.OnceValue(func() string {
		if !w.mayRead(s.project, path) {
			return ""
		}
		return readHead(path)
	})
	for _, l := range s.languages {
		if l.Claims(path, head) {
			return l
		}
	}
	return nil
}

// readHead is the beginning of a file, which tells its language.
func readHead(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	// It may be a pipe by now, whose writer must not be waited for.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, lang.SniffBytes))
	return string(head)
}
