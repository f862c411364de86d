package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrOutside is the error for a file outside of the folders that may be read.
var ErrOutside = errors.New("it is outside the folders that may be read")

// Inside opens only files in some folders. Links must not lead out of them. For a
// path outside, it does not reveal whether the file exists.
type Inside struct {
	Dirs  []string
	Under Opener
}

// Open returns ErrOutside for a file outside.
func (o Inside) Open(path string) (*File, error) {
	if !o.Holds(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrOutside}
	}
	return o.Under.Open(path)
}

// OpenNamed also returns ErrOutside for a file that the user names, since it may be
// a link.
func (o Inside) OpenNamed(path string) (*File, error) {
	if path != "-" && !o.Holds(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrOutside}
	}
	return OpenNamed(o.Under, path)
}

// Holds reports whether a path is inside one of the folders.
func (o Inside) Holds(path string) bool {
	return slices.ContainsFunc(o.Dirs, func(dir string) bool { return LiesIn(dir, path) })
}

// LiesIn reports whether a path is inside a folder after all links are followed. A
// broken link is inside no folder, since its target could be created anywhere.
func LiesIn(dir, path string) bool {
	dir, ok := withoutLinks(dir)
	if !ok {
		return false
	}
	path, ok = withoutLinks(path)
	if !ok {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// withoutLinks returns an absolute path without links. It returns false for a
// broken link.
func withoutLinks(path string) (string, bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	var missing []string
	for {
		found, err := filepath.EvalSymlinks(path)
		if err == nil {
			for _, name := range slices.Backward(missing) {
				found = filepath.Join(found, name)
			}
			return found, true
		}
		if _, there := os.Lstat(path); there == nil || !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return "", false
		}
		missing = append(missing, filepath.Base(path))
		path = filepath.Dir(path)
	}
}
