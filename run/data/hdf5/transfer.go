package hdf5

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// transfer is one Read or Write: the selected elements, and their layout in memory.
type transfer struct {
	s    *storage
	slab Slab
	mem  ordinals
	size int // of an element in memory
	buf  []byte
	conv converter
	part []byte // buffer for elements of the file's type
	bad  error  // the error of an element that cannot be converted
}

// Read copies the selected elements into buf, in mem's type and layout.
func (d *Dataset) Read(buf []byte, mem Memory, at Slab) error {
	x, err := d.transfer(buf, mem, at, false)
	if err == nil {
		err = cmp.Or(x.read(), x.bad)
	}
	if err != nil {
		return d.wrap(err)
	}
	return nil
}

// Write copies elements of buf, in mem's type and layout, to the selected elements.
func (d *Dataset) Write(buf []byte, mem Memory, at Slab) error {
	err := d.changeable()
	var x *transfer
	if err == nil {
		x, err = d.transfer(buf, mem, at, true)
	}
	if err == nil {
		err = x.write()
	}
	if err != nil {
		return d.wrap(err)
	}
	return nil
}

func (d *Dataset) transfer(buf []byte, mem Memory, at Slab, write bool) (*transfer, error) {
	x := &transfer{s: d.data, buf: buf}
	if x.s.space.Null {
		at = Slab{}
		if mem.Dims == nil {
			mem.Dims = []uint64{0}
		}
	}
	var err error
	if x.slab, err = at.within(x.s.space.Dims); err != nil {
		return nil, err
	}
	t := mem.Type
	if t.Size == 0 {
		t = x.s.typ
	} else if err := t.check(); err != nil {
		return nil, fmt.Errorf("type in memory: %w", err)
	}
	switch {
	case write:
		x.conv, err = compile(t, x.s.typ)
	case x.s.typ.VarText() && t.Class == String:
		x.conv = x.texts(t)
	default:
		x.conv, err = compile(x.s.typ, t)
	}
	if err != nil {
		return nil, err
	}
	x.size = t.Size
	return x, x.place(mem)
}

// texts returns a converter for texts of variable length. A text that does not fit is an error.
func (x *transfer) texts(to Type) converter {
	from, room := x.s.typ, to.Size
	if to.Pad == NullTerm {
		room--
	}
	return converter{from: from.Size, to: to.Size, run: func(dst, src []byte, n int) {
		list, err := textsOf(&x.s.o.f.values, from, src, n)
		x.bad = cmp.Or(x.bad, err)
		for i, text := range list {
			if len(text) > room {
				x.bad = cmp.Or(x.bad, fmt.Errorf("`%.40s` has %d bytes, but there is room for %d", text, len(text), room))
			}
			copyText(dst[i*to.Size:(i+1)*to.Size], []byte(text), NullPad, to.Pad)
		}
	}}
}

// place checks that as many elements are selected in memory as in the file.
func (x *transfer) place(mem Memory) error {
	if mem.Dims == nil {
		mem.Dims = x.slab.Count
	}
	need, ok := product(append([]uint64{uint64(x.size)}, mem.Dims...))
	if !ok || len(mem.Dims) > maxRank || need > uint64(len(x.buf)) {
		return fmt.Errorf("memory of shape %v needs %d bytes, but has %d", mem.Dims, need, len(x.buf))
	}
	slab, err := mem.Slab.within(mem.Dims)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	inFile, _ := product(x.slab.Count)
	if x.s.space.Null {
		inFile = 0
	}
	if inMemory, _ := product(slab.Count); inFile != inMemory {
		return fmt.Errorf("%d elements are selected in memory and %d in the file", inMemory, inFile)
	}
	x.mem = newOrdinals(mem.Dims, slab)
	return nil
}

func (x *transfer) empty() bool {
	n, _ := product(x.slab.Count)
	return n == 0 || x.s.space.Null
}

