package hdf5

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// Place describes where the elements of a dataset are in a file. One process changes the
// file; others write and read elements in the space that it reserved for them:
//
//	the process that changes the file          any other
//	MakeRoom ──▶ Place ───────────────────▶ Open ──▶ Write, Read
//	                                               │   or, if chunks have filters,
//	PlaceChunk ◀── length of the chunk ◀───────────┤   Cut ──▶ Join ──▶ Pack
//	     └───────▶ address ──────────▶ WriteChunk ─┘
//	Close, when all have written
//
// All its fields are exported, so that it can be sent.
type Place struct {
	Path     string
	Base     int64
	End      uint64
	Messages []PlaceMessage
	Chunks   []PlaceChunk // the chunks that the selections touch, if they have space
}

// PlaceMessage is a message of a dataset's header.
type PlaceMessage struct {
	Kind uint16
	Body []byte
}

// PlaceChunk says where a chunk is stored.
type PlaceChunk struct {
	Number, Addr, Size uint64
	Mask               uint32
}

// MakeRoom allocates space for elements that several processes write at the same time,
// each its own selection, and returns where it is. Chunks with filters get their space
// from PlaceChunk.
func (d *Dataset) MakeRoom(slabs []Slab) (*Place, error) {
	if err := d.changeable(); err != nil {
		return nil, d.wrap(err)
	}
	p, err := d.makeRoom(slabs)
	if err != nil {
		return nil, d.wrap(err)
	}
	return p, nil
}

func (d *Dataset) makeRoom(slabs []Slab) (*Place, error) {
	s, f := d.data, d.f
	var parts []Slab // the selections that are not empty
	for i, at := range slabs {
		at, err := at.within(s.space.Dims)
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", i, err)
		}
		if n, _ := product(at.Count); n > 0 && !s.space.Null {
			parts = append(parts, at)
		}
	}
	if err := f.disk.ClearEnd(); err != nil {
		return nil, err
	}
	p := &Place{Path: d.path, Base: f.disk.Base}
	switch {
	case s.class == layoutChunked:
		if err := s.makeChunks(parts, p); err != nil {
			return nil, err
		}
	case s.class == layoutCompact:
		if err := s.unfold(); err != nil {
			return nil, err
		}
	case s.addr == field.Undefined && len(parts) > 0:
		if err := s.allocate(covered(make([]uint64, len(s.space.Dims)), s.space.Dims, parts)); err != nil {
			return nil, err
		}
	}
	p.End = f.disk.End
	for _, kind := range []uint16{msgDataspace, msgDatatype, msgFill, msgFillOld, msgFilters} {
		body, there, err := d.object.find(kind)
		if err != nil {
			return nil, err
		}
		if there {
			p.Messages = append(p.Messages, PlaceMessage{kind, body})
		}
	}
	p.Messages = append(p.Messages, PlaceMessage{msgLayout, s.encode()})
	return p, nil
}

// unfold moves elements from the header to separate storage, because only one process can
// write the header.
func (s *storage) unfold() error {
	elements := s.compact
	s.class, s.compact, s.addr = layoutContiguous, nil, field.Undefined
	if err := s.allocate(true); err != nil {
		return err
	}
	return s.o.disk.Write(s.addr, elements[:s.space.Len()*uint64(s.typ.Size)])
}

