package index

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// array is the common part of fixed and extensible arrays, whose elements say where the chunks of a dataset are.
type array struct {
	f        *disk.File
	size     int // of an element
	filtered bool
	chunk    uint64 // bytes of a chunk without filters
	put      func(number, addr, size uint64, mask uint32)
}

// check checks the size of the elements.
func (a *array) check(client uint8) error {
	switch o := a.f.OffsetSize; {
	case client == 0 && a.size == o:
	case client == 1 && a.size > o+4 && a.size <= o+12:
		a.filtered = true
	default:
		return fmt.Errorf("array of chunks has elements of %d bytes for client %d", a.size, client)
	}
	return nil
}

// take reads n elements, the first of which has the number first.
func (a *array) take(c *field.Cursor, first, n uint64) error {
	for i := range n {
		addr, size, mask := c.Addr(), a.chunk, uint32(0)
		if a.filtered {
			size = c.Uint(a.size - a.f.OffsetSize - 4)
			mask = c.U32()
		}
		if c.Err != nil {
			return c.Err
		}
		a.put(first+i, addr, size, mask)
	}
	return nil
}

// FixedArray reads the index of a dataset that cannot grow. It has one element for each of the want chunks; without
// filters, each chunk has chunk bytes.
func FixedArray(f *disk.File, addr, want, chunk uint64, put func(number, addr, size uint64, mask uint32)) error {
	o, l := f.OffsetSize, f.LengthSize
	c, err := f.ReadChecked(addr, 4+1+1+1+1+l+o+4, "FAHD")
	if err != nil {
		return err
	}
	c.Skip(1)
	client, size, pageBits := c.U8(), int(c.U8()), int(c.U8())
	n, block := c.Length(), c.Addr()
	a := &array{f: f, size: size, chunk: chunk, put: put}
	if err := a.check(client); err != nil {
		return err
	}
	if n != want {
		return errors.New("fixed array does not have one element for every chunk")
	}
	if block == field.Undefined {
		return nil
	}
	if n > f.End/uint64(size) || pageBits > 32 {
		return errors.New("fixed array is larger than the file")
	}
	prefix := 4 + 1 + 1 + o
	page := uint64(1) << pageBits
	if n <= page {
		c, err := f.ReadChecked(block, prefix+int(n)*size+4, "FADB")
		if err != nil {
			return err
		}
		c.Skip(prefix - 4)
		return a.take(c, 0, n)
	}
	pages := (n-1)/page + 1
	bitmap := int(pages+7) / 8
	c, err = f.ReadChecked(block, prefix+bitmap+4, "FADB")
	if err != nil {
		return err
	}
	c.Skip(prefix - 4)
	used := c.Bytes(bitmap)
	at := block + uint64(prefix+bitmap+4)
	for p := range pages {
		first := p * page
		count := min(page, n-first)
		if used[p/8]&(0x80>>(p%8)) != 0 {
			c, err := f.ReadChecked(at, int(count)*size+4, "")
			if err != nil {
				return err
			}
			if err := a.take(c, first, count); err != nil {
				return err
			}
		}
		at += page*uint64(size) + 4
	}
	return nil
}

// extArray is the index of a dataset with one unlimited dimension: an index block with some elements, then data blocks that
// grow like those of a fractal heap.
type extArray struct {
	array
	offBytes int
	minData  uint64 // elements in the smallest data block
	pageBits int
	used     uint64 // elements up to the last one ever set
	next     uint64 // number of the next element
}

