package ignore

import (
	"os"
	"path/filepath"
	"strings"
)

// Tree knows the `.gitignore` files of a repository, which each apply to their folder, and the
// patterns that the user ignores in this clone only.
type Tree struct {
	top     string // absolute: the root of the repository, or the given folder
	folders map[string]Patterns
	own     Patterns
}

// NewTree returns the tree for a folder. It ignores `.gitignore` files above the root of the
// repository; without a repository, those above the folder.
func NewTree(dir string) *Tree {
	top, ok := Repository(dir)
	if !ok {
		return &Tree{top: absolute(dir), folders: map[string]Patterns{}}
	}
	return &Tree{top: top, folders: map[string]Patterns{}, own: read(filepath.Join(gitFolder(top), "info", "exclude"))}
}

// gitFolder returns the folder with the data that all work trees of a repository share. In a
// submodule and in an additional work tree, `.git` is a file that names a folder. For an
// additional work tree, that folder contains a file with the path of the shared one.
func gitFolder(top string) string {
	dir := filepath.Join(top, ".git")
	if line, ok := strings.CutPrefix(text(dir), "gitdir: "); ok {
		dir = from(top, strings.TrimSpace(line))
	}
	if shared := strings.TrimSpace(text(filepath.Join(dir, "commondir"))); shared != "" {
		dir = from(dir, shared)
	}
	return dir
}

// from returns a path unchanged if it is absolute, else joined to dir.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Repository returns the root of the repository that contains a folder, as an absolute path.
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

// Ignores reports whether a file or folder is ignored. It does not check the folders above it,
// because a walk does not enter ignored folders.
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
		if dir == t.top {
			ignored, _ := t.own.Match(filepath.ToSlash(below), folder)
			return ignored
		}
		if len(dir) <= len(t.top) || !strings.HasPrefix(dir, t.top) {
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

// maxSize is the size of the largest `.gitignore` file that is read.
const maxSize = 1 << 20

// read reads the patterns of a file.
func read(path string) Patterns {
	return Parse(text(path))
}

// text returns the contents of a file, or "" if the file cannot be read or is a pipe or a
// device.
func text(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