// makeChunks finds the chunks that selections touch. Chunks without filters get space,
// and the fill value if not all of their elements will be written.
func (s *storage) makeChunks(parts []Slab, p *Place) error {
	if err := s.loadChunks(); err != nil {
		return err
	}
	touching := map[uint64][]Slab{}
	origins := map[uint64][]uint64{}
	var numbers []uint64
	for _, at := range parts {
		x := transfer{s: s, slab: at}
		err := x.eachChunk(func(number uint64, origin []uint64, _ bool) error {
			if touching[number] == nil {
				numbers = append(numbers, number)
				origins[number] = slices.Clone(origin)
			}
			touching[number] = append(touching[number], at)
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		ref, there := s.chunks[number]
		if !there && len(s.filters) == 0 {
			var err error
			if ref, err = s.makeChunk(covered(origins[number], s.chunk, touching[number])); err != nil {
				return err
			}
			s.chunks[number], s.changed, there = ref, true, true
			s.o.touch()
		}
		if there {
			p.Chunks = append(p.Chunks, PlaceChunk{number, ref.addr, ref.size, ref.mask})
		}
	}
	return nil
}

func (s *storage) makeChunk(covered bool) (chunkRef, error) {
	f, n := s.o.f, s.chunkBytes()
	ref := chunkRef{size: uint64(n), commit: f.disk.Commits + 1}
	if covered {
		ref.addr = f.disk.Alloc(ref.size)
		return ref, nil
	}
	ref.addr = f.disk.AllocEnd(ref.size)
	if s.fill == nil {
		return ref, nil
	}
	elements := make([]byte, n)
	s.fillElements(elements)
	return ref, f.disk.Write(ref.addr, elements)
}

// covered reports whether selections fill a block without overlapping.
func covered(origin, shape []uint64, slabs []Slab) bool {
	boxes := make([]Slab, 0, len(slabs))
	sum := uint64(0)
	for _, s := range slabs {
		b := Slab{make([]uint64, len(shape)), make([]uint64, len(shape))}
		n := uint64(1)
		for i := range shape {
			from, to := max(origin[i], s.Start[i]), min(origin[i]+shape[i], s.Start[i]+s.Count[i])
			b.Start[i], b.Count[i] = from, to-min(from, to)
			n *= b.Count[i]
		}
		if n > 0 {
			boxes = append(boxes, b)
			sum += n
		}
	}
	if n, ok := product(shape); !ok || sum != n {
		return false
	}
	if len(shape) == 0 {
		return len(boxes) == 1
	}
	slices.SortFunc(boxes, func(a, b Slab) int { return slices.Compare(a.Start, b.Start) })
	for i, a := range boxes {
		for _, b := range boxes[i+1:] {
			if b.Start[0] >= a.Start[0]+a.Count[0] {
				break
			}
			if overlap(a, b) {
				return false
			}
		}
	}
	return true
}

func overlap(a, b Slab) bool {
	for i := range a.Start {
		if a.Start[i] >= b.Start[i]+b.Count[i] || b.Start[i] >= a.Start[i]+a.Count[i] {
			return false
		}
	}
	return true
}

// Is reports whether d and other are the same dataset.
func (d *Dataset) Is(other *Dataset) bool { return d.object == other.object }

// Filtered reports whether chunks have filters, so that only one process, the owner of a
// chunk, can write it.
func (d *Dataset) Filtered() bool { return d.data.class == layoutChunked && len(d.data.filters) > 0 }

// PlaceChunk allocates space for a chunk that is stored in n bytes, which the owner of
// the chunk writes.
func (d *Dataset) PlaceChunk(number uint64, n int) (addr uint64) {
	s, f := d.data, d.f
	if ref, there := s.chunks[number]; there {
		f.disk.Release(ref.extent())
	}
	ref := chunkRef{addr: f.disk.Alloc(uint64(n)), size: uint64(n), commit: f.disk.Commits + 1}
	s.chunks[number], s.changed = ref, true
	s.o.touch()
	return ref.addr
}

// Disk is a file that a process has opened separately; *os.File implements it.
type Disk interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// Open returns the dataset for a process that has opened the file separately. The dataset
// has no attributes.
func (p *Place) Open(file Disk) (*Dataset, error) {
	f := newFile(disk.New(file, p.Base, p.End))
	f.disk.W = file
	o := &object{f: f, disk: f.disk}
	for _, m := range p.Messages {
		o.messages = append(o.messages, message{kind: m.Kind, body: m.Body})
	}
	if err := o.load(); err != nil {
		return nil, fmt.Errorf("`%s`: %w", p.Path, err)
	}
	if s := o.data; s.class == layoutChunked {
		s.chunks, s.elsewhere = map[uint64]chunkRef{}, true
		for _, c := range p.Chunks {
			s.chunks[c.Number] = chunkRef{addr: c.Addr, size: c.Size, mask: c.Mask}
		}
	}
	return &Dataset{Object{o, p.Path}}, nil
}

// ChunksOf calls fn with the number of each chunk that a selection touches.
func (d *Dataset) ChunksOf(at Slab, fn func(number uint64)) error {
	at, err := at.within(d.data.space.Dims)
	if err != nil {
		return d.wrap(err)
	}
	x := transfer{s: d.data, slab: at}
	if x.empty() {
		return nil
	}
	return x.eachChunk(func(number uint64, _ []uint64, _ bool) error {
		fn(number)
		return nil
	})
}

// Cut divides a selection into pieces, one for each chunk that it touches. It calls fn
// with each piece, in the type of the file, as Join expects it.
func (d *Dataset) Cut(buf []byte, mem Memory, at Slab, fn func(number uint64, piece []byte) error) error {
	x, err := d.transfer(buf, mem, at, true)
	if err == nil && x.conv.partial {
		err = fmt.Errorf("elements lack members of the dataset: if several processes write chunks with filters, each must write whole elements")
	}
	if err == nil && !x.empty() {
		err = x.eachChunk(func(number uint64, origin []uint64, _ bool) error {
			var piece []byte
			err := slabRuns(origin, d.data.chunk, x.slab, func(_, ordinal, n uint64) error {
				from := uint64(len(piece)) / uint64(d.data.typ.Size)
				piece = append(piece, make([]byte, n*uint64(d.data.typ.Size))...)
				return x.toBlock(piece, from, ordinal, n)
			})
			if err != nil {
				return err
			}
			return fn(number, piece)
		})
	}
	if err != nil {
		return d.wrap(err)
	}
	return nil
}

// Join copies a piece of a selection into a chunk. This process keeps the chunk's
// elements until Pack.
func (d *Dataset) Join(number uint64, at Slab, piece []byte) error {
	s := d.data
	if s.joined == nil {
		s.joined = map[uint64][]byte{}
	}
	elements := s.joined[number]
	if elements == nil {
		old, err := s.chunkData(number)
		if err != nil {
			return d.wrap(err)
		}
		if elements = slices.Clone(old); elements == nil {
			elements = make([]byte, s.chunkBytes())
			s.fillElements(elements)
		}
		s.joined[number] = elements
	}
	at, err := at.within(s.space.Dims)
	if err != nil {
		return d.wrap(err)
	}
	origin := s.place(number, s.grid)
	for i := range origin {
		origin[i] *= s.chunk[i]
	}
	size := uint64(s.typ.Size)
	return slabRuns(origin, s.chunk, at, func(to, _, n uint64) error {
		if uint64(len(piece)) < n*size {
			return fmt.Errorf("`%s`: a piece of a chunk is too short", d.path)
		}
		copy(elements[to*size:], piece[:n*size])
		piece = piece[n*size:]
		return nil
	})
}

// Pack calls fn with each chunk that pieces were joined to, as it is stored.
func (d *Dataset) Pack(fn func(number uint64, stored []byte)) error {
	for _, n := range slices.Sorted(maps.Keys(d.data.joined)) {
		stored, err := d.data.filters.apply(d.data.joined[n], &d.f.packer)
		if err != nil {
			return d.wrap(err)
		}
		fn(n, stored)
	}
	d.data.joined = nil
	return nil
}

// WriteChunk writes a stored chunk at the address from PlaceChunk.
func (d *Dataset) WriteChunk(addr uint64, stored []byte) error { return d.disk.Write(addr, stored) }
