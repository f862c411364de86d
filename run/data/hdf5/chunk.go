package hdf5

import "fmt"

// openChunk is the one chunk of a file that is decoded in memory. Rows that
// are read or written one after the other find their chunk here.
type openChunk struct {
	s      *storage
	number uint64
	data   []byte
	dirty  bool
}

// chunkData gives a chunk's elements; nil where it was never written.
func (s *storage) chunkData(number uint64) ([]byte, error) {
	open := &s.o.f.open
	if open.s == s && open.number == number {
		return open.data, nil
	}
	ref, ok := s.chunks[number]
	if !ok {
		return nil, nil
	}
	if err := s.o.f.closeChunk(); err != nil {
		return nil, err
	}
	// No filter makes a chunk much longer than it was.
	if limit := 2*uint64(s.chunkBytes()) + 4096; ref.size > limit {
		return nil, fmt.Errorf("chunk is stored in %d bytes, expected at most %d", ref.size, limit)
	}
	p, err := s.o.f.read(ref.addr, int(ref.size))
	if err != nil {
		return nil, fmt.Errorf("chunk: %w", err)
	}
	if p, err = s.filters.undo(p, ref.mask, s.chunkBytes()); err != nil {
		return nil, err
	}
	*open = openChunk{s: s, number: number, data: p}
	return p, nil
}

// changeChunk gives a chunk's elements for writing. With whole set all of them
// will be written, so that the old ones need not be read.
func (s *storage) changeChunk(number uint64, whole bool) ([]byte, error) {
	open := &s.o.f.open
	if open.s != s || open.number != number {
		var data []byte
		var err error
		if !whole {
			if data, err = s.chunkData(number); err != nil {
				return nil, err
			}
		}
		if data == nil {
			if err := s.o.f.closeChunk(); err != nil {
				return nil, err
			}
			data = make([]byte, s.chunkBytes())
			s.fillElements(data)
		}
		*open = openChunk{s: s, number: number, data: data}
	}
	open.dirty = true
	s.o.touch()
	return open.data, nil
}

// fillElements sets elements to the fill value.
func (s *storage) fillElements(p []byte) {
	if s.fill == nil {
		return
	}
	for n := copy(p, s.fill); n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

// closeChunk writes the open chunk if it was changed. One that the file refers
// to keeps its place where it has no filters; a part of a filtered one would be
// unreadable, so it moves.
func (f *File) closeChunk() error {
	c := f.open
	if !c.dirty {
		return nil
	}
	p, err := c.s.filters.apply(c.data, &f.packer)
	if err != nil {
		return err
	}
	n := uint64(len(p))
	ref, ok := c.s.chunks[c.number]
	own := ok && ref.commit == f.commits+1
	if stays := ok && (len(c.s.filters) == 0 && n == ref.size || own && n <= align(ref.size)); !stays {
		if ok {
			f.release(ref.extent())
		}
		ref.addr, ref.commit = f.alloc(n), f.commits+1
	}
	if own && ref.addr == c.s.chunks[c.number].addr {
		f.release(extent{ref.addr + align(n), int(align(ref.size) - align(n))})
	}
	if err := f.write(ref.addr, p); err != nil {
		return err
	}
	if ref.size, ref.mask = n, 0; ref != c.s.chunks[c.number] {
		c.s.chunks[c.number] = ref
		c.s.changed = true
	}
	f.open.dirty = false
	return nil
}

// flush writes the open chunk and the index.
func (s *storage) flush() error {
	if s.o.f.open.s == s {
		if err := s.o.f.closeChunk(); err != nil {
			return err
		}
	}
	if s.changed {
		if err := s.writeTreeV1(); err != nil {
			return err
		}
		s.o.set(msgLayout, 0, s.encode())
		s.changed = false
	}
	return nil
}

// release gives back the room of all elements.
func (s *storage) release() error {
	f := s.o.f
	switch s.class {
	case layoutContiguous:
		if n, ok := product(append([]uint64{uint64(s.typ.Size)}, s.space.Dims...)); ok && s.addr != undefined && n <= f.end {
			f.release(extent{s.addr, int(n)})
		}
	case layoutChunked:
		if err := s.loadChunks(); err != nil {
			return err
		}
		for _, ref := range s.chunks {
			f.release(ref.extent())
		}
		s.releaseIndex()
	}
	if f.open.s == s {
		f.open = openChunk{}
	}
	return nil
}
