package hdf5

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/index"
)

// chunkRef says where a chunk is stored, and with how many bytes.
type chunkRef struct {
	addr uint64
	size uint64
	mask uint32 // filters that were skipped

	commit int // the commit that first stored this chunk, counted from 1; 0: it was in the file when the file was opened
}

// extent returns the space of a chunk. The space of a chunk that we wrote ends at a multiple of 8.
func (r chunkRef) extent() disk.Extent {
	if r.commit > 0 {
		return disk.Extent{Addr: r.addr, Size: int(disk.Align(r.size))}
	}
	return disk.Extent{Addr: r.addr, Size: int(r.size)}
}

// number returns the number of a chunk from its position in the grid of chunks. Chunks are counted
// with the last dimension varying fastest.
func (s *storage) number(at []uint64) uint64 {
	n := uint64(0)
	for i, g := range s.grid {
		n = n*g + at[i]
	}
	return n
}

func (s *storage) place(n uint64, grid []uint64) []uint64 {
	at := make([]uint64, len(grid))
	for i := len(grid) - 1; i >= 0; i-- {
		at[i] = n % grid[i]
		n /= grid[i]
	}
	return at
}

// loadChunks reads the index, which may be of any of the six kinds.
func (s *storage) loadChunks() error {
	if s.chunks != nil {
		return nil
	}
	if _, ok := product(s.grid); !ok {
		return errors.New("dataset has too many chunks")
	}
	s.chunks = map[uint64]chunkRef{}
	if s.addr == field.Undefined || s.space.Len() == 0 {
		return nil
	}
	var err error
	switch s.index {
	case indexTreeV1:
		err = s.readTreeV1()
	case indexSingle:
		if s.single.addr = s.addr; s.single.size == field.Undefined {
			s.single.size = uint64(s.chunkBytes())
		}
		s.put(make([]uint64, len(s.grid)), s.single)
	case indexImplicit, indexFixedArray, indexExtensibleArray:
		err = s.readNumbered()
	case indexTreeV2:
		err = s.readTreeV2()
	}
	if err == nil {
		err = s.o.f.count(len(s.chunks))
	}
	if err != nil {
		s.chunks = nil
		return fmt.Errorf("chunk index: %w", err)
	}
	return nil
}

// put adds a chunk to the index, unless it lies outside the dataset's current shape.
func (s *storage) put(at []uint64, ref chunkRef) {
	edge := false
	for i, g := range s.grid {
		if at[i] >= g {
			return
		}
		edge = edge || (at[i]+1)*s.chunk[i] > s.space.Dims[i]
	}
	if s.plainEdges && edge {
		ref.mask = ^uint32(0)
	}
	if ref.addr != field.Undefined {
		s.chunks[s.number(at)] = ref
	}
}

// readNumbered reads an index that identifies chunks by their numbers in the grid of the maximum
// shape. The size of the unlimited dimension does not affect the numbers.
func (s *storage) readNumbered() error {
	grid := slices.Clone(s.grid)
	for i, m := range s.space.MaxDims {
		if m != Unlimited {
			grid[i] = ceilDiv(m, s.chunk[i])
		}
	}
	n, ok := product(grid)
	if !ok {
		return errors.New("dataset has too many chunks")
	}
	size, d := uint64(s.chunkBytes()), s.o.disk
	put := func(i, addr, size uint64, mask uint32) {
		s.put(s.place(i, grid), chunkRef{addr: addr, size: size, mask: mask})
	}
	switch s.index {
	case indexFixedArray:
		return index.FixedArray(d, s.addr, n, size, put)
	case indexExtensibleArray:
		u := slices.Index(s.space.MaxDims, Unlimited)
		if u < 0 {
			return errors.New("extensible array for a dataset without unlimited dimension")
		}
		turned := slices.Concat(grid[u:u+1], grid[:u], grid[u+1:])
		return index.ExtensibleArray(d, s.addr, size, func(i, addr, size uint64, mask uint32) {
			if i < n {
				at := s.place(i, turned)
				s.put(slices.Concat(at[1:u+1], at[:1], at[u+1:]), chunkRef{addr: addr, size: size, mask: mask})
			}
		})
	}
	if hi, lo := bits.Mul64(n, size); hi != 0 || lo > d.End {
		return errors.New("chunks are outside the file")
	}
	for i := range n {
		put(i, s.addr+i*size, size, 0)
	}
	return nil
}

