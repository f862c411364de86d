// Package disk is an HDF5 file as bytes at addresses.
//
// It handles where the file begins (the superblock), which space is in use, how long the file is, its name, and
// who has locked it. It does not know the file's contents. Reading order:
//
//	superblock.go   where the file begins, how wide its addresses are, where its root is
//	file.go         bytes at addresses, within the bounds of the file
//	lock.go         readers and writers in several programs
//	room.go         space that is free, or will be when no reader needs it any more
//	reserve.go      the end and the length of the file, which are ahead of what is used
//	name.go         creating, closing and reopening files
package disk

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

var (
	// ErrReadOnly is wrapped by errors about changing a file opened for reading.
	ErrReadOnly = errors.New("file is open for reading only")
	// ErrLocked is wrapped by errors about a file that another program writes.
	ErrLocked = errors.New("another program is writing the file; try again when it has closed it")
)

// File is a file as bytes at addresses.
type File struct {
	W       Writer // nil when reading only
	Path    string // empty for a file that is not on disk
	Size    int64  // on disk
	End     uint64 // first address after everything in use
	Commits int    // number of commits so far
	Failed  error  // the error of a write: the state in memory differs from the file, and is never written
	// ReaderTime is the time that a reader may take; 0 means a second.
	ReaderTime time.Duration
	superblock

	trust    bool
	r        io.ReaderAt
	free     freeList
	pending  []Extent // space released by changes that are still in memory; it becomes free after they are written
	waiting  []freed  // released space that readers may still need, oldest first
	waits    uint64   // number of bytes in waiting
	quiet    int      // the number of the last commit after which no other program had the file open
	ahead    ahead
	leftover bool        // a killed program has left data after the end of the file
	new      *newName    // set while a file does not have its name yet
	kept     fs.FileInfo // the file's state when it was closed; nil: Reopen has to read it again
}

// A Writer is the file on disk; tests replace it with a failing Writer.
type Writer interface {
	io.WriterAt
	Truncate(size int64) error
}

// Open opens and locks a file, and reads its superblock. Call Change before changing it.
func Open(path string, mode int) (*File, error) {
	w, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return nil, err
	}
	var st fs.FileInfo
	if err = lock(w, mode != os.O_RDONLY); err == nil {
		st, err = w.Stat()
	}
	var f *File
	if err == nil {
		f, err = NewReader(w, st.Size(), false)
	}
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.Path = path
	return f, nil
}

// NewReader returns a File for size bytes that need not be on disk. With trust, checksums are not compared, so
// that fuzzing can test the code after them.
func NewReader(r io.ReaderAt, size int64, trust bool) (*File, error) {
	f := &File{r: r, Size: size, trust: trust}
	if err := f.readSuperblock(); err != nil {
		return nil, err
	}
	f.End = uint64(f.Size - f.Base)
	if f.Announced != field.Undefined && f.Announced > uint64(f.Size) && !f.longer(f.Announced) {
		return nil, fmt.Errorf("file has %d bytes, expected %d: it was cut", f.Size, f.Announced)
	}
	return f, nil
}

// New returns a File for a file of this package, without reading a superblock: its end is at address end, and
// address 0 is at base.
func New(r io.ReaderAt, base int64, end uint64) *File {
	return &File{r: r, End: end, superblock: superblock{version: 2, Widths: field.Widths{OffsetSize: 8, LengthSize: 8}, Base: base, Extension: field.Undefined, ChunkK: defaultChunkK}}
}

// Change allows changes of a file that Open opened for changing.
func (f *File) Change() error {
	if f.OffsetSize != 8 || f.LengthSize != 8 {
		return fmt.Errorf("file has addresses of %d and lengths of %d bytes; only files with 8 can be changed", f.OffsetSize, f.LengthSize)
	}
	f.W = f.r.(Writer)
	if end := f.Announced - uint64(f.Base); f.Announced != field.Undefined && end < f.End {
		f.End, f.leftover = end, true
	}
	f.ahead.need = f.Base + int64(f.End)
	return nil
}

