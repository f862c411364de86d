package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// chunkRef is where a chunk is and how long it is as stored.
type chunkRef struct {
	addr uint64
	size uint64
	mask uint32 // filters that were left out

	commit int // the one that brings a chunk of ours into the file, counted from 1 on; 0: it was there when the file was opened
}

// extent is the room of a chunk. That of our own ends at a multiple of 8.
func (r chunkRef) extent() extent {
	if r.commit > 0 {
		return extent{r.addr, int(align(r.size))}
	}
	return extent{r.addr, int(r.size)}
}

// number gives the chunk at a place of the grid its row-major number.
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

// loadChunks reads the index, whichever of the six kinds it is.
func (s *storage) loadChunks() error {
	if s.chunks != nil {
		return nil
	}
	if _, ok := product(s.grid); !ok {
		return errors.New("dataset has too many chunks")
	}
	s.chunks = map[uint64]chunkRef{}
	if s.addr == undefined || s.space.Len() == 0 {
		return nil
	}
	var err error
	switch s.index {
	case indexTreeV1:
		err = s.readTreeV1()
	case indexSingle:
		if s.single.addr = s.addr; s.single.size == undefined {
			s.single.size = uint64(s.chunkBytes())
		}
		s.put(make([]uint64, len(s.grid)), s.single)
	case indexImplicit:
		err = s.implicit()
	case indexFixedArray:
		err = s.fixedArray()
	case indexExtensibleArray:
		err = s.extensibleArray()
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

// put enters a chunk; one outside the dataset's present shape is not used.
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
	if ref.addr != undefined {
		s.chunks[s.number(at)] = ref
	}
}

// maxGrid is the grid of the maximum shape, by which arrays number chunks.
// Along the dimension without limit the count does not matter.
func (s *storage) maxGrid() ([]uint64, error) {
	grid := slices.Clone(s.grid)
	for i, m := range s.space.MaxDims {
		if m != Unlimited {
			grid[i] = ceilDiv(m, s.chunk[i])
		}
	}
	if _, ok := product(grid); !ok {
		return nil, errors.New("dataset has too many chunks")
	}
	return grid, nil
}

func (s *storage) implicit() error {
	grid, err := s.maxGrid()
	if err != nil {
		return err
	}
	n, _ := product(grid)
	size := uint64(s.chunkBytes())
	if hi, lo := bits.Mul64(n, size); hi != 0 || lo > s.o.f.end {
		return errors.New("chunks are outside the file")
	}
	for i := range n {
		s.put(s.place(i, grid), chunkRef{addr: s.addr + i*size, size: size})
	}
	return nil
}

// arrayChunk takes one element of a fixed or extensible array.
func (s *storage) arrayChunk(c *cursor, filtered bool, size int) chunkRef {
	ref := chunkRef{addr: c.addr(), size: uint64(s.chunkBytes())}
	if filtered {
		ref.size = c.uint(size - s.o.f.sb.offsetSize - 4)
		ref.mask = c.u32()
	}
	return ref
}

// arrayElement checks the size of an array's elements.
func (s *storage) arrayElement(client uint8, size int) (filtered bool, err error) {
	o := s.o.f.sb.offsetSize
	switch {
	case client == 0 && size == o:
		return false, nil
	case client == 1 && size > o+4 && size <= o+12:
		return true, nil
	}
	return false, fmt.Errorf("array of chunks has elements of %d bytes for client %d", size, client)
}

func (s *storage) readTreeV2() error {
	rank, o := len(s.chunk), s.o.f.sb.offsetSize
	kind := uint8(10)
	if len(s.filters) > 0 {
		kind = 11
	}
	at := make([]uint64, rank)
	return s.o.f.btreeV2(s.addr, kind, func(c *cursor) error {
		ref := chunkRef{size: uint64(s.chunkBytes())}
		width := len(c.b) - o - 4 - 8*rank
		ref.addr = c.addr()
		if kind == 11 {
			if width < 1 || width > 8 {
				return errShort
			}
			ref.size = c.uint(width)
			ref.mask = c.u32()
		}
		for i := range at {
			at[i] = c.u64()
		}
		if c.err == nil {
			s.put(at, ref)
		}
		return c.err
	})
}

// treeKeySize is the bytes of a key in a chunk B-tree of version 1.
func (s *storage) treeKeySize() int { return 8 + 8*(len(s.chunk)+1) }

func (s *storage) readTreeV1() error {
	at := make([]uint64, len(s.chunk))
	return s.o.f.btreeV1(s.addr, 1, s.treeKeySize(), func(key []byte, child uint64) error {
		c := &cursor{b: key, sb: &s.o.f.sb}
		ref := chunkRef{addr: child, size: uint64(c.u32()), mask: c.u32()}
		for i, d := range s.chunk {
			off := c.u64()
			if off%d != 0 {
				return fmt.Errorf("chunk at %d is not at a multiple of %d", off, d)
			}
			at[i] = off / d
		}
		s.put(at, ref)
		return nil
	}, func(node uint64) { s.nodes = append(s.nodes, node) })
}

// nodeSize is the bytes of a node in a chunk B-tree of version 1.
func (s *storage) nodeSize() int {
	width := 2 * s.o.f.sb.chunkK
	return 24 + width*8 + (width+1)*s.treeKeySize()
}

// releaseIndex gives back the room of the index in the file.
func (s *storage) releaseIndex() {
	for _, node := range s.nodes {
		s.o.f.release(extent{node, s.nodeSize()})
	}
	s.nodes = nil
}

// writeTreeV1 writes the index as B-tree, leaves first. All of it is new, as
// each node refers to its neighbours.
func (s *storage) writeTreeV1() error {
	type entry struct {
		key, end []byte // where the child starts and where it ends
		child    uint64
	}
	if len(s.chunks) == 0 {
		s.releaseIndex()
		s.addr = undefined
		return nil
	}
	numbers := make([]uint64, 0, len(s.chunks))
	for n := range s.chunks {
		numbers = append(numbers, n)
	}
	slices.SortFunc(numbers, cmp.Compare[uint64])
	entries := make([]entry, len(numbers))
	for i, n := range numbers {
		ref, at := s.chunks[n], s.place(n, s.grid)
		entries[i] = entry{s.treeKey(ref, at, 0), s.treeKey(chunkRef{}, at, 1), ref.addr}
	}
	width := 2 * s.o.f.sb.chunkK
	nodeSize := s.nodeSize()
	var nodes []uint64
	for level := uint8(0); ; level++ {
		var up []entry
		count := (len(entries) + width - 1) / width
		addrs := make([]uint64, count)
		for i := range addrs {
			addrs[i] = s.o.f.alloc(uint64(nodeSize))
		}
		nodes = append(nodes, addrs...)
		var b builder // nodes that follow each other in the file
		for i, addr := range addrs {
			part := entries[i*width : min(len(entries), (i+1)*width)]
			left, right := uint64(undefined), uint64(undefined)
			if i > 0 {
				left = addrs[i-1]
			}
			if i+1 < count {
				right = addrs[i+1]
			}
			end := len(b) + nodeSize
			b.str("TREE")
			b.u8(1, level)
			b.u16(uint16(len(part)))
			b.u64(left)
			b.u64(right)
			for _, e := range part {
				b = append(b, e.key...)
				b.u64(e.child)
			}
			last := part[len(part)-1].end
			b = append(b, last...)
			b.zeros(end - len(b))
			if right != addr+uint64(nodeSize) {
				if err := s.o.f.write(addr+uint64(nodeSize-len(b)), b); err != nil {
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

// treeKey is the key of a chunk, or with step 1 the one behind it.
func (s *storage) treeKey(ref chunkRef, at []uint64, step uint64) []byte {
	var b builder
	b.u32(uint32(ref.size))
	b.u32(ref.mask)
	for i, d := range s.chunk {
		b.u64((at[i] + step) * d)
	}
	b.u64(step * uint64(s.typ.Size))
	return b
}
