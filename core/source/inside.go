package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrOutside is the error of a file outside of the folders that may be read.
var ErrOutside = errors.New("it is outside of what may be read")

// Inside opens what lies in one of some folders, wherever links lead, and
// nothing else. Whether something is there outside is not looked at.
type Inside struct {
	Dirs  []string
	Under Opener
}

// Open refuses what lies outside with ErrOutside.
func (o Inside) Open(path string) (*File, error) {
	if !o.Holds(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrOutside}
	}
	return o.Under.Open(path)
}

// OpenNamed refuses what lies outside although the user names it: it may be a link.
func (o Inside) OpenNamed(path string) (*File, error) {
	if path != "-" && !o.Holds(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrOutside}
	}
	return OpenNamed(o.Under, path)
}

// Holds reports whether a path lies in one of the folders.
func (o Inside) Holds(path string) bool {
	return slices.ContainsFunc(o.Dirs, func(dir string) bool { return LiesIn(dir, path) })
}

// LiesIn reports whether a path is in a folder, wherever links lead. A link
// that leads nowhere is in none: what is made there may be anywhere.
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

// withoutLinks is an absolute path without links. What is not there yet has none.
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
