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

// Host is what a store and its plugins use of the operating system. Nil fields mean the
// real system.
type Host struct {
	Dir     string // folder of results; empty means the current one
	Fenced  bool   // nothing may be written outside Dir
	Console io.Writer
	Open    func(name string, flag int, perm fs.FileMode) (File, error)
	Now     func() time.Time
	Wrote   func(path string) // is called for files that a plugin writes without Open; may be nil
	Memory  Memory
	Seal    *seal.Maker // seals files with what produced them; nil: no seals
}

// Memory allocates the values that a store makes and keeps. The zero value uses Go's
// memory, where pointers may lead only to memory known to the store.
//
// A program in another language receives such memory and gives away its own, so both must
// come from the same allocator. Free is called with memory from Alloc, or with memory
// that the program shared and released.
type Memory struct {
	Alloc  func(size int64) []byte // zeroed; nil if there is no more memory
	Free   func([]byte)            // is called when nothing refers to the memory any more
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

// OutPath returns the path at which to write the named file. It fails if the name leads
// out of a fenced folder.
func (h *Host) OutPath(name string) (string, error) {
	return outfile.Folder{Dir: h.Dir, Fenced: h.Fenced}.Path(name)
}

// Path returns the path at which to read the named file: in the folder of results if it
// exists there, else in the current folder, which has the inputs of a run.
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
