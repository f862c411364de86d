package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var (
	// ErrNotFound is wrapped by errors about a name that does not exist.
	ErrNotFound = errors.New("does not exist")
	// ErrExists is wrapped by errors about a name that is taken.
	ErrExists = errors.New("exists already")
	// ErrReadOnly is wrapped by errors about changing a file opened with Open.
	ErrReadOnly = errors.New("file is open for reading only")
	// ErrLocked is wrapped by errors about a file that another program writes.
	ErrLocked = errors.New("another program is writing the file; try again when it has closed it")
)

// File is an open HDF5 file.
type File struct {
	r       io.ReaderAt
	w       writer // nil when reading only
	path    string // empty where there is none
	size    int64  // of the file on disk
	sb      superblock
	end     uint64 // first address behind everything
	objects map[uint64]*object
	shared  *sharedTable
	heaps   map[uint64]globalCollection
	filling *openHeap // nil: no value waits to be written
	open    openChunk
	packer  packer
	headers uint64 // bytes of all object headers read: they do not overlap
	heap    uint64 // bytes of all global heaps read, likewise
	entries uint64 // links, attributes and chunks in memory: each has a place of its own in the file
	trust   bool   // checksums are not compared: how fuzzing gets behind them

	changes  []*object // whose headers are not yet in the file
	free     freeList
	pending  []extent // given back when the changes are in the file
	waiting  []freed  // given back, and readers may be on their way to it, the oldest first
	waits    uint64   // bytes of all that
	commits  int      // how often changes went to the file
	quiet    int      // the last commit after which no other program had the file open
	ahead    ahead
	leftover bool        // behind the end there is what a killed program wrote
	failed   error       // of a write: what is in memory is no longer what is in the file, and never gets there
	new      *newName    // of a file that does not have its name yet
	kept     fs.FileInfo // the file when it was closed, where Reopen can go on from there
}

// A writer is the file on disk; tests have one that fails.
type writer interface {
	io.WriterAt
	Truncate(size int64) error
}

// Open opens a file for reading.
func Open(path string) (*File, error) { return open(path, os.O_RDONLY) }

// OpenRW opens a file for reading and changing.
func OpenRW(path string) (*File, error) { return open(path, os.O_RDWR) }

func open(path string, mode int) (*File, error) {
	w, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return nil, err
	}
	var st fs.FileInfo
	if err = lock(w, mode != os.O_RDONLY); err == nil {
		st, err = w.Stat()
	}
	if err == nil {
		var f *File
		if f, err = NewReader(w, st.Size()); err == nil {
			if f.path = path; mode == os.O_RDONLY {
				return f, nil
			}
			if err = f.writeTo(w); err == nil {
				return f, nil
			}
		}
	}
	w.Close()
	return nil, fmt.Errorf("%s: %w", path, err)
}

// writeTo lets a file that was opened be changed.
func (f *File) writeTo(w writer) error {
	if f.sb.offsetSize != 8 || f.sb.lengthSize != 8 {
		return fmt.Errorf("file has addresses of %d and lengths of %d bytes; only files with 8 can be changed", f.sb.offsetSize, f.sb.lengthSize)
	}
	f.w = w
	if end := f.sb.end - uint64(f.sb.base); f.sb.end != undefined && end < f.end {
		f.end, f.leftover = end, true
	}
	f.ahead.need = f.sb.base + int64(f.end)
	return nil
}

// NewReader reads a file of size bytes that need not be on disk. Close closes
// r where it can be closed.
func NewReader(r io.ReaderAt, size int64) (*File, error) {
	f := newFile(r, size)
	if err := f.start(); err != nil {
		return nil, err
	}
	return f, nil
}

// start reads what every access needs: superblock, its extension, root group.
func (f *File) start() error {
	if err := f.readSuperblock(); err != nil {
		return err
	}
	f.end = uint64(f.size - f.sb.base)
	if f.sb.end != undefined && f.sb.end > uint64(f.size) && !f.longer(f.sb.end) {
		return fmt.Errorf("file has %d bytes, expected %d: it was cut", f.size, f.sb.end)
	}
	if err := f.readExtension(); err != nil {
		return err
	}
	if _, err := f.object(f.sb.root); err != nil {
		return fmt.Errorf("root group: %w", err)
	}
	return nil
}

