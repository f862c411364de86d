package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/index"
)

var (
	// ErrNotFound is wrapped by errors about a name that does not exist.
	ErrNotFound = errors.New("does not exist")
	// ErrExists is wrapped by errors about a name that is taken.
	ErrExists = errors.New("exists already")
	// ErrReadOnly is wrapped by errors about changing a file opened with Open.
	ErrReadOnly = disk.ErrReadOnly
	// ErrLocked is wrapped by errors about a file that another program writes.
	ErrLocked = disk.ErrLocked
)

// File is an open HDF5 file.
type File struct {
	disk    *disk.File
	objects map[uint64]*object
	shared  *sharedTable
	values  index.Values
	open    openChunk
	packer  packer
	headers uint64    // bytes of all object headers read so far; in a valid file they do not overlap, so their sum is limited
	entries uint64    // number of links, attributes and chunks in memory; the size of the file limits it
	changes []*object // objects whose changed headers are not in the file yet
}

// Is reports whether a file begins like an HDF5 file. It does not find one after a user block.
func Is(r io.ReaderAt) bool { return disk.Is(r) }

// Create makes an empty file, which may replace an existing file if no other program writes it. It has the name
// `PATH.partial` until Flush or Close completes it.
func Create(path string) (*File, error) { return makeFile(path, false) }

// CreateOrdered is Create for a file whose groups and datasets keep the creation order of links and attributes.
func CreateOrdered(path string) (*File, error) { return makeFile(path, true) }

func makeFile(path string, ordered bool) (*File, error) {
	d, err := disk.Create(path)
	if err != nil {
		return nil, err
	}
	f := newFile(d)
	d.Root = f.newGroup(ordered).addr
	return f, nil
}

// Open opens a file for reading.
func Open(path string) (*File, error) { return open(path, os.O_RDONLY) }

// OpenRW opens a file for reading and changing.
func OpenRW(path string) (*File, error) { return open(path, os.O_RDWR) }

func open(path string, mode int) (*File, error) {
	d, err := disk.Open(path, mode)
	if err != nil {
		return nil, err
	}
	f, err := start(d)
	if err == nil && mode != os.O_RDONLY {
		err = d.Change()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, d.Close(err, nil))
	}
	return f, nil
}

// NewReader reads a file of size bytes that need not be on disk. Close closes r if r is an io.Closer.
func NewReader(r io.ReaderAt, size int64) (*File, error) {
	d, err := disk.NewReader(r, size, false)
	if err != nil {
		return nil, err
	}
	return start(d)
}

func newFile(d *disk.File) *File {
	return &File{disk: d, objects: map[uint64]*object{}, values: index.Values{File: d}}
}

// start reads what every access needs: the superblock's extension and the root group.
func start(d *disk.File) (*File, error) {
	f := newFile(d)
	if err := f.readExtension(); err != nil {
		return nil, err
	}
	if _, err := f.object(d.Root); err != nil {
		return nil, fmt.Errorf("root group: %w", err)
	}
	return f, nil
}

// readExtension reads the parts of the superblock's extension that reading depends on.
func (f *File) readExtension() error {
	if f.disk.Extension == field.Undefined {
		return nil
	}
	o, err := f.object(f.disk.Extension)
	if err != nil {
		return fmt.Errorf("superblock extension: %w", err)
	}
	for _, m := range o.messages {
		c := f.disk.Cursor(m.body)
		switch m.kind {
		case msgBtreeK:
			c.Skip(1)
			f.disk.ChunkK = max(1, int(c.U16()))
		case msgSharedTable:
			c.Skip(1)
			addr, n := c.Addr(), int(c.U8())
			if c.Err == nil {
				if f.shared, err = readSharedTable(f.disk, addr, n); err != nil {
					return fmt.Errorf("shared message table: %w", err)
				}
			}
		}
	}
	return nil
}

// count adds n to the number of entries kept in memory. In a damaged file, all objects may point to one table, whose
// entries would then be kept many times.
func (f *File) count(n int) error {
	if f.entries += uint64(n); f.entries > f.disk.End {
		return errors.New("objects share data that each should have separately")
	}
	return nil
}

// Root returns the root group.
func (f *File) Root() *Group { return &Group{Object{f.objects[f.disk.Root], "/"}} }

// Path returns the name under which the file was opened or made, or "" if it had none.
func (f *File) Path() string { return f.disk.Path }

// DiskPath returns the current path of the file's bytes: a new file gets its name only when it is complete.
func (f *File) DiskPath() string { return f.disk.Place() }