func (s *storage) readTreeV2() error {
	rank, o := len(s.chunk), s.o.disk.OffsetSize
	kind := uint8(10)
	if len(s.filters) > 0 {
		kind = 11
	}
	at := make([]uint64, rank)
	return index.TreeV2(s.o.disk, s.addr, kind, func(c *field.Cursor) error {
		ref := chunkRef{size: uint64(s.chunkBytes())}
		width := len(c.Rest) - o - 4 - 8*rank
		ref.addr = c.Addr()
		if kind == 11 {
			if width < 1 || width > 8 {
				return field.ErrShort
			}
			ref.size = c.Uint(width)
			ref.mask = c.U32()
		}
		for i := range at {
			at[i] = c.U64()
		}
		if c.Err == nil {
			s.put(at, ref)
		}
		return c.Err
	})
}

// treeKeySize returns the number of bytes of a key in a chunk B-tree of version 1.
func (s *storage) treeKeySize() int { return 8 + 8*(len(s.chunk)+1) }

func (s *storage) readTreeV1() error {
	at := make([]uint64, len(s.chunk))
	return index.TreeV1(s.o.disk, s.addr, 1, s.treeKeySize(), func(key []byte, child uint64) error {
		c := s.o.disk.Cursor(key)
		ref := chunkRef{addr: child, size: uint64(c.U32()), mask: c.U32()}
		for i, d := range s.chunk {
			off := c.U64()
			if off%d != 0 {
				return fmt.Errorf("chunk at %d is not at a multiple of %d", off, d)
			}
			at[i] = off / d
		}
		s.put(at, ref)
		return nil
	}, func(node uint64) { s.nodes = append(s.nodes, node) })
}

// nodeSize returns the number of bytes of a node in a chunk B-tree of version 1.
func (s *storage) nodeSize() int {
	width := 2 * s.o.disk.ChunkK
	return 24 + width*8 + (width+1)*s.treeKeySize()
}

// releaseIndex releases the space of the index in the file.
func (s *storage) releaseIndex() {
	for _, node := range s.nodes {
		s.o.disk.Release(disk.Extent{Addr: node, Size: s.nodeSize()})
	}
	s.nodes = nil
}

