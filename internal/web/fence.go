package web

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/source"
)

// fence opens files inside some folders, and nothing outside of them, whatever
// `..` and links say. The first is the folder of the page; the others are where the
// user lets included files be looked for.
type fence struct {
	dirs  []string // absolute
	roots []*os.Root
	disk  source.Disk
}

var errOutside = errors.New("it lies outside of the folder that is served")

func newFence(dirs []string, disk source.Disk) (*fence, error) {
	f := &fence{disk: disk}
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
		_, err := f.roots[i].Stat(name)
		switch {
		case err == nil:
			return f.disk.OpenIn(f.roots[i], name, path)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil, err
		}
		return nil, outside(path) // a link leads there
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
	return below(f.dirs[i], full)
}

func outside(path string) error { return &fs.PathError{Op: "open", Path: path, Err: errOutside} }
