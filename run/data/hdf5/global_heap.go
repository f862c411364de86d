package hdf5

import (
	"errors"
	"fmt"
)

// globalCollection is one block of variable-length data, by object number.
type globalCollection map[uint16][]byte

func (f *File) globalHeap(addr uint64) (globalCollection, error) {
	if g := f.heaps[addr]; g != nil {
		return g, nil
	}
	head, err := f.read(addr, 8+f.sb.lengthSize)
	if err != nil {
		return nil, err
	}
	c := &cursor{b: head, sb: &f.sb}
	c.want("GCOL")
	c.skip(4)
	size := c.length()
	if c.err != nil {
		return nil, c.err
	}
	if size > f.end || size < uint64(len(head)) {
		return nil, errors.New("global heap is larger than the file")
	}
	if f.heap += size; f.heap > f.end {
		return nil, errors.New("global heaps overlap")
	}
	p, err := f.read(addr, int(size))
	if err != nil {
		return nil, err
	}
	c = &cursor{b: p, sb: &f.sb}
	c.skip(len(head))
	c.align(8)
	g := globalCollection{}
	for len(c.b) >= 8+f.sb.lengthSize {
		number := c.u16()
		c.skip(6)
		n := c.length()
		if number == 0 { // the free rest
			break
		}
		if n > uint64(len(c.b)) {
			return nil, errors.New("object is outside its global heap")
		}
		g[number] = c.bytes(int(n))
		if len(c.b) > 0 {
			c.align(8)
		}
	}
	f.heaps[addr] = g
	return g, nil
}

// sequences finds the variable-length values that n stored elements point to.
func (f *File) sequences(raw []byte, n int, base int) ([][]byte, error) {
	c := &cursor{b: raw, sb: &f.sb}
	out := make([][]byte, n)
	for i := range out {
		count := uint64(c.u32())
		addr, number := c.addr(), c.u32()
		if c.err != nil {
			return nil, c.err
		}
		if count == 0 || addr == 0 || addr == undefined {
			continue
		}
		g, err := f.globalHeap(addr)
		if err != nil {
			return nil, fmt.Errorf("variable-length data: %w", err)
		}
		p, ok := g[uint16(number)]
		if !ok || number > 0xffff || uint64(len(p)) < count*uint64(base) {
			return nil, errors.New("variable-length data is not in its heap")
		}
		out[i] = p[:count*uint64(base)]
	}
	return out, nil
}