// writeTreeV1 writes the index as a B-tree, leaves first. All nodes are written anew, because each
// refers to its neighbours.
func (s *storage) writeTreeV1() error {
	type entry struct {
		key, end []byte // the keys at which the child starts and ends
		child    uint64
	}
	if len(s.chunks) == 0 {
		s.releaseIndex()
		s.addr = field.Undefined
		return nil
	}
	numbers := make([]uint64, 0, len(s.chunks))
	for n := range s.chunks {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	entries := make([]entry, len(numbers))
	for i, n := range numbers {
		ref, at := s.chunks[n], s.place(n, s.grid)
		entries[i] = entry{s.treeKey(ref, at, 0), s.treeKey(chunkRef{}, at, 1), ref.addr}
	}
	width := 2 * s.o.disk.ChunkK
	nodeSize := s.nodeSize()
	var nodes []uint64
	for level := uint8(0); ; level++ {
		var up []entry
		count := (len(entries) + width - 1) / width
		addrs := make([]uint64, count)
		for i := range addrs {
			addrs[i] = s.o.disk.Alloc(uint64(nodeSize))
		}
		nodes = append(nodes, addrs...)
		var b field.Builder // consecutive nodes in the file
		for i, addr := range addrs {
			part := entries[i*width : min(len(entries), (i+1)*width)]
			left, right := uint64(field.Undefined), uint64(field.Undefined)
			if i > 0 {
				left = addrs[i-1]
			}
			if i+1 < count {
				right = addrs[i+1]
			}
			end := len(b) + nodeSize
			b.Str("TREE")
			b.U8(1, level)
			b.U16(uint16(len(part)))
			b.U64(left)
			b.U64(right)
			for _, e := range part {
				b = append(b, e.key...)
				b.U64(e.child)
			}
			last := part[len(part)-1].end
			b = append(b, last...)
			b.Zeros(end - len(b))
			if right != addr+uint64(nodeSize) {
				if err := s.o.disk.Write(addr+uint64(nodeSize-len(b)), b); err != nil {
					return err
				}
				b = b[:0]
			}
			up = append(up, entry{part[0].key, last, addr})
		}
		if entries = up; count == 1 {
			s.releaseIndex()
			s.addr, s.nodes, s.index, s.plainEdges = entries[0].child, nodes, indexTreeV1, false
			return nil
		}
	}
}

// treeKey returns the key of a chunk, or, with step 1, the key after it.
func (s *storage) treeKey(ref chunkRef, at []uint64, step uint64) []byte {
	var b field.Builder
	b.U32(uint32(ref.size))
	b.U32(ref.mask)
	for i, d := range s.chunk {
		b.U64((at[i] + step) * d)
	}
	b.U64(step * uint64(s.typ.Size))
	return b
}

// openChunk is the one chunk that is kept decoded in memory, so that consecutive rows of the same
// chunk decode it only once.
type openChunk struct {
	s      *storage
	number uint64
	data   []byte
	dirty  bool
}

// chunkData returns a chunk's elements, or nil if it was never written.
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
	// No filter makes a chunk much larger than its elements.
	if limit := 2*uint64(s.chunkBytes()) + 4096; ref.size > limit {
		return nil, fmt.Errorf("chunk is stored in %d bytes, expected at most %d", ref.size, limit)
	}
	p, err := s.o.disk.Read(ref.addr, int(ref.size))
	if err != nil {
		return nil, fmt.Errorf("chunk: %w", err)
	}
	if p, err = s.filters.undo(p, ref.mask, s.chunkBytes()); err != nil {
		return nil, err
	}
	*open = openChunk{s: s, number: number, data: p}
	return p, nil
}

// changeChunk returns a chunk's elements for writing. If whole is set, all of them will be
// overwritten, so the old ones are not read.
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

// closeChunk writes the open chunk if it was changed. A chunk without filters that the file refers
// to is overwritten in place. A partly written filtered chunk would be unreadable, so it gets a
// new place.
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
	own := ok && ref.commit == f.disk.Commits+1
	if stays := ok && (len(c.s.filters) == 0 && n == ref.size || own && n <= disk.Align(ref.size)); !stays {
		if ok {
			f.disk.Release(ref.extent())
		}
		ref.addr, ref.commit = f.disk.Alloc(n), f.disk.Commits+1
	}
	if own && ref.addr == c.s.chunks[c.number].addr {
		f.disk.Release(disk.Extent{Addr: ref.addr + disk.Align(n), Size: int(disk.Align(ref.size) - disk.Align(n))})
	}
	if err := f.disk.Write(ref.addr, p); err != nil {
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

// release releases the space of all elements.
func (s *storage) release() error {
	f := s.o.f
	switch s.class {
	case layoutContiguous:
		if n, ok := s.typ.bytes(s.space.Dims); ok && s.addr != field.Undefined && n <= f.disk.End {
			f.disk.Release(disk.Extent{Addr: s.addr, Size: int(n)})
		}
	case layoutChunked:
		if err := s.loadChunks(); err != nil {
			return err
		}
		for _, ref := range s.chunks {
			f.disk.Release(ref.extent())
		}
		s.releaseIndex()
	}
	if f.open.s == s {
		f.open = openChunk{}
	}
	return nil
}
