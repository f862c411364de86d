package hdf5

import (
	"bytes"
	"errors"
)

// localHeap holds the names of an old group.
type localHeap struct {
	data []byte
	left int // bytes not yet given out: names do not overlap
}

func (f *File) localHeap(addr uint64) (*localHeap, error) {
	p, err := f.read(addr, 8+2*f.sb.lengthSize+f.sb.offsetSize)
	if err != nil {
		return nil, err
	}
	c := &cursor{b: p, sb: &f.sb}
	c.want("HEAP")
	c.skip(4)
	size := c.length()
	c.length()
	data := c.addr()
	if c.err != nil {
		return nil, c.err
	}
	if size > f.end {
		return nil, errors.New("local heap is larger than the file")
	}
	names, err := f.read(data, int(size))
	return &localHeap{names, len(names)}, err
}

func (h *localHeap) text(at uint64) (string, error) {
	if at < uint64(len(h.data)) {
		if n := bytes.IndexByte(h.data[at:], 0); n >= 0 && n <= h.left {
			h.left -= n
			return string(h.data[at : at+uint64(n)]), nil
		}
	}
	return "", errors.New("name is outside its local heap")
}
