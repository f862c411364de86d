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
	headers uint64    // bytes of all object headers read: they do not overlap
	entries uint64    // links, attributes and chunks in memory: each has a place of its own in the file
	changes []*object // whose headers are not yet in the file
}

// Is reports whether a file begins as files of HDF5 do. One behind a user block does not.
func Is(r io.ReaderAt) bool { return disk.Is(r) }

// Create makes an empty file, in place of one that is there and that no other
// program writes. It has the name `PATH.partial`, and its own name when Flush
// or Close made it complete.
func Create(path string) (*File, error) { return makeFile(path, false) }

// CreateOrdered is Create of a file whose groups and datasets keep the order in which links and attributes are made.
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

// NewReader reads a file of size bytes that need not be on disk. Close closes
// r where it can be closed.
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

// start reads what every access needs: the superblock's extension, the root group.
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

// readExtension takes from the superblock's extension what reading depends on.
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

// count notes that n more entries of the file are kept in memory. Objects of a
// damaged file may all point to one table, whose entries would then be kept many times.
func (f *File) count(n int) error {
	if f.entries += uint64(n); f.entries > f.disk.End {
		return errors.New("objects share what each should have for itself")
	}
	return nil
}

// Root is the group that holds everything.
func (f *File) Root() *Group { return &Group{Object{f.objects[f.disk.Root], "/"}} }

// Path is the name under which the file was opened or made, empty where it had none.
func (f *File) Path() string { return f.disk.Path }

// DiskPath is where the bytes of the file are now: a new file has its name when
// it is complete.
func (f *File) DiskPath() string { return f.disk.Place() }

// Fail notes that a process could not write its part: nothing of the file is
// changed any more, and Close leaves it as it was when it was last complete.
func (f *File) Fail(err error) { f.disk.Failed = err }

// Flush brings everything that is still in memory into the file. After it the
// file is complete, and a new file has its name.
//
// A program can be killed, a disk be full, and a reader come, at each write. So nothing is
// overwritten that the file refers to, but for the stubs of objects that are
// in it already, each with one write that cannot be torn, and these are last:
//
//	data, new objects, indexes, continuations   in free room: nothing refers to it
//	the length of the file
//	the superblock                              with the new end, and the same root
//	headers that are there already              each object is the old or the new one
//
// Room that the old headers refer to waits, when all of them are written, for its readers to be gone.
//
// Where a write failed, of data or in an earlier Flush, nothing more of the file
// is changed: it stays what it was when it was last complete, and can be opened again.
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

// rewritten is the new header of an object that is in the file.
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

// order is in which order headers are written. The superblock's extension is
// first, as its list of free space must not outlive the end that it describes.
// An object that lost a name is last: one that counts a name too many is not
// freed by other programs, one that counts too few could be.
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

// forgetFreeSpace takes the list of free space from a file that keeps one:
// it describes an end of the file that is no longer there.
func (f *File) forgetFreeSpace() {
	if ext := f.objects[f.disk.Extension]; ext != nil && ext.has(msgFileSpace) {
		ext.remove(msgFileSpace)
	}
}

// Close flushes and closes the file. A new file that cannot be completed is
// removed, and the one that it was to replace stays.
func (f *File) Close() error { return f.disk.Close(f.Flush(), f.disk.Trim) }

// maxKept is the number of objects above which a closed file keeps none in memory.
const maxKept = 4096

// Pause flushes and closes the file until Reopen, which finds it as it is left here.
// Other programs can read and change it meanwhile. The last time it is closed by Close,
// which makes it no longer than it has to be.
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

// Ahead reports whether a file that was closed by Pause is longer than it has to be.
func (f *File) Ahead() bool { return f.disk.Ahead() }

// Reopen opens a file that was closed by Pause for changing it again. Where no other
// program has changed it since, it need not be read, and room that was given
// back is used again; else it is the same as OpenRW. Groups and datasets that
// were opened before are not to be used any more.
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
