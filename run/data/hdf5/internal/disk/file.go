// Package disk is an HDF5 file as bytes at addresses.
//
// It knows where the file begins (the superblock), what of it is in use, how long it is, what its name is and
// who has it locked, and nothing of what is in it. In which order to read it:
//
//	superblock.go   where the file begins, how wide its addresses are, where its root is
//	file.go         bytes at addresses, within the bounds of the file
//	lock.go         readers and writers of several programs
//	room.go         room that is free, or will be when no reader is on its way to it
//	reserve.go      the end and the length of the file, which run ahead of what is used
//	name.go         making, closing and opening again
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

// File is bytes at addresses.
type File struct {
	W       Writer // nil when reading only
	Path    string // empty for a file that is not on disk
	Size    int64  // on disk
	End     uint64 // first address behind everything
	Commits int    // how often changes went to the file
	Failed  error  // of a write: what is in memory is no longer what is in the file, and never gets there
	// ReaderTime is how long a reader may take; 0: a second.
	ReaderTime time.Duration
	superblock

	trust    bool
	r        io.ReaderAt
	free     freeList
	pending  []Extent // given back when the changes are in the file
	waiting  []freed  // given back, and readers may be on their way to it, the oldest first
	waits    uint64   // bytes of all that
	quiet    int      // the last commit after which no other program had the file open
	ahead    ahead
	leftover bool        // behind the end there is what a killed program wrote
	new      *newName    // of a file that does not have its name yet
	kept     fs.FileInfo // the file when it was closed, where Reopen can go on from there
}

// A Writer is the file on disk; tests have one that fails.
type Writer interface {
	io.WriterAt
	Truncate(size int64) error
}

// Open opens and locks a file, and reads its superblock. It can be changed after Change.
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

// NewReader is a file of size bytes that need not be on disk. With trust, checksums are not compared: that is how
// fuzzing gets behind them.
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

// New is a file as this package makes them, whose superblock is not read: end bytes of it, from base on, are used.
func New(r io.ReaderAt, base int64, end uint64) *File {
	return &File{r: r, End: end, superblock: superblock{version: 2, Widths: field.Widths{OffsetSize: 8, LengthSize: 8}, Base: base, Extension: field.Undefined, ChunkK: defaultChunkK}}
}

// Change lets a file that Open opened for changing be changed.
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

// Read gives n bytes at an address. Bytes behind the end are an error, bytes
// that were allocated and not yet written are zero.
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

// longer reports whether a file that is only read has meanwhile become as long as
// this, and goes on with its new length.
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

// shared is a file that another program may be writing meanwhile: one on disk that is only read; else nil.
func (f *File) shared() *os.File {
	if f.W != nil {
		return nil
	}
	r, _ := f.r.(*os.File)
	return r
}

// Patience is how often a structure that makes no sense is read again: another program
// may be writing it. The file of a program that writes changes only through that program.
func (f *File) Patience() int {
	if f.shared() == nil {
		return 0
	}
	return 3
}

// ReadInto fills p with what is at an address.
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

// Cursor takes the fields of a structure of the file.
func (f *File) Cursor(p []byte) *field.Cursor { return &field.Cursor{Rest: p, Widths: &f.Widths} }

// Writable reports whether the file may be changed.
func (f *File) Writable() error {
	if f.W == nil {
		return ErrReadOnly
	}
	return nil
}

// Write puts bytes at an address.
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

// ClearEnd drops what is behind the end: new room has to be zero.
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
