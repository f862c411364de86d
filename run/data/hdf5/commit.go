package hdf5

import (
	"cmp"
	"slices"
)

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
	if f.w == nil {
		return nil
	}
	if f.failed != nil {
		return f.failed
	}
	if len(f.changes) > 0 {
		if err := f.commit(); err != nil {
			f.failed = err
			return err
		}
	}
	return f.publish()
}

// rewritten is the new header of an object that is in the file.
type rewritten struct {
	o     *object
	bytes []byte
}

func (f *File) commit() error {
	f.forgetFreeSpace()
	if err := f.closeHeap(); err != nil {
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
		} else if err := f.write(o.addr, b); err != nil {
			return err
		}
	}
	if err := f.announce(); err != nil {
		return err
	}
	slices.SortFunc(headers, f.order)
	for _, h := range headers {
		if err := f.write(h.o.addr, h.bytes); err != nil {
			return err
		}
	}
	for _, o := range f.changes {
		o.dirty, o.fresh, o.unlinked = false, false, false
	}
	f.changes = f.changes[:0]
	f.commits++
	f.rest()
	return nil
}

// order is in which order headers are written. The superblock's extension is
// first, as its list of free space must not outlive the end that it describes.
// An object that lost a name is last: one that counts a name too many is not
// freed by other programs, one that counts too few could be.
func (f *File) order(a, b rewritten) int {
	rank := func(o *object) int {
		switch {
		case o.addr == f.sb.extension:
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
	if ext := f.objects[f.sb.extension]; ext != nil && ext.has(msgFileSpace) {
		ext.remove(msgFileSpace)
	}
}
