package hdf5

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

var (
	// ErrNotFound is wrapped by errors about a name that does not exist.
	ErrNotFound = errors.New("does not exist")
	// ErrExists is wrapped by errors about a name that is taken.
	ErrExists = errors.New("exists already")
	// ErrReadOnly is wrapped by errors about changing a file opened with Open.
	ErrReadOnly = errors.New("file is open for reading only")
	// ErrLocked is wrapped by errors about a file that another program has open.
	ErrLocked = errors.New("another program has the file open, and one of the two writes; HDF5_USE_FILE_LOCKING=FALSE allows it")
)

// File is an open HDF5 file.
type File struct {
	r       io.ReaderAt
	w       writer // nil when reading only
	size    int64  // of the file on disk, when it was opened
	sb      superblock
	end     uint64 // first address that is free
	objects map[uint64]*object
	shared  *sharedTable
	heaps   map[uint64]globalCollection
	open    openChunk
	headers uint64 // bytes of all object headers read: they do not overlap
	heap    uint64 // bytes of all global heaps read, likewise
	entries uint64 // links, attributes and chunks in memory: each has a place of its own in the file
	changed bool
	trust   bool // checksums are not compared: how fuzzing gets behind them
}

// A writer is the file on disk; tests have one that fails.
type writer interface {
	io.WriterAt
	Truncate(size int64) error
}

// Create makes an empty file, in place of one that is there and that no other
// program has open.
func Create(path string) (*File, error) {
	w, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err = lock(w, true); err == nil {
		err = w.Truncate(0)
	}
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := newFile(w, 0)
	f.w = w
	f.sb = superblock{version: 2, offsetSize: 8, lengthSize: 8, extension: undefined, chunkK: defaultChunkK}
	f.end = 48
	root := f.newGroup()
	f.sb.root = root.addr
	if err := f.Flush(); err != nil {
		w.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
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
			if mode == os.O_RDONLY {
				return f, nil
			}
			if f.sb.offsetSize == 8 && f.sb.lengthSize == 8 {
				f.w = w
				return f, nil
			}
			err = fmt.Errorf("file has addresses of %d and lengths of %d bytes; only files with 8 can be changed", f.sb.offsetSize, f.sb.lengthSize)
		}
	}
	w.Close()
	return nil, fmt.Errorf("%s: %w", path, err)
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
	if f.sb.end != undefined && f.sb.end > uint64(f.size) {
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
	if n < 0 || uint64(n) > f.end || addr > f.end-uint64(n) {
		return nil, fmt.Errorf("%d bytes at address %#x are outside the file", n, addr)
	}
	p := make([]byte, n)
	return p, f.readInto(addr, p)
}

func (f *File) readInto(addr uint64, p []byte) error {
	if uint64(len(p)) > f.end || addr > f.end-uint64(len(p)) {
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
	_, err := f.w.WriteAt(p, f.sb.base+int64(addr))
	return err
}

// alloc takes n bytes behind the end of the file. Addresses are multiples of 8.
func (f *File) alloc(n uint64) uint64 {
	addr := (f.end + 7) &^ 7
	f.end = addr + n
	f.changed = true
	return addr
}

func (f *File) writable() error {
	if f.w == nil {
		return ErrReadOnly
	}
	return nil
}

// Flush writes everything that is still in memory. After it the file is complete.
func (f *File) Flush() error {
	if f.w == nil {
		return nil
	}
	addrs := make([]uint64, 0, len(f.objects))
	for addr, o := range f.objects {
		if o.dirty {
			addrs = append(addrs, addr)
		}
	}
	if len(addrs) == 0 && !f.changed {
		return nil
	}
	f.forgetFreeSpace()
	if ext := f.objects[f.sb.extension]; ext != nil && ext.dirty && !slices.Contains(addrs, ext.addr) {
		addrs = append(addrs, ext.addr)
	}
	slices.Sort(addrs)
	for _, addr := range addrs {
		if err := f.objects[addr].flush(); err != nil {
			return err
		}
	}
	if err := f.w.Truncate(f.sb.base + int64(f.end)); err != nil {
		return err
	}
	if _, err := f.w.WriteAt(f.sb.encode(f.end), f.sb.base); err != nil {
		return err
	}
	f.changed = false
	return nil
}

// forgetFreeSpace takes the list of free space from a file that keeps one:
// it describes an end of the file that is no longer there.
func (f *File) forgetFreeSpace() {
	if ext := f.objects[f.sb.extension]; ext != nil && ext.has(msgFileSpace) {
		ext.remove(msgFileSpace)
	}
}

// Close flushes and closes the file.
func (f *File) Close() error {
	err := f.Flush()
	if c, ok := f.r.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}
