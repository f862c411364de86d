package data

import (
	"io"
	"io/fs"
	"os"
	"time"
)

// Host is what a store and its plugins touch of the world outside. Nil fields
// are the real thing.
type Host struct {
	Console io.Writer
	Open    func(name string, flag int, perm fs.FileMode) (File, error)
	Now     func() time.Time
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
			return os.OpenFile(name, flag, perm)
		}
	}
}