func (x *transfer) read() error {
	if x.empty() {
		return nil
	}
	s := x.s
	origin := make([]uint64, len(s.space.Dims))
	switch {
	case s.class == layoutChunked:
		return x.eachChunk(func(number uint64, origin []uint64, _ bool) error {
			data, err := s.chunkData(number)
			if err != nil {
				return err
			}
			if data == nil {
				return slabRuns(origin, s.chunk, x.slab, x.readFill)
			}
			return slabRuns(origin, s.chunk, x.slab, func(at, ordinal, n uint64) error { return x.fromBlock(data, at, ordinal, n) })
		})
	case s.class == layoutCompact:
		return slabRuns(origin, s.space.Dims, x.slab, func(at, ordinal, n uint64) error { return x.fromBlock(s.compact, at, ordinal, n) })
	case s.addr == field.Undefined:
		return slabRuns(origin, s.space.Dims, x.slab, x.readFill)
	}
	return slabRuns(origin, s.space.Dims, x.slab, x.fromFile)
}

// fromBlock copies a run of decoded elements to memory.
func (x *transfer) fromBlock(data []byte, at, ordinal, n uint64) error {
	size := uint64(x.s.typ.Size)
	return x.mem.each(ordinal, n, func(to, k uint64) error {
		x.conv.run(x.buf[to*uint64(x.size):], data[at*size:], int(k))
		at += k
		return nil
	})
}

func (x *transfer) readFill(_, ordinal, n uint64) error {
	fill := x.s.fill
	if fill == nil {
		fill = make([]byte, x.s.typ.Size)
	}
	return x.mem.each(ordinal, n, func(to, k uint64) error {
		for i := range k {
			x.conv.run(x.buf[(to+i)*uint64(x.size):], fill, 1)
		}
		return nil
	})
}

// blockBytes is the size of the blocks in which elements are converted.
const blockBytes = 1 << 18

// block returns a buffer for k elements, or for as many as are converted at a time.
func (x *transfer) block(k uint64) ([]byte, uint64) {
	size := uint64(x.s.typ.Size)
	n := min(k, max(1, blockBytes/size))
	if uint64(len(x.part)) < n*size {
		x.part = make([]byte, n*size)
	}
	return x.part[:n*size], n
}

func (x *transfer) fromFile(at, ordinal, n uint64) error {
	size := uint64(x.s.typ.Size)
	if err := x.inFile(at, n); err != nil {
		return err
	}
	return x.mem.each(ordinal, n, func(to, k uint64) error {
		dst := x.buf[to*uint64(x.size):]
		from := x.s.addr + at*size
		at += k
		if x.conv.same {
			return x.s.o.disk.ReadInto(from, dst[:k*size])
		}
		for k > 0 {
			p, n := x.block(k)
			if err := x.s.o.disk.ReadInto(from, p); err != nil {
				return err
			}
			x.conv.run(dst, p, int(n))
			dst, from, k = dst[n*uint64(x.size):], from+n*size, k-n
		}
		return nil
	})
}

// inFile checks that a range of contiguous storage lies in the file.
func (x *transfer) inFile(at, n uint64) error {
	size := uint64(x.s.typ.Size)
	if at+n > 1<<62/size || !x.s.o.disk.Inside(x.s.addr, (at+n)*size) {
		return fmt.Errorf("data at address %#x reaches past the end of the file", x.s.addr)
	}
	return nil
}

func (x *transfer) write() error {
	if x.empty() {
		return nil
	}
	s := x.s
	origin := make([]uint64, len(s.space.Dims))
	switch s.class {
	case layoutChunked:
		if s.elsewhere {
			return x.writeChunks()
		}
		return x.eachChunk(func(number uint64, origin []uint64, whole bool) error {
			data, err := s.changeChunk(number, whole && !x.conv.partial)
			if err != nil {
				return err
			}
			return slabRuns(origin, s.chunk, x.slab, func(at, ordinal, n uint64) error { return x.toBlock(data, at, ordinal, n) })
		})
	case layoutCompact:
		s.compact = slices.Clone(s.compact)
		err := slabRuns(origin, s.space.Dims, x.slab, func(at, ordinal, n uint64) error { return x.toBlock(s.compact, at, ordinal, n) })
		s.o.set(msgLayout, 0, s.encode())
		return err
	}
	if s.addr == field.Undefined {
		if err := s.allocate(slices.Equal(x.slab.Count, s.space.Dims) && !x.conv.partial); err != nil {
			return err
		}
	}
	return slabRuns(origin, s.space.Dims, x.slab, x.toFile)
}