// longer reports whether a file that is only read has meanwhile become as long as
// this, and goes on with its new length.
func (f *File) longer(size uint64) bool {
	r, ok := f.r.(*os.File)
	if !ok || f.w != nil {
		return false
	}
	info, err := r.Stat()
	if err != nil || info.Size() <= f.size || uint64(info.Size()) < size {
		return false
	}
	f.size = info.Size()
	f.end = uint64(f.size - f.sb.base)
	return true
}

func newFile(r io.ReaderAt, size int64) *File {
	return &File{r: r, size: size, objects: map[uint64]*object{}, heaps: map[uint64]globalCollection{}}
}

// readExtension takes from the superblock's extension what reading depends on.
func (f *File) readExtension() error {
	if f.sb.extension == undefined {
		return nil
	}
	o, err := f.object(f.sb.extension)
	if err != nil {
		return fmt.Errorf("superblock extension: %w", err)
	}
	for _, m := range o.messages {
		c := &cursor{b: m.body, sb: &f.sb}
		switch m.kind {
		case msgBtreeK:
			c.skip(1)
			f.sb.chunkK = max(1, int(c.u16()))
		case msgSharedTable:
			c.skip(1)
			addr, n := c.addr(), int(c.u8())
			if c.err == nil {
				if f.shared, err = f.readSharedTable(addr, n); err != nil {
					return fmt.Errorf("shared message table: %w", err)
				}
			}
		}
	}
	return nil
}

// Root is the group that holds everything.
func (f *File) Root() *Group { return &Group{Object{f.objects[f.sb.root], "/"}} }

// read gives n bytes at an address. Bytes behind the end are an error, bytes
// that were allocated and not yet written are zero.
func (f *File) read(addr uint64, n int) ([]byte, error) {
	if n < 0 || !f.inside(addr, uint64(n)) {
		return nil, fmt.Errorf("%d bytes at address %#x are outside the file", n, addr)
	}
	p := make([]byte, n)
	return p, f.readInto(addr, p)
}

// inside reports whether n bytes at an address are in the file.
func (f *File) inside(addr, n uint64) bool {
	in := func() bool { return n <= f.end && addr <= f.end-n }
	return in() || addr < 1<<62 && n < 1<<62 && f.longer(uint64(f.sb.base)+addr+n) && in()
}

func (f *File) readInto(addr uint64, p []byte) error {
	if !f.inside(addr, uint64(len(p))) {
		return fmt.Errorf("%d bytes at address %#x are outside the file", len(p), addr)
	}
	n, err := f.r.ReadAt(p, f.sb.base+int64(addr))
	if n < len(p) && errors.Is(err, io.EOF) {
		clear(p[n:])
		err = nil
	}
	if n == len(p) {
		err = nil
	}
	return err
}

// readChecked reads a structure that starts with sig and ends with its checksum.
func (f *File) readChecked(addr uint64, n int, sig string) (*cursor, error) {
	p, err := f.read(addr, n)
	if err != nil {
		return nil, err
	}
	if n < len(sig)+4 || string(p[:len(sig)]) != sig {
		return nil, fmt.Errorf("address %#x has no `%s`", addr, sig)
	}
	if !f.trust && lookup3(p[:n-4]) != le32(p[n-4:]) {
		return nil, fmt.Errorf("`%s` at address %#x has a wrong checksum", sig, addr)
	}
	return &cursor{b: p[len(sig) : n-4], sb: &f.sb, took: len(sig)}, nil
}

// count notes that n more entries of the file are kept in memory. Objects of a
// damaged file may all point to one table, whose entries would then be kept many times.
func (f *File) count(n int) error {
	if f.entries += uint64(n); f.entries > f.end {
		return errors.New("objects share what each should have for itself")
	}
	return nil
}

func (f *File) write(addr uint64, p []byte) error {
	if err := f.clearEnd(); err != nil {
		return err
	}
	at := f.sb.base + int64(addr)
	if _, err := f.w.WriteAt(p, at); err != nil {
		f.failed = cmp.Or(f.failed, err)
		return err
	}
	f.size = max(f.size, at+int64(len(p)))
	return nil
}

// clearEnd drops what is behind the end: new room has to be zero.
func (f *File) clearEnd() error {
	if !f.leftover {
		return nil
	}
	if err := f.resize(int64(f.sb.end)); err != nil {
		return err
	}
	f.leftover = false
	return nil
}

func (f *File) resize(size int64) error {
	err := f.w.Truncate(size)
	if err != nil {
		f.failed = cmp.Or(f.failed, err)
		return err
	}
	f.size = size
	return nil
}

func (f *File) writable() error {
	if f.w == nil {
		return ErrReadOnly
	}
	return nil
}
