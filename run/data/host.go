package data

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Host is what a store and its plugins touch of the world outside. Nil fields
// are the real thing.
type Host struct {
	Dir     string // folder that file names are relative to; empty means the current one
	Console io.Writer
	Open    func(name string, flag int, perm fs.FileMode) (File, error)
	Now     func() time.Time
	Wrote   func(path string) // hears of files that a plugin writes past Open; may be nil
}

// File is what plugins need of a file; *os.File is one.
type File interface {
	io.Writer
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
}

func (h *Host) fill() {
	if h.Console == nil {
		h.Console = os.Stdout
	}
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Open == nil {
		h.Open = func(name string, flag int, perm fs.FileMode) (File, error) {
			return os.OpenFile(h.Path(name), flag, perm)
		}
	}
}

// Path is where the file of a name is.
func (h *Host) Path(name string) string {
	if h.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(h.Dir, name)
}
