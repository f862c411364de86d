package index

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// FractalHeap holds the links or attributes of an object that has many: a table of blocks
// whose size doubles from row to row.
type FractalHeap struct {
	f         *disk.File
	Addr      uint64
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
	indirect  map[uint64]*field.Cursor // blocks already read, after their prefix
	huge      map[uint64]disk.Extent
	taken     uint64 // bytes of all objects returned
}

// OpenFractalHeap reads the header of a heap.
func OpenFractalHeap(f *disk.File, addr uint64) (*FractalHeap, error) {
	o, l := f.OffsetSize, f.LengthSize
	fixed := 4 + 1 + 2 + 2 + 1 + 4 + l + o + l + o + 8*l + 2 + l + l + 2 + 2 + o + 2
	p, err := f.Read(addr, fixed)
	if err != nil {
		return nil, fmt.Errorf("fractal heap: %w", err)
	}
	// The encoded filters make the header longer, so only now is the position of the checksum known.
	c := f.Cursor(p)
	c.Want("FRHP")
	c.Skip(1)
	h := &FractalHeap{f: f, Addr: addr, indirect: map[uint64]*field.Cursor{}}
	h.idLen = int(c.U16())
	filterLen := int(c.U16())
	h.filtered = filterLen > 0
	c.Skip(1)
	h.maxObject = uint64(c.U32())
	c.Length()
	h.hugeTree = c.Addr()
	c.Length()
	c.Addr()
	c.Skip(8 * l)
	h.width = uint64(c.U16())
	h.start, h.maxDirect = c.Length(), c.Length()
	heapBits := int(c.U16())
	c.Skip(2)
	h.root = c.Addr()
	h.rows = int(c.U16())
	if c.Err != nil {
		return nil, fmt.Errorf("fractal heap: %w", c.Err)
	}
	n := fixed + 4
	if h.filtered {
		n += l + 4 + filterLen
	}
	if _, err := f.ReadChecked(addr, n, "FRHP"); err != nil {
		return nil, err
	}
	if h.width == 0 || h.start == 0 || h.maxDirect < h.start || bits.OnesCount64(h.start) != 1 ||
		bits.OnesCount64(h.maxDirect) != 1 || bits.OnesCount64(h.width) != 1 || heapBits > 64 || h.idLen < 1 || h.idLen > 4096 {
		return nil, errors.New("fractal heap has sizes that make no sense")
	}
	h.offBytes = (heapBits + 7) / 8
	h.lenBytes = min((bits.Len64(h.maxDirect)-1+7)/8, field.BytesFor(h.maxObject))
	return h, nil
}

// Object returns the bytes of a heap object. It is called once for each object, so together
// they cannot be larger than the file.
func (h *FractalHeap) Object(id []byte) ([]byte, error) {
	p, err := h.find(id)
	if h.taken += uint64(len(p)); err == nil && h.taken > h.f.End {
		err = errors.New("objects of a fractal heap overlap")
	}
	return p, err
}

func (h *FractalHeap) find(id []byte) ([]byte, error) {
	if len(id) < 1 {
		return nil, field.ErrShort
	}
	c := h.f.Cursor(id[1:])
	switch id[0] >> 4 & 3 {
	case 0:
		at, n := c.Uint(h.offBytes), c.Uint(h.lenBytes)
		if c.Err != nil {
			return nil, c.Err
		}
		return h.managed(at, n)
	case 1:
		return h.hugeObject(c)
	case 2:
		n := int(id[0]&15) + 1
		if h.idLen > 18 {
			n = int(id[0]&15)<<8 + int(c.U8()) + 1
		}
		return c.Bytes(n), c.Err
	}
	return nil, errors.New("fractal heap has an object of unknown kind")
}

// managed returns n bytes at an offset of the heap's address space, from the direct block
// that contains it.
func (h *FractalHeap) managed(at, n uint64) ([]byte, error) {
	if h.filtered {
		return nil, errors.New("fractal heap has filters, which is not supported")
	}
	if n > h.maxDirect || h.root == field.Undefined {
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
		child.Skip((row*int(h.width) + col) * h.f.OffsetSize)
		block, at, rows = child.Addr(), rest, 0
		if child.Err != nil {
			return nil, child.Err
		}
		if size > h.maxDirect {
			// An indirect block has as many rows as its size needs.
			rows = bits.Len64(size) - bits.Len64(h.start*h.width) + 1
			if rows <= 0 {
				return nil, errors.New("fractal heap has sizes that make no sense")
			}
		}
	}
	p, err := h.f.Read(block, 4)
	if err != nil {
		return nil, err
	}
	if string(p) != "FHDB" || block+at < block {
		return nil, fmt.Errorf("address %#x has no `FHDB`", block)
	}
	return h.f.Read(block+at, int(n))
}

// place returns the row and column of the block that contains an offset.
func (h *FractalHeap) place(at uint64) (row, col int, size, rest uint64, ok bool) {
	first := h.start * h.width // the bytes of row 0, and also of row 1
	if at < first {
		return 0, int(at / h.start), h.start, at % h.start, true
	}
	row = bits.Len64(at / first) // row r contains the offsets from first·2^(r-1) on
	shift := row - 1
	if shift >= 64-bits.Len64(first) {
		return 0, 0, 0, 0, false
	}
	size = h.start << shift
	rest = at - first<<shift
	return row, int(rest / size), size, rest % size, true
}

func (h *FractalHeap) indirectBlock(addr uint64, rows int) (*field.Cursor, error) {
	if c := h.indirect[addr]; c != nil {
		return c, nil
	}
	n := 4 + 1 + h.f.OffsetSize + h.offBytes + rows*int(h.width)*h.f.OffsetSize + 4
	c, err := h.f.ReadChecked(addr, n, "FHIB")
	if err != nil {
		return nil, err
	}
	c.Skip(1 + h.f.OffsetSize + h.offBytes)
	h.indirect[addr] = c
	return c, nil
}

// hugeObject reads an object that is stored outside the heap's blocks.
func (h *FractalHeap) hugeObject(c *field.Cursor) ([]byte, error) {
	if h.filtered {
		return nil, errors.New("fractal heap has filters, which is not supported")
	}
	if h.idLen-1 >= h.f.OffsetSize+h.f.LengthSize {
		return h.readHuge(c.Addr(), c.Length(), c.Err)
	}
	if h.huge == nil {
		h.huge = map[uint64]disk.Extent{}
		err := TreeV2(h.f, h.hugeTree, 1, func(r *field.Cursor) error {
			addr, n, id := r.Addr(), r.Length(), r.Length()
			if n > h.f.End {
				return errors.New("object is larger than the file")
			}
			h.huge[id] = disk.Extent{Addr: addr, Size: int(n)}
			return r.Err
		})
		if err != nil {
			return nil, err
		}
	}
	e, ok := h.huge[c.Uint(min(h.idLen-1, h.f.LengthSize))]
	if !ok {
		return nil, errors.New("object is not in its fractal heap")
	}
	return h.readHuge(e.Addr, uint64(e.Size), c.Err)
}

func (h *FractalHeap) readHuge(addr, n uint64, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if n > h.f.End {
		return nil, errors.New("object is larger than the file")
	}
	return h.f.Read(addr, int(n))
}
