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

// Walk returns the sorted paths of the files below a folder that some language
// claims by name (or by content, if the name does not decide). It skips hidden
// folders and everything that .gitignore or the project excludes. It lists folders
// that cannot be read, so that opening them returns the error.
func (w *Workspace) Walk(dir string) ([]string, error) {
	w.scoping.Lock()
	w.walked = append(w.walked, dir)
	w.scoping.Unlock()
	paths, err := w.walk(dir)
	if err == nil {
		w.tellProjects(dir, paths)
	}
	return paths, err
}

// tellProjects passes the files found in a folder to the projects of these files.
func (w *Workspace) tellProjects(dir string, paths []string) {
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
		dir += string(filepath.Separator) // with the separator, the walk follows a link to a folder
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

// Entries returns the paths of the files directly in a folder that Walk would
// include.
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

// passesOver reports whether a walk skips an entry of a folder.
func (w *Workspace) passesOver(tree *ignore.Tree, path string, e fs.DirEntry) bool {
	if e.IsDir() && strings.HasPrefix(e.Name(), ".") {
		return true
	}
	return !w.NoIgnore && (tree.Ignores(path, e.IsDir()) || w.scope(path, false).project.Excludes(path, e.IsDir()))
}

// canonical returns one path for a file, the same for every way to write it.
func canonical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// isFile reports whether an entry of a folder is a regular file, which can be read
// to its end, unlike a pipe. It returns true for a broken link, so that the link
// is reported.
func isFile(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// Claims reports whether some language claims a file by its name or, if the name
// does not decide, by its content.
func (w *Workspace) Claims(path string) bool { return w.claimant(path) != nil }

// LanguageOf returns the name of a file's language without reading all of the
// file, or "".
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
		return s.named(name) // nil if the project says that the file has no language
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

// readHead returns the beginning of a file, to detect its language.
func readHead(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	// The file may have become a pipe, and opening it must not wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, lang.SniffBytes))
	return string(head)
}
