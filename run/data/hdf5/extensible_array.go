package hdf5

import (
	"errors"
	"math/bits"
)

// extArray reads the index of a dataset with one unlimited dimension: a first
// block with some elements, then blocks of data that grow like a fractal heap's.
type extArray struct {
	s         *storage
	size      int // of an element
	filtered  bool
	offBytes  int
	minData   uint64 // elements in the smallest data block
	pageBits  int
	used      uint64 // elements up to the last one ever set
	grid      []uint64
	unlimited int
	next      uint64 // number of the next element
}

func (s *storage) extensibleArray() error {
	f := s.o.f
	o, l := f.sb.offsetSize, f.sb.lengthSize
	c, err := f.readChecked(s.addr, 4+8+6*l+o+4, "EAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	client := c.u8()
	a := &extArray{s: s, size: int(c.u8())}
	maxBits := int(c.u8())
	inBlock := uint64(c.u8())
	a.minData = uint64(c.u8())
	minPointers := uint64(c.u8())
	a.pageBits = int(c.u8())
	c.skip(4 * l)
	a.used = c.length()
	c.skip(l)
	block := c.addr()
	if c.err != nil {
		return c.err
	}
	if a.filtered, err = s.arrayElement(client, a.size); err != nil {
		return err
	}
	if a.minData == 0 || minPointers == 0 || maxBits > 64 || a.pageBits > 32 ||
		bits.OnesCount64(a.minData) != 1 || bits.OnesCount64(minPointers) != 1 {
		return errors.New("extensible array has sizes that make no sense")
	}
	if err := a.number(); err != nil {
		return err
	}
	if block == undefined {
		return nil
	}
	a.offBytes = (maxBits + 7) / 8
	supers := 1 + maxBits - (bits.Len64(a.minData) - 1)
	inIndex := 2 * (bits.Len64(minPointers) - 1) // super blocks whose data blocks the index block lists itself
	dataPointers := 2 * (minPointers - 1)
	superPointers := max(0, supers-inIndex)
	n := 4 + 1 + 1 + o + int(inBlock)*a.size + (int(dataPointers)+superPointers)*o + 4
	if c, err = f.readChecked(block, n, "EAIB"); err != nil {
		return err
	}
	c.skip(2 + o)
	if err := a.take(c, inBlock); err != nil {
		return err
	}
	for super := 0; super < supers && a.next < a.used; super++ {
		blocks, elements := uint64(1)<<(super/2), a.minData<<((super+1)/2)
		if elements == 0 || elements > f.end {
			return errors.New("extensible array is larger than the file")
		}
		if super < inIndex {
			for range blocks {
				if err := a.dataBlock(c.addr(), elements, nil); err != nil {
					return err
				}
			}
		} else if err := a.superBlock(c.addr(), blocks, elements); err != nil {
			return err
		}
	}
	return c.err
}

// number prepares the numbering: the unlimited dimension varies slowest.
func (a *extArray) number() error {
	a.unlimited = -1
	for i, m := range a.s.space.MaxDims {
		if m == Unlimited {
			a.unlimited = i
		}
	}
	if a.unlimited < 0 {
		return errors.New("extensible array for a dataset without unlimited dimension")
	}
	grid, err := a.s.maxGrid()
	if err != nil {
		return err
	}
	a.grid = append([]uint64{grid[a.unlimited]}, grid[:a.unlimited]...)
	a.grid = append(a.grid, grid[a.unlimited+1:]...)
	return nil
}

func (a *extArray) take(c *cursor, n uint64) error {
	last, _ := product(a.grid)
	for range n {
		ref := a.s.arrayChunk(c, a.filtered, a.size)
		if c.err != nil {
			return c.err
		}
		if a.next < last {
			turned := a.s.place(a.next, a.grid)
			at := append([]uint64(nil), turned[1:a.unlimited+1]...)
			at = append(at, turned[0])
			at = append(at, turned[a.unlimited+1:]...)
			a.s.put(at, ref)
		}
		a.next++
	}
	return nil
}

func (a *extArray) superBlock(addr, blocks, elements uint64) error {
	f := a.s.o.f
	if addr == undefined {
		a.next += blocks * elements
		return nil
	}
	prefix := 4 + 1 + 1 + f.sb.offsetSize + a.offBytes
	bitmap := 0 // bytes of one data block's page bits
	if elements > 1<<a.pageBits {
		bitmap = int(elements>>a.pageBits+7) / 8
	}
	if blocks > f.end || uint64(bitmap) > f.end {
		return errors.New("extensible array is larger than the file")
	}
	c, err := f.readChecked(addr, prefix+int(blocks)*(bitmap+f.sb.offsetSize)+4, "EASB")
	if err != nil {
		return err
	}
	c.skip(prefix - 4)
	pages := c.bytes(int(blocks) * bitmap)
	inBlock := elements >> a.pageBits
	for i := range blocks {
		// The bits of all blocks follow each other, although each has bytes of its own.
		used := func(page uint64) bool {
			bit := i*inBlock + page
			return bit/8 < uint64(len(pages)) && pages[bit/8]&(0x80>>(bit%8)) != 0
		}
		if err := a.dataBlock(c.addr(), elements, used); err != nil {
			return err
		}
	}
	return c.err
}

// dataBlock reads a block of elements, which is cut into pages when it is large;
// used says which of them were ever written.
func (a *extArray) dataBlock(addr, elements uint64, used func(page uint64) bool) error {
	f := a.s.o.f
	if addr == undefined || a.next >= a.used {
		a.next += elements
		return nil
	}
	prefix := 4 + 1 + 1 + f.sb.offsetSize + a.offBytes
	page := uint64(1) << a.pageBits
	if elements <= page {
		c, err := f.readChecked(addr, prefix+int(elements)*a.size+4, "EADB")
		if err != nil {
			return err
		}
		c.skip(prefix - 4)
		return a.take(c, elements)
	}
	if _, err := f.readChecked(addr, prefix+4, "EADB"); err != nil {
		return err
	}
	at := addr + uint64(prefix+4)
	for p := range elements / page {
		if used != nil && used(p) {
			c, err := f.readChecked(at, int(page)*a.size+4, "")
			if err != nil {
				return err
			}
			if err := a.take(c, page); err != nil {
				return err
			}
		} else {
			a.next += page
		}
		at += page*uint64(a.size) + 4
	}
	return nil
}