// Read returns n bytes at an address. Bytes after the end are an error; allocated bytes that were not written are zero.
func (f *File) Read(addr uint64, n int) ([]byte, error) {
	if n < 0 || !f.Inside(addr, uint64(n)) {
		return nil, fmt.Errorf("%d bytes at address %#x are outside the file", n, addr)
	}
	p := make([]byte, n)
	return p, f.ReadInto(addr, p)
}

// Inside reports whether n bytes at an address are in the file.
func (f *File) Inside(addr, n uint64) bool {
	in := func() bool { return n <= f.End && addr <= f.End-n }
	return in() || addr < 1<<62 && n < 1<<62 && f.longer(uint64(f.Base)+addr+n) && in()
}

// longer reports whether a file that is open for reading has meanwhile become at least size bytes long. If so, it
// uses the new length.
func (f *File) longer(size uint64) bool {
	r := f.shared()
	if r == nil {
		return false
	}
	info, err := r.Stat()
	if err != nil || info.Size() <= f.Size || uint64(info.Size()) < size {
		return false
	}
	f.Size = info.Size()
	f.End = uint64(f.Size - f.Base)
	return true
}

// shared returns the file if another program may be writing it, which is if it is on disk and open for reading
// only; else nil.
func (f *File) shared() *os.File {
	if f.W != nil {
		return nil
	}
	r, _ := f.r.(*os.File)
	return r
}

// Patience returns how often an invalid structure is read again, because another program may be writing it. If the
// file is open for writing, only this program changes it, and Patience returns 0.
func (f *File) Patience() int {
	if f.shared() == nil {
		return 0
	}
	return 3
}

// ReadInto fills p with the bytes at an address.
func (f *File) ReadInto(addr uint64, p []byte) error {
	if !f.Inside(addr, uint64(len(p))) {
		return fmt.Errorf("%d bytes at address %#x are outside the file", len(p), addr)
	}
	n, err := f.r.ReadAt(p, f.Base+int64(addr))
	if n == len(p) || errors.Is(err, io.EOF) {
		clear(p[n:])
		return nil
	}
	return err
}

// ReadChecked reads a structure that starts with sig and ends with its checksum.
func (f *File) ReadChecked(addr uint64, n int, sig string) (*field.Cursor, error) {
	p, err := f.Read(addr, n)
	if err != nil {
		return nil, err
	}
	if n < len(sig)+4 || string(p[:len(sig)]) != sig {
		return nil, fmt.Errorf("address %#x has no `%s`", addr, sig)
	}
	if !f.trust && field.Checksum(p[:n-4]) != binary.LittleEndian.Uint32(p[n-4:]) {
		return nil, fmt.Errorf("`%s` at address %#x has a wrong checksum", sig, addr)
	}
	c := f.Cursor(p[:n-4])
	c.Skip(len(sig))
	return c, nil
}

// Cursor returns a cursor that decodes a structure of the file.
func (f *File) Cursor(p []byte) *field.Cursor { return &field.Cursor{Rest: p, Widths: &f.Widths} }

// Writable returns an error if the file may not be changed.
func (f *File) Writable() error {
	if f.W == nil {
		return ErrReadOnly
	}
	return nil
}

// Write writes bytes at an address.
func (f *File) Write(addr uint64, p []byte) error {
	if err := f.ClearEnd(); err != nil {
		return err
	}
	at := f.Base + int64(addr)
	if _, err := f.W.WriteAt(p, at); err != nil {
		f.Failed = cmp.Or(f.Failed, err)
		return err
	}
	f.Size = max(f.Size, at+int64(len(p)))
	return nil
}

// ClearEnd removes data after the end, because new space has to be zero.
func (f *File) ClearEnd() error {
	if !f.leftover {
		return nil
	}
	if err := f.resize(int64(f.Announced)); err != nil {
		return err
	}
	f.leftover = false
	return nil
}

func (f *File) resize(size int64) error {
	err := f.W.Truncate(size)
	if err != nil {
		f.Failed = cmp.Or(f.Failed, err)
		return err
	}
	f.Size = size
	return nil
}
