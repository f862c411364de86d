package web

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// fence opens files inside some folders, and nothing outside of them, whatever
// `..` and links say. The first is the folder of the page; the others are where the
// user lets included files be looked for.
type fence struct {
	dirs  []string // absolute
	roots []*os.Root
	limit int64
}

var errOutside = errors.New("it lies outside of the folder that is served")

func newFence(dirs []string) (*fence, error) {
	f := &fence{limit: source.DefaultMaxSize}
	for _, dir := range dirs {
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(full)
		if err != nil {
			f.close()
			return nil, err
		}
		f.dirs, f.roots = append(f.dirs, full), append(f.roots, root)
	}
	return f, nil
}

func (f *fence) close() {
	for _, r := range f.roots {
		r.Close()
	}
}

// Open reads a file inside.
func (f *fence) Open(path string) (*source.File, error) {
	for i := range f.roots {
		name, ok := f.name(i, path)
		if !ok {
			continue
		}
		file, err := f.roots[i].Open(name)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
				err = outside(path)
			}
			return nil, err
		}
		defer file.Close()
		info, err := file.Stat()
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a regular file")}
		}
		return source.Read(path, file, f.limit)
	}
	return nil, outside(path)
}

// inside reports whether a path is a file of the first folder that may be
// written: links must not lead out of it.
func (f *fence) inside(path string) bool {
	name, ok := f.name(0, path)
	if !ok {
		return false
	}
	_, err := f.roots[0].Stat(name) // fails where a link leads out
	return err == nil
}

// name is a path as seen from a folder.
func (f *fence) name(i int, path string) (string, bool) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	name, err := filepath.Rel(f.dirs[i], full)
	return name, err == nil && name != ".." && !strings.HasPrefix(name, ".."+string(filepath.Separator))
}

func outside(path string) error { return &fs.PathError{Op: "open", Path: path, Err: errOutside} }
