package data

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
)

// Host describes how a store and its plugins use the operating system. A nil field stands
// for the real system.
type Host struct {
	Dir     string // the folder for results; empty: the current folder
	Fenced  bool   // nothing may be written outside Dir
	Console io.Writer
	Open    func(name string, flag int, perm fs.FileMode) (File, error)
	Now     func() time.Time
	Wrote   func(path string) // called for each file that a plugin writes without calling Open; may be nil
	Memory  Memory
	Seal    *seal.Maker // adds a record of what produced a file ("seal") to each file; nil: no records are added
}

// Memory allocates the values that a store makes and keeps. The zero value uses Go's
// heap, and pointers may lead only to memory that the store knows.
//
// With a program in another language, memory changes owners: the program receives memory
// from Alloc, and hands over memory of its own, which the store passes to Free. So Alloc
// and Free must use the program's own allocator.
type Memory struct {
	Alloc  func(size int64) []byte // zeroed; nil if there is no more memory
	Free   func([]byte)            // called when nothing refers to the memory any more
	Follow func(at uint64, size int64) []byte
}

// alloc allocates memory for a value.
func (m *Memory) alloc(size int64) ([]byte, error) {
	if m.Alloc == nil {
		return make([]byte, size), nil
	}
	b := m.Alloc(size)
	if b == nil {
		return nil, Errorf(StatusSystem, nil, "not enough memory for a value of %d bytes", size)
	}
	return b, nil
}

// File is the interface that plugins use for files. *os.File implements it.
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
			path := h.Path(name)
			if flag != os.O_RDONLY {
				var err error
				if path, err = h.OutPath(name); err != nil {
					return nil, err
				}
			}
			return os.OpenFile(path, flag, perm)
		}
	}
}

// OutPath returns the path at which a file with the given name has to be written. If
// writing is limited to the folder for results (Fenced) and the name leads out of it,
// OutPath returns an error.
func (h *Host) OutPath(name string) (string, error) {
	return outfile.Folder{Dir: h.Dir, Fenced: h.Fenced}.Path(name)
}

// Path returns the path from which a file with the given name has to be read: in the
// folder for results if the file exists there, else in the current folder, which contains
// the inputs of a run.
func (h *Host) Path(name string) string {
	if h.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	path := filepath.Join(h.Dir, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return path
}