// ExtensibleArray reads the index of a dataset with one unlimited dimension, which is the slowest one in the numbers of chunks.
func ExtensibleArray(f *disk.File, addr, chunk uint64, put func(number, addr, size uint64, mask uint32)) error {
	o, l := f.OffsetSize, f.LengthSize
	c, err := f.ReadChecked(addr, 4+8+6*l+o+4, "EAHD")
	if err != nil {
		return err
	}
	c.Skip(1)
	client := c.U8()
	a := &extArray{array: array{f: f, size: int(c.U8()), chunk: chunk, put: put}}
	maxBits := int(c.U8())
	inBlock := uint64(c.U8())
	a.minData = uint64(c.U8())
	minPointers := uint64(c.U8())
	a.pageBits = int(c.U8())
	c.Skip(4 * l)
	a.used = c.Length()
	c.Skip(l)
	block := c.Addr()
	if c.Err != nil {
		return c.Err
	}
	if err := a.check(client); err != nil {
		return err
	}
	if a.minData == 0 || minPointers == 0 || maxBits > 64 || a.pageBits > 32 ||
		bits.OnesCount64(a.minData) != 1 || bits.OnesCount64(minPointers) != 1 {
		return errors.New("extensible array has sizes that make no sense")
	}
	if block == field.Undefined {
		return nil
	}
	a.offBytes = (maxBits + 7) / 8
	supers := 1 + maxBits - (bits.Len64(a.minData) - 1)
	inIndex := 2 * (bits.Len64(minPointers) - 1) // super blocks whose data blocks are listed in the index block
	dataPointers := 2 * (minPointers - 1)
	superPointers := max(0, supers-inIndex)
	n := 4 + 1 + 1 + o + int(inBlock)*a.size + (int(dataPointers)+superPointers)*o + 4
	if c, err = f.ReadChecked(block, n, "EAIB"); err != nil {
		return err
	}
	c.Skip(2 + o)
	if err := a.take(c, inBlock); err != nil {
		return err
	}
	for super := 0; super < supers && a.next < a.used; super++ {
		blocks, elements := uint64(1)<<(super/2), a.minData<<((super+1)/2)
		if elements == 0 || elements > f.End {
			return errors.New("extensible array is larger than the file")
		}
		if super < inIndex {
			for range blocks {
				if err := a.dataBlock(c.Addr(), elements, nil); err != nil {
					return err
				}
			}
		} else if err := a.superBlock(c.Addr(), blocks, elements); err != nil {
			return err
		}
	}
	return c.Err
}

// take reads the next n elements.
func (a *extArray) take(c *field.Cursor, n uint64) error {
	first := a.next
	a.next += n
	return a.array.take(c, first, n)
}

func (a *extArray) superBlock(addr, blocks, elements uint64) error {
	f := a.f
	if addr == field.Undefined {
		a.next += blocks * elements
		return nil
	}
	prefix := 4 + 1 + 1 + f.OffsetSize + a.offBytes
	bitmap := 0 // bytes of the page bits of one data block
	if elements > 1<<a.pageBits {
		bitmap = int(elements>>a.pageBits+7) / 8
	}
	if blocks > f.End || uint64(bitmap) > f.End {
		return errors.New("extensible array is larger than the file")
	}
	c, err := f.ReadChecked(addr, prefix+int(blocks)*(bitmap+f.OffsetSize)+4, "EASB")
	if err != nil {
		return err
	}
	c.Skip(prefix - 4)
	pages := c.Bytes(int(blocks) * bitmap)
	inBlock := elements >> a.pageBits
	for i := range blocks {
		// The bits of all blocks are contiguous, although each block has its own bytes.
		used := func(page uint64) bool {
			bit := i*inBlock + page
			return bit/8 < uint64(len(pages)) && pages[bit/8]&(0x80>>(bit%8)) != 0
		}
		if err := a.dataBlock(c.Addr(), elements, used); err != nil {
			return err
		}
	}
	return c.Err
}

// dataBlock reads a block of elements. A large block is divided into pages, and used reports which of them were ever written.
func (a *extArray) dataBlock(addr, elements uint64, used func(page uint64) bool) error {
	f := a.f
	if addr == field.Undefined || a.next >= a.used {
		a.next += elements
		return nil
	}
	prefix := 4 + 1 + 1 + f.OffsetSize + a.offBytes
	page := uint64(1) << a.pageBits
	if elements <= page {
		c, err := f.ReadChecked(addr, prefix+int(elements)*a.size+4, "EADB")
		if err != nil {
			return err
		}
		c.Skip(prefix - 4)
		return a.take(c, elements)
	}
	if _, err := f.ReadChecked(addr, prefix+4, "EADB"); err != nil {
		return err
	}
	at := addr + uint64(prefix+4)
	for p := range elements / page {
		if used != nil && used(p) {
			c, err := f.ReadChecked(at, int(page)*a.size+4, "")
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
