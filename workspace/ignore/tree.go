package ignore

import (
	"os"
	"path/filepath"
	"strings"
)

// Tree knows the `.gitignore` files of a repository, each for its own folder.
type Tree struct {
	top     string // absolute: the root of the repository, or the folder that was asked for
	folders map[string]Patterns
}

// NewTree returns the tree that a folder lies in. Files above the root of its
// repository do not count; without a repository neither do those above the folder.
func NewTree(dir string) *Tree {
	top, ok := Repository(dir)
	if !ok {
		top = absolute(dir)
	}
	return &Tree{top: top, folders: map[string]Patterns{}}
}

// Repository is the root of the repository that a folder lies in, as an absolute path.
func Repository(dir string) (string, bool) {
	for at := absolute(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// Ignores reports whether the entry of a folder is ignored. The folders above
// it are not asked: who walks does not enter those that are ignored.
func (t *Tree) Ignores(path string, folder bool) bool {
	path = absolute(path)
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return false
		}
		if ignored, decided := t.patterns(dir).Match(filepath.ToSlash(below), folder); decided {
			return ignored
		}
		if dir == t.top || len(dir) <= len(t.top) || !strings.HasPrefix(dir, t.top) {
			return false
		}
	}
}

func (t *Tree) patterns(dir string) Patterns {
	list, known := t.folders[dir]
	if !known {
		list = read(filepath.Join(dir, ".gitignore"))
		t.folders[dir] = list
	}
	return list
}

// maxSize bounds how much of a file is read.
const maxSize = 1 << 20

// read reads a file. One that cannot be read ignores nothing, and neither does a
// pipe or a device.
func read(path string) Patterns {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return Parse(string(text))
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
