package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// Values are the variable-length values of a file. The values of one step share a block. Nothing refers to it until
// the headers of the step are written, and it never changes after that.
type Values struct {
	File    *disk.File
	heaps   map[uint64]collection
	bytes   uint64    // bytes of all blocks read, which do not overlap
	filling *openHeap // nil: no value waits to be written
}

// collection is one block of variable-length data, by object number.
type collection map[uint16][]byte

func (v *Values) heap(addr uint64) (collection, error) {
	if g := v.heaps[addr]; g != nil {
		return g, nil
	}
	head, err := v.File.Read(addr, 8+v.File.LengthSize)
	if err != nil {
		return nil, err
	}
	c := v.File.Cursor(head)
	c.Want("GCOL")
	c.Skip(4)
	size := c.Length()
	if c.Err != nil {
		return nil, c.Err
	}
	if size > v.File.End || size < uint64(len(head)) {
		return nil, errors.New("global heap is larger than the file")
	}
	if v.bytes += size; v.bytes > v.File.End {
		return nil, errors.New("global heaps overlap")
	}
	p, err := v.File.Read(addr, int(size))
	if err != nil {
		return nil, err
	}
	c = v.File.Cursor(p)
	c.Skip(len(head))
	c.Align(8)
	g := collection{}
	for len(c.Rest) >= 8+v.File.LengthSize {
		number := c.U16()
		c.Skip(6)
		n := c.Length()
		if number == 0 { // the free space
			break
		}
		if n > uint64(len(c.Rest)) {
			return nil, errors.New("object is outside its global heap")
		}
		g[number] = c.Bytes(int(n))
		if len(c.Rest) > 0 {
			c.Align(8)
		}
	}
	v.keep(addr, g)
	return g, nil
}

func (v *Values) keep(addr uint64, g collection) {
	if v.heaps == nil {
		v.heaps = map[uint64]collection{}
	}
	v.heaps[addr] = g
}

// Sequences returns the variable-length values that n stored elements point to.
func (v *Values) Sequences(raw []byte, n int, base int) ([][]byte, error) {
	c := v.File.Cursor(raw)
	out := make([][]byte, n)
	for i := range out {
		count := uint64(c.U32())
		addr, number := c.Addr(), c.U32()
		if c.Err != nil {
			return nil, c.Err
		}
		if count == 0 || addr == 0 || addr == field.Undefined {
			continue
		}
		g, err := v.heap(addr)
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

// heapSize is the smallest size of such a block that libraries expect.
const heapSize = 4096

// heapHead is the size of the header of the block and of each value in it.
const heapHead = 16

// openHeap is the block to which new values are added.
type openHeap struct {
	addr uint64
	b    field.Builder
	n    int // values in it
}

// Put adds values to the heap and returns the elements that point to them; base is the size of an element of the values.
func (v *Values) Put(values [][]byte, base int) ([]byte, error) {
	var elements field.Builder
	for _, p := range values {
		if len(p) == 0 {
			elements.Zeros(16)
			continue
		}
		h, err := v.heapFor(len(p))
		if err != nil {
			return nil, err
		}
		h.n++
		h.b.U16(uint16(h.n))
		h.b.Zeros(6)
		h.b.U64(uint64(len(p)))
		h.b = append(h.b, p...)
		h.b.Zeros(-len(h.b) & 7)
		v.heaps[h.addr][uint16(h.n)] = slices.Clone(p)
		elements.U32(uint32(len(p) / base))
		elements.U64(h.addr)
		elements.U32(uint32(h.n))
	}
	return elements, nil
}

// heapFor returns a block with room for a value of n bytes.
func (v *Values) heapFor(n int) (*openHeap, error) {
	need := heapHead + n + (-n & 7)
	if h := v.filling; h != nil {
		if len(h.b)+need+heapHead <= heapSize {
			return h, nil
		}
		if err := v.Flush(); err != nil {
			return nil, err
		}
	}
	size := max(heapSize, 2*heapHead+need)
	h := &openHeap{addr: v.File.Alloc(uint64(size))}
	h.b.Str("GCOL")
	h.b.U8(1, 0, 0, 0)
	h.b.U64(uint64(size))
	v.filling = h
	v.keep(h.addr, collection{})
	return h, nil
}

// Flush writes the block to which values were added.
func (v *Values) Flush() error {
	h := v.filling
	if h == nil {
		return nil
	}
	v.filling = nil
	rest := max(heapSize-len(h.b), heapHead)
	h.b.Zeros(8) // number 0: the remaining space is free
	h.b.U64(uint64(rest))
	h.b.Zeros(rest - heapHead)
	return v.File.Write(h.addr, h.b)
}
