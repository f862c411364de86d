package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pentode-dev/pentode/core/source"
)

// Fence opens only files inside some folders, even if a path has `..` or links.
// The first folder is the folder of the page; in the others, included files
// are searched for.
type Fence struct {
	dirs  []string // absolute
	roots []*os.Root
	disk  source.Disk
}

var errOutside = errors.New("it is outside of the served folder")

// NewFence opens the folders. Close releases them.
func NewFence(dirs []string, disk source.Disk) (*Fence, error) {
	f := &Fence{disk: disk}
	for _, dir := range dirs {
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(full)
		if err != nil {
			f.Close()
			return nil, err
		}
		f.dirs, f.roots = append(f.dirs, full), append(f.roots, root)
	}
	return f, nil
}

// Close closes the folders.
func (f *Fence) Close() {
	for _, r := range f.roots {
		r.Close()
	}
}

// Open reads a file inside.
func (f *Fence) Open(path string) (*source.File, error) {
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
		return nil, Outside(path) // a link leads outside
	}
	return nil, Outside(path)
}

// Inside reports whether a path is a file of the first folder that may be
// written: links must not lead outside.
func (f *Fence) Inside(path string) bool {
	name, ok := f.name(0, path)
	if !ok {
		return false
	}
	_, err := f.roots[0].Stat(name) // fails if a link leads outside
	return err == nil
}

// name returns a path relative to a folder.
func (f *Fence) name(i int, path string) (string, bool) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	return below(f.dirs[i], full)
}

// Outside returns the error for a path outside of the folders.
func Outside(path string) error { return &fs.PathError{Op: "open", Path: path, Err: errOutside} }

// Bytes opens a file of the first folder that is read in parts, with its size.
func (f *Fence) Bytes(path string) (*os.File, int64, error) {
	name, ok := f.name(0, path)
	if !ok {
		return nil, 0, NotFound(source.Explain(path, Outside(path)))
	}
	// A pipe must not wait for a writer.
	file, err := f.roots[0].OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if !f.Inside(path) && !os.IsNotExist(err) {
			err = Outside(path) // a link leads outside
		}
		return nil, 0, NotFound(source.Explain(path, err))
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, 0, NotFound("`" + path + "` is not a file")
	}
	return file, info.Size(), nil
}

// Within returns a path relative to the first folder if it is that folder or lies in it, after resolving links in both.
func (f *Fence) Within(path string) (name string, ok bool) {
	if name, ok = below(f.dirs[0], path); ok {
		return name, ok
	}
	return below(resolved(f.dirs[0]), resolved(path))
}

// resolved returns a path without links; a missing path is returned unchanged.
func resolved(path string) string {
	if plain, err := filepath.EvalSymlinks(path); err == nil {
		return plain
	}
	return path
}

// below returns a path relative to a folder if it is that folder or lies in it.
func below(dir, path string) (name string, ok bool) {
	name, err := filepath.Rel(dir, path)
	return name, err == nil && name != ".." && !strings.HasPrefix(name, ".."+string(filepath.Separator))
}
