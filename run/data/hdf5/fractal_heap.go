package hdf5

import (
	"errors"
	"fmt"
	"math/bits"
)

// fractalHeap holds the links or attributes of an object that has many: a
// table of blocks that double in size, row by row.
type fractalHeap struct {
	f         *File
	addr      uint64
	idLen     int
	filtered  bool
	maxObject uint64
	hugeTree  uint64
	width     uint64
	start     uint64 // size of the blocks in rows 0 and 1
	maxDirect uint64
	offBytes  int
	lenBytes  int
	root      uint64
	rows      int
	indirect  map[uint64]*cursor // blocks read before, behind their prefix
	huge      map[uint64]extent
	taken     uint64 // bytes of all objects given out
}

func (f *File) fractalHeap(addr uint64) (*fractalHeap, error) {
	sb := &f.sb
	o, l := sb.offsetSize, sb.lengthSize
	fixed := 4 + 1 + 2 + 2 + 1 + 4 + l + o + l + o + 8*l + 2 + l + l + 2 + 2 + o + 2
	p, err := f.read(addr, fixed)
	if err != nil {
		return nil, fmt.Errorf("fractal heap: %w", err)
	}
	// The encoded filters make the header longer, so the checksum's place is known only now.
	c := &cursor{b: p, sb: sb}
	c.want("FRHP")
	c.skip(1)
	h := &fractalHeap{f: f, addr: addr, indirect: map[uint64]*cursor{}}
	h.idLen = int(c.u16())
	filterLen := int(c.u16())
	h.filtered = filterLen > 0
	c.skip(1)
	h.maxObject = uint64(c.u32())
	c.length()
	h.hugeTree = c.addr()
	c.length()
	c.addr()
	c.skip(8 * l)
	h.width = uint64(c.u16())
	h.start, h.maxDirect = c.length(), c.length()
	heapBits := int(c.u16())
	c.skip(2)
	h.root = c.addr()
	h.rows = int(c.u16())
	if c.err != nil {
		return nil, fmt.Errorf("fractal heap: %w", c.err)
	}
	n := fixed + 4
	if h.filtered {
		n += l + 4 + filterLen
	}
	if _, err := f.readChecked(addr, n, "FRHP"); err != nil {
		return nil, err
	}
	if h.width == 0 || h.start == 0 || h.maxDirect < h.start || bits.OnesCount64(h.start) != 1 ||
		bits.OnesCount64(h.maxDirect) != 1 || bits.OnesCount64(h.width) != 1 || heapBits > 64 || h.idLen < 1 || h.idLen > 4096 {
		return nil, errors.New("fractal heap has sizes that make no sense")
	}
	h.offBytes = (heapBits + 7) / 8
	h.lenBytes = min((bits.Len64(h.maxDirect)-1+7)/8, bytesFor(h.maxObject))
	return h, nil
}

// object gives the bytes of a heap object. Each is asked for once, so that
// together they cannot be more than the file.
func (h *fractalHeap) object(id []byte) ([]byte, error) {
	p, err := h.find(id)
	if h.taken += uint64(len(p)); err == nil && h.taken > h.f.end {
		err = errors.New("objects of a fractal heap overlap")
	}
	return p, err
}

func (h *fractalHeap) find(id []byte) ([]byte, error) {
	if len(id) < 1 {
		return nil, errShort
	}
	c := &cursor{b: id[1:], sb: &h.f.sb}
	switch id[0] >> 4 & 3 {
	case 0:
		at, n := c.uint(h.offBytes), c.uint(h.lenBytes)
		if c.err != nil {
			return nil, c.err
		}
		return h.managed(at, n)
	case 1:
		return h.hugeObject(c)
	case 2:
		n := int(id[0]&15) + 1
		if h.idLen > 18 {
			n = int(id[0]&15)<<8 + int(c.u8()) + 1
		}
		return c.bytes(n), c.err
	}
	return nil, errors.New("fractal heap has an object of unknown kind")
}

