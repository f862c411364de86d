package hdf5

import (
	"fmt"
	"slices"
)

// Dataset is an array of elements with a name.
type Dataset struct{ Object }

// Options say how a dataset is stored. The zero Options store it in one piece.
type Options struct {
	Chunk      []uint64 // shape of a chunk; needed by everything below and by a shape that can grow
	Deflate    int      // 1 (fast) to 9 (small); 0 does not compress
	Shuffle    bool     // sorts bytes by significance, so that deflate finds more
	Fletcher32 bool     // checksums every chunk
	Fill       []byte   // value of elements never written, in the dataset's type; nil is zero
}

// Type is the type of the elements in the file.
func (d *Dataset) Type() Type { return d.data.typ }

// Space is the shape.
func (d *Dataset) Space() Space { return d.data.space }

// Options are how the dataset is stored. Filters that the package does not know are not in them.
func (d *Dataset) Options() Options {
	o := Options{Chunk: slices.Clone(d.data.chunk), Fill: slices.Clone(d.data.fill)}
	for _, x := range d.data.filters {
		switch x.id {
		case filterDeflate:
			if o.Deflate = 6; len(x.params) > 0 {
				o.Deflate = int(x.params[0])
			}
		case filterShuffle:
			o.Shuffle = true
		case filterFletcher:
			o.Fletcher32 = true
		}
	}
	return o
}

// CreateDataset makes a dataset, and the groups on the way to it.
func (g *Group) CreateDataset(path string, t Type, space Space, opts Options) (*Dataset, error) {
	if err := g.f.writable(); err != nil {
		return nil, err
	}
	s, err := newStorage(t, space, opts)
	if err != nil {
		return nil, fmt.Errorf("dataset `%s`: %w", path, err)
	}
	messages := s.describe()
	size := 0
	for _, m := range messages {
		if len(m.body) > maxMessage {
			return nil, fmt.Errorf("dataset `%s`: its type or fill value takes %d bytes, at most %d fit", path, len(m.body), maxMessage)
		}
		size += 4 + len(m.body)
	}
	at, name, err := g.parent(path)
	if err != nil {
		return nil, err
	}
	if err := at.free(name); err != nil {
		return nil, err
	}
	o := g.f.newObject(size)
	o.messages, o.data, s.o = messages, s, o
	if err := at.link(Link{Name: name, addr: o.addr}); err != nil {
		return nil, err
	}
	return &Dataset{Object{o, join(at.path, name)}}, nil
}

func newStorage(t Type, space Space, opts Options) (*storage, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := space.check(); err != nil {
		return nil, err
	}
	s := &storage{typ: t, space: space, class: layoutContiguous, addr: undefined, chunk: slices.Clone(opts.Chunk)}
	s.space.Dims, s.space.MaxDims = slices.Clone(space.Dims), slices.Clone(space.MaxDims)
	if opts.Fill != nil {
		if len(opts.Fill) != t.Size {
			return nil, fmt.Errorf("fill value has %d bytes, expected %d", len(opts.Fill), t.Size)
		}
		s.fill = slices.Clone(opts.Fill)
	}
	if opts.Chunk == nil {
		if space.extendible() {
			return nil, fmt.Errorf("a shape that can grow needs `Chunk`")
		}
		if opts.Deflate != 0 || opts.Shuffle || opts.Fletcher32 {
			return nil, fmt.Errorf("filters need `Chunk`")
		}
		return s, s.checkLayout()
	}
	s.class = layoutChunked
	s.chunks = map[uint64]chunkRef{}
	if len(space.Dims) == 0 {
		return nil, fmt.Errorf("a scalar cannot be chunked")
	}
	for i, d := range opts.Chunk {
		if fixed := i < len(space.Dims) && (space.MaxDims == nil || space.MaxDims[i] == space.Dims[i]); fixed && d > space.Dims[i] {
			return nil, fmt.Errorf("chunk dimension %d is larger than dimension %d, which cannot grow", d, space.Dims[i])
		}
	}
	if opts.Shuffle {
		s.filters = append(s.filters, filter{id: filterShuffle, optional: true, params: []uint32{uint32(t.Size)}})
	}
	if opts.Deflate < 0 || opts.Deflate > 9 {
		return nil, fmt.Errorf("deflate level %d, expected 0 to 9", opts.Deflate)
	}
	if opts.Deflate > 0 {
		s.filters = append(s.filters, filter{id: filterDeflate, optional: true, params: []uint32{uint32(opts.Deflate)}})
	}
	if opts.Fletcher32 {
		s.filters = append(s.filters, filter{id: filterFletcher})
	}
	return s, s.checkLayout()
}

// describe gives the messages of a new dataset's header.
func (s *storage) describe() []message {
	const allocLate, allocIncremental, writeIfSet, valueDefined = 2, 3, 2 << 2, 0x20
	fill := builder{3, allocLate | writeIfSet}
	if s.class == layoutChunked {
		fill[1] = allocIncremental | writeIfSet
	}
	if s.fill != nil {
		fill[1] |= valueDefined
		fill.u32(uint32(len(s.fill)))
		fill = append(fill, s.fill...)
	}
	messages := []message{
		{kind: msgDataspace, body: s.space.encode()},
		{kind: msgDatatype, flags: 1, body: encodeType(s.typ)},
		{kind: msgFill, flags: 1, body: fill},
		{kind: msgLayout, body: s.encode()},
	}
	if len(s.filters) > 0 {
		messages = append(messages, message{kind: msgFilters, flags: 1, body: s.filters.encode()})
	}
	return messages
}

// Extend grows a chunked dataset to a shape within its maximum.
func (d *Dataset) Extend(dims []uint64) error {
	s := d.data
	if err := d.change(); err != nil {
		return fmt.Errorf("`%s`: %w", d.path, err)
	}
	if s.class != layoutChunked || len(dims) != len(s.space.Dims) {
		return fmt.Errorf("`%s` has the shape %v and cannot be extended to %v", d.path, s.space.Dims, dims)
	}
	for i, n := range dims {
		most := s.space.Dims[i]
		if s.space.MaxDims != nil {
			most = s.space.MaxDims[i]
		}
		if n < s.space.Dims[i] || n > most {
			return fmt.Errorf("`%s` has the shape %v, maximum %v, and cannot be extended to %v", d.path, s.space.Dims, s.space.MaxDims, dims)
		}
	}
	grown := Space{Dims: slices.Clone(dims), MaxDims: s.space.MaxDims}
	if _, ok := product(append([]uint64{uint64(s.typ.Size)}, dims...)); !ok {
		return fmt.Errorf("`%s` would be too large with the shape %v", d.path, dims)
	}
	if err := d.f.closeChunk(); err != nil {
		return err
	}
	if err := s.loadChunks(); err != nil {
		return fmt.Errorf("`%s`: %w", d.path, err)
	}
	d.f.open = openChunk{}
	s.changed = s.changed || s.plainEdges // who is at the edge changes
	old, oldGrid := s.chunks, s.grid
	s.space = grown
	s.regrid()
	s.chunks = make(map[uint64]chunkRef, len(old))
	for n, ref := range old {
		s.chunks[s.number(s.place(n, oldGrid))] = ref
	}
	d.set(msgDataspace, 0, grown.encode())
	return nil
}
