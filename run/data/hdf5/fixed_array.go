package hdf5

import "errors"

// fixedArray reads the index of a dataset that cannot grow: one element for every chunk.
func (s *storage) fixedArray() error {
	f := s.o.f
	o, l := f.sb.offsetSize, f.sb.lengthSize
	c, err := f.readChecked(s.addr, 4+1+1+1+1+l+o+4, "FAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	client, size, pageBits := c.u8(), int(c.u8()), int(c.u8())
	n, block := c.length(), c.addr()
	filtered, err := s.arrayElement(client, size)
	if err != nil {
		return err
	}
	grid, err := s.maxGrid()
	if err != nil {
		return err
	}
	if want, _ := product(grid); n != want {
		return errors.New("fixed array does not have one element for every chunk")
	}
	if block == undefined {
		return nil
	}
	if n > f.end/uint64(size) || pageBits > 32 {
		return errors.New("fixed array is larger than the file")
	}
	prefix := 4 + 1 + 1 + o
	page := uint64(1) << pageBits
	take := func(c *cursor, first, count uint64) error {
		for i := range count {
			ref := s.arrayChunk(c, filtered, size)
			if c.err != nil {
				return c.err
			}
			s.put(s.place(first+i, grid), ref)
		}
		return nil
	}
	if n <= page {
		c, err := f.readChecked(block, prefix+int(n)*size+4, "FADB")
		if err != nil {
			return err
		}
		c.skip(prefix - 4)
		return take(c, 0, n)
	}
	pages := ceilDiv(n, page)
	bitmap := int(pages+7) / 8
	c, err = f.readChecked(block, prefix+bitmap+4, "FADB")
	if err != nil {
		return err
	}
	c.skip(prefix - 4)
	used := c.bytes(bitmap)
	at := block + uint64(prefix+bitmap+4)
	for p := range pages {
		first := p * page
		count := min(page, n-first)
		if used[p/8]&(0x80>>(p%8)) != 0 {
			c, err := f.readChecked(at, int(count)*size+4, "")
			if err != nil {
				return err
			}
			if err := take(c, first, count); err != nil {
				return err
			}
		}
		at += page*uint64(size) + 4
	}
	return nil
}
