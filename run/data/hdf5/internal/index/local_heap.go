package index

import (
	"bytes"
	"errors"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
)

// LocalHeap holds the names of the links of an old group.
type LocalHeap struct {
	data []byte
	left int // bytes of names not returned yet: names do not overlap
}

// OpenLocalHeap reads a heap.
func OpenLocalHeap(f *disk.File, addr uint64) (*LocalHeap, error) {
	p, err := f.Read(addr, 8+2*f.LengthSize+f.OffsetSize)
	if err != nil {
		return nil, err
	}
	c := f.Cursor(p)
	c.Want("HEAP")
	c.Skip(4)
	size := c.Length()
	c.Length()
	data := c.Addr()
	if c.Err != nil {
		return nil, c.Err
	}
	if size > f.End {
		return nil, errors.New("local heap is larger than the file")
	}
	names, err := f.Read(data, int(size))
	return &LocalHeap{names, len(names)}, err
}

// Text returns the name at an offset.
func (h *LocalHeap) Text(at uint64) (string, error) {
	if at < uint64(len(h.data)) {
		if n := bytes.IndexByte(h.data[at:], 0); n >= 0 && n <= h.left {
			h.left -= n
			return string(h.data[at : at+uint64(n)]), nil
		}
	}
	return "", errors.New("name is outside its local heap")
}
