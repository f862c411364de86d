package hdf5

import (
	"errors"
	"fmt"
)

func (o *object) dataspace() (Space, error) {
	body, ok, err := o.find(msgDataspace)
	if err != nil {
		return Space{}, err
	}
	if !ok {
		return Space{}, errors.New("object has no shape")
	}
	return o.f.decodeSpace(body)
}

func (f *File) decodeSpace(p []byte) (Space, error) {
	c := &cursor{b: p, sb: &f.sb}
	version, rank, flags := c.u8(), int(c.u8()), c.u8()
	var s Space
	switch version {
	case 1:
		c.skip(5)
	case 2:
		s.Null = c.u8() == 2
	default:
		return s, fmt.Errorf("dataspace has version %d, expected 1 or 2", version)
	}
	if rank > maxRank {
		return s, fmt.Errorf("dataspace has %d dimensions, expected at most %d", rank, maxRank)
	}
	for range rank {
		s.Dims = append(s.Dims, c.length())
	}
	if flags&1 != 0 {
		for range rank {
			m := c.length()
			if n := f.sb.lengthSize; n < 8 && m == 1<<(8*n)-1 {
				m = Unlimited
			}
			s.MaxDims = append(s.MaxDims, m)
		}
	}
	if c.err != nil {
		return s, fmt.Errorf("dataspace: %w", c.err)
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("dataspace: %w", err)
	}
	return s, nil
}

func (s Space) encode() []byte {
	var b builder
	kind := uint8(1)
	if s.Null {
		kind = 2
	} else if len(s.Dims) == 0 {
		kind = 0
	}
	flags := uint8(0)
	if s.MaxDims != nil {
		flags = 1
	}
	b.u8(2, uint8(len(s.Dims)), flags, kind)
	for _, d := range s.Dims {
		b.u64(d)
	}
	for _, d := range s.MaxDims {
		b.u64(d)
	}
	return b
}