// writeChunks writes to chunks for which another process has allocated space.
func (x *transfer) writeChunks() error {
	s := x.s
	return x.eachChunk(func(number uint64, origin []uint64, _ bool) error {
		ref, ok := s.chunks[number]
		if !ok || len(s.filters) > 0 {
			return fmt.Errorf("chunk %d has no room to be written to", number)
		}
		s.addr = ref.addr // toFile computes addresses from it
		return slabRuns(origin, s.chunk, x.slab, x.toFile)
	})
}

// allocate allocates space for contiguous data. Elements that are not written at once get
// the fill value; if it is zero, new space already has it.
func (s *storage) allocate(whole bool) error {
	n := s.space.Len() * uint64(s.typ.Size)
	if n > 1<<62 {
		return fmt.Errorf("dataset of %d bytes is too large", n)
	}
	if whole {
		s.addr = s.o.disk.Alloc(n)
	} else {
		s.addr = s.o.disk.AllocEnd(n)
	}
	s.o.set(msgLayout, 0, s.encode())
	if s.fill == nil || whole {
		return nil
	}
	block := make([]byte, s.typ.Size*max(1, blockBytes/s.typ.Size))
	s.fillElements(block)
	for at := uint64(0); at < n; at += uint64(len(block)) {
		if err := s.o.disk.Write(s.addr+at, block[:min(uint64(len(block)), n-at)]); err != nil {
			return err
		}
	}
	return nil
}

func (x *transfer) toBlock(data []byte, at, ordinal, n uint64) error {
	size := uint64(x.s.typ.Size)
	return x.mem.each(ordinal, n, func(from, k uint64) error {
		x.conv.run(data[at*size:], x.buf[from*uint64(x.size):], int(k))
		at += k
		return nil
	})
}

func (x *transfer) toFile(at, ordinal, n uint64) error {
	size := uint64(x.s.typ.Size)
	if err := x.inFile(at, n); err != nil {
		return err
	}
	return x.mem.each(ordinal, n, func(from, k uint64) error {
		src := x.buf[from*uint64(x.size):]
		to := x.s.addr + at*size
		at += k
		if x.conv.same {
			return x.s.o.disk.Write(to, src[:k*size])
		}
		for k > 0 {
			p, n := x.block(k)
			if x.conv.partial {
				if err := x.s.o.disk.ReadInto(to, p); err != nil {
					return err
				}
			}
			x.conv.run(p, src, int(n))
			if err := x.s.o.disk.Write(to, p); err != nil {
				return err
			}
			src, to, k = src[n*uint64(x.size):], to+n*size, k-n
		}
		return nil
	})
}

// eachChunk calls fn for every chunk that the selection touches; whole reports whether
// the selection covers all of the chunk inside the dataset.
func (x *transfer) eachChunk(fn func(number uint64, origin []uint64, whole bool) error) error {
	s := x.s
	if err := s.loadChunks(); err != nil {
		return err
	}
	rank := len(s.chunk)
	first, last := make([]uint64, rank), make([]uint64, rank)
	for i, d := range s.chunk {
		first[i] = x.slab.Start[i] / d
		last[i] = (x.slab.Start[i] + x.slab.Count[i] - 1) / d
	}
	at, origin := slices.Clone(first), make([]uint64, rank)
	for {
		whole := true
		for i, d := range s.chunk {
			origin[i] = at[i] * d
			end := min(origin[i]+d, s.space.Dims[i])
			whole = whole && x.slab.Start[i] <= origin[i] && x.slab.Start[i]+x.slab.Count[i] >= end
		}
		if err := fn(s.number(at), origin, whole); err != nil {
			return err
		}
		i := rank - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] <= last[i] {
				break
			}
			at[i] = first[i]
		}
		if i < 0 {
			return nil
		}
	}
}