// managed finds the direct block that holds an offset of the heap's address space.
func (h *fractalHeap) managed(at, n uint64) ([]byte, error) {
	if h.filtered {
		return nil, errors.New("fractal heap has filters, which is not supported")
	}
	if n > h.maxDirect || h.root == undefined {
		return nil, errors.New("object is outside its fractal heap")
	}
	block, rows := h.root, h.rows
	for depth := 0; rows > 0; depth++ {
		if depth > maxTreeDepth {
			return nil, errors.New("fractal heap leads back into itself")
		}
		row, col, size, rest, ok := h.place(at)
		if !ok || row >= rows {
			return nil, errors.New("object is outside its fractal heap")
		}
		p, err := h.indirectBlock(block, rows)
		if err != nil {
			return nil, err
		}
		child := *p
		child.skip((row*int(h.width) + col) * h.f.sb.offsetSize)
		block, at, rows = child.addr(), rest, 0
		if child.err != nil {
			return nil, child.err
		}
		if size > h.maxDirect {
			// An indirect block has as many rows as cover its size.
			rows = bits.Len64(size) - bits.Len64(h.start*h.width) + 1
			if rows <= 0 {
				return nil, errors.New("fractal heap has sizes that make no sense")
			}
		}
	}
	p, err := h.f.read(block, 4)
	if err != nil {
		return nil, err
	}
	if string(p) != "FHDB" || block+at < block {
		return nil, fmt.Errorf("address %#x has no `FHDB`", block)
	}
	return h.f.read(block+at, int(n))
}

// place finds the row and column of the block that holds an offset.
func (h *fractalHeap) place(at uint64) (row, col int, size, rest uint64, ok bool) {
	first := h.start * h.width // the bytes of row 0, and of row 1
	if at < first {
		return 0, int(at / h.start), h.start, at % h.start, true
	}
	row = bits.Len64(at / first) // row r holds the offsets from first·2^(r-1) on
	shift := row - 1
	if shift >= 64-bits.Len64(first) {
		return 0, 0, 0, 0, false
	}
	size = h.start << shift
	rest = at - first<<shift
	return row, int(rest / size), size, rest % size, true
}

func (h *fractalHeap) indirectBlock(addr uint64, rows int) (*cursor, error) {
	if c := h.indirect[addr]; c != nil {
		return c, nil
	}
	sb := &h.f.sb
	n := 4 + 1 + sb.offsetSize + h.offBytes + rows*int(h.width)*sb.offsetSize + 4
	c, err := h.f.readChecked(addr, n, "FHIB")
	if err != nil {
		return nil, err
	}
	c.skip(1 + sb.offsetSize + h.offBytes)
	h.indirect[addr] = c
	return c, nil
}

// hugeObject reads an object that has a place of its own in the file.
func (h *fractalHeap) hugeObject(c *cursor) ([]byte, error) {
	if h.filtered {
		return nil, errors.New("fractal heap has filters, which is not supported")
	}
	sb := &h.f.sb
	if h.idLen-1 >= sb.offsetSize+sb.lengthSize {
		return h.readHuge(c.addr(), c.length(), c.err)
	}
	if h.huge == nil {
		h.huge = map[uint64]extent{}
		err := h.f.btreeV2(h.hugeTree, 1, func(r *cursor) error {
			addr, n, id := r.addr(), r.length(), r.length()
			if n > h.f.end {
				return errors.New("object is larger than the file")
			}
			h.huge[id] = extent{addr, int(n)}
			return r.err
		})
		if err != nil {
			return nil, err
		}
	}
	e, ok := h.huge[c.uint(min(h.idLen-1, sb.lengthSize))]
	if !ok {
		return nil, errors.New("object is not in its fractal heap")
	}
	return h.readHuge(e.addr, uint64(e.size), c.err)
}

func (h *fractalHeap) readHuge(addr, n uint64, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if n > h.f.end {
		return nil, errors.New("object is larger than the file")
	}
	return h.f.read(addr, int(n))
}
