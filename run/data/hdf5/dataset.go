package hdf5

import (
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// Dataset is an array of elements with a name.
type Dataset struct{ Object }

// Options says how a dataset is stored. The zero Options store it contiguously.
type Options struct {
	Chunk      []uint64 // shape of a chunk; needed by all options below and by a shape that can grow
	Deflate    int      // 1 (fast) to 9 (small); 0 does not compress
	Shuffle    bool     // sorts bytes by significance, so that deflate compresses better
	Fletcher32 bool     // adds a checksum to every chunk
	Fill       []byte   // value of elements that were never written, in the dataset's type; nil is zero
}

// Space returns the shape.
func (d *Dataset) Space() Space { return d.data.space }

// Type returns the type of the elements in the file.
func (d *Dataset) Type() Type { return d.data.typ }

// Fill returns the value of elements that were never written; nil is zero.
func (d *Dataset) Fill() []byte { return d.data.fill }

// Chunk returns the shape of the chunks, or nil if elements are not stored in chunks.
func (d *Dataset) Chunk() []uint64 {
	if d.data.class != layoutChunked {
		return nil
	}
	return slices.Clone(d.data.chunk)
}

// CreateDataset makes a dataset, and the missing groups of its path.
func (g *Group) CreateDataset(path string, t Type, space Space, opts Options) (*Dataset, error) {
	if err := g.disk.Writable(); err != nil {
		return nil, err
	}
	s, err := newStorage(t, space, opts)
	if err != nil {
		return nil, fmt.Errorf("dataset `%s`: %w", path, err)
	}
	messages := s.describe()
	if err := fitting(messages); err != nil {
		return nil, fmt.Errorf("dataset `%s`: %w", path, err)
	}
	size := 0
	for _, m := range messages {
		size += 6 + len(m.body)
	}
	at, name, err := g.parent(path)
	if err != nil {
		return nil, err
	}
	if err := at.free(name); err != nil {
		return nil, err
	}
	o := at.newObject(size)
	o.messages, o.data, s.o = messages, s, o
	if err := at.link(Link{Name: name, addr: o.addr}); err != nil {
		return nil, err
	}
	return &Dataset{Object{o, join(at.path, name)}}, nil
}

// fitting returns an error if a message is too large for a header.
func fitting(messages []message) error {
	for _, m := range messages {
		if len(m.body) > maxMessage {
			return fmt.Errorf("its type or fill value takes %d bytes, at most %d fit", len(m.body), maxMessage)
		}
	}
	return nil
}

func newStorage(t Type, space Space, opts Options) (*storage, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := space.check(); err != nil {
		return nil, err
	}
	s := &storage{typ: t, space: space, class: layoutContiguous, addr: field.Undefined, chunk: slices.Clone(opts.Chunk)}
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

// describe returns the messages of a new dataset's header.
func (s *storage) describe() []message {
	const allocLate, allocIncremental, writeIfSet, valueDefined = 2, 3, 2 << 2, 0x20
	fill := field.Builder{3, allocLate | writeIfSet}
	if s.class == layoutChunked {
		fill[1] = allocIncremental | writeIfSet
	}
	if s.fill != nil {
		fill[1] |= valueDefined
		fill.U32(uint32(len(s.fill)))
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
