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

// Host is what a store and its plugins touch of the world outside. Nil fields
// are the real thing.
type Host struct {
	Dir     string // folder of results; empty means the current one
	Fenced  bool   // nothing is written outside of Dir
	Console io.Writer
	Open    func(name string, flag int, perm fs.FileMode) (File, error)
	Now     func() time.Time
	Wrote   func(path string) // hears of files that a plugin writes past Open; may be nil
	Memory  Memory
	Seal    *seal.Maker // lets files say what made them; nil: they do not
}

// Memory is where the values that a store makes and keeps lie. The zero value is
// Go's own memory, in which pointers lead only to what the store was shown.
//
// A program in another language receives such memory and gives some of its own
// away, so all of it must be of one kind there: what Free is called with is what
// Alloc made, or what the program shared and released.
type Memory struct {
	Alloc  func(size int64) []byte // zeroed; nil where there is no more
	Free   func([]byte)            // nothing refers to it any more
	Follow func(at uint64, size int64) []byte
}

// alloc makes memory for a value.
func (m *Memory) alloc(size int64) ([]byte, error) {
	if m.Alloc == nil {
		return make([]byte, size), nil
	}
	b := m.Alloc(size)
	if b == nil {
		return nil, Errorf(StatusSystem, nil, "there is no memory for a value of %d bytes", size)
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

// OutPath is where a file of a name is written. The error is about a name that
// leads out of a fenced folder.
func (h *Host) OutPath(name string) (string, error) {
	return outfile.Folder{Dir: h.Dir, Fenced: h.Fenced}.Path(name)
}

// Path is where the file of a name is read: among the results, else in the current
// folder, where what a run is given lies.
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