// Fail records that another process could not write its part. The file is not changed any more, and Close leaves it
// as it was when it was last complete.
func (f *File) Fail(err error) { f.disk.Failed = err }

// Flush writes everything that is still in memory to the file. Afterwards the file is complete, and a new file has its name.
//
// At each write, the program may be killed, the disk may be full, or a reader may come. So nothing that the file
// refers to is overwritten, except the stubs of existing objects. Each of them is overwritten last, with one write
// that cannot be torn:
//
//	data, new objects, indexes, continuations   in free space: nothing refers to it
//	the length of the file
//	the superblock                              with the new end and the same root
//	existing headers                            each object is the old or the new one
//
// After all headers are written, the space that the old headers referred to is kept until its readers are gone.
//
// If a write of data or an earlier Flush failed, the file is not changed any more: it stays as it was when it was
// last complete, and can be opened again.
func (f *File) Flush() error {
	if f.disk.W == nil {
		return nil
	}
	if f.disk.Failed != nil {
		return f.disk.Failed
	}
	if len(f.changes) > 0 {
		if err := f.commit(); err != nil {
			f.disk.Failed = err
			return err
		}
	}
	return f.disk.Publish()
}

// rewritten is the new header of an existing object.
type rewritten struct {
	o     *object
	bytes []byte
}

func (f *File) commit() error {
	f.forgetFreeSpace()
	if err := f.values.Flush(); err != nil {
		return err
	}
	var headers []rewritten
	for _, o := range f.changes {
		if o.deleted {
			continue
		}
		b, err := o.layOut()
		if err != nil {
			return err
		}
		if !o.fresh {
			headers = append(headers, rewritten{o, b})
		} else if err := f.disk.Write(o.addr, b); err != nil {
			return err
		}
	}
	if err := f.disk.Announce(); err != nil {
		return err
	}
	slices.SortFunc(headers, f.order)
	for _, h := range headers {
		if err := f.disk.Write(h.o.addr, h.bytes); err != nil {
			return err
		}
	}
	for _, o := range f.changes {
		o.dirty, o.fresh, o.unlinked = false, false, false
	}
	f.changes = f.changes[:0]
	f.disk.Committed()
	return nil
}

// order compares headers by the order in which they are written. The superblock's extension is first, because its
// list of free space must not be used with a later end of the file. An object that lost a name is last: an object
// with too high a count of names is never freed by other programs, one with too low a count could be.
func (f *File) order(a, b rewritten) int {
	rank := func(o *object) int {
		switch {
		case o.addr == f.disk.Extension:
			return 0
		case o.unlinked:
			return 2
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a.o), rank(b.o)), cmp.Compare(a.o.addr, b.o.addr))
}

// forgetFreeSpace removes the list of free space from a file that has one, because it describes an old end of the file.
func (f *File) forgetFreeSpace() {
	if ext := f.objects[f.disk.Extension]; ext != nil && ext.has(msgFileSpace) {
		ext.remove(msgFileSpace)
	}
}

// Close flushes and closes the file. A new file that cannot be completed is removed, and the file that it was to
// replace stays.
func (f *File) Close() error { return f.disk.Close(f.Flush(), f.disk.Trim) }

// maxKept is the number of objects above which a closed file keeps no objects in memory.
const maxKept = 4096

// Pause flushes and closes the file until Reopen, which continues with the state in memory. Other programs can read
// and change the file meanwhile. Close must close it the last time, because it truncates the file to the length that
// it needs.
func (f *File) Pause() error {
	return f.disk.Close(f.Flush(), func() error {
		if f.disk.Keep() {
			if len(f.objects) > maxKept {
				maps.DeleteFunc(f.objects, func(addr uint64, _ *object) bool { return addr != f.disk.Root && addr != f.disk.Extension })
				f.headers, f.entries = 0, 0
			}
			f.open, f.packer = openChunk{}, packer{}
		}
		return nil
	})
}

// Ahead reports whether a file that Pause closed is longer than it needs to be.
func (f *File) Ahead() bool { return f.disk.Ahead() }

// Reopen opens a file that Pause closed, for changing it again. If no other program has changed it since, it need
// not be read, and released space can be reused; otherwise Reopen does the same as OpenRW. Groups and datasets that
// were opened before must not be used any more.
func (f *File) Reopen() (*File, error) {
	same, err := f.disk.Reopen()
	if err != nil {
		return nil, err
	}
	if !same {
		return OpenRW(f.Path())
	}
	return f, nil
}
