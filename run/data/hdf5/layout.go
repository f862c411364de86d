package hdf5

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// Kinds of storage.
const (
	layoutCompact    = 0
	layoutContiguous = 1
	layoutChunked    = 2
)

// Kinds of chunk indexes. The old B-tree has no number in the file format.
const (
	indexTreeV1 = iota
	indexSingle
	indexImplicit
	indexFixedArray
	indexExtensibleArray
	indexTreeV2
)

// maxChunkBytes limits the memory for one chunk.
const maxChunkBytes = 1 << 30

// storage describes how and where the elements of a dataset are stored.
type storage struct {
	o       *object
	typ     Type
	space   Space
	class   uint8
	compact []byte
	addr    uint64 // contiguous: address of the data; chunked: address of the index
	chunk   []uint64
	filters pipeline
	fill    []byte // nil: zero bytes

	index      uint8
	single     chunkRef // the only chunk of indexSingle, if it is filtered
	plainEdges bool     // partial chunks at the edge of the dataset are stored without filters
	chunks     map[uint64]chunkRef
	grid       []uint64 // number of chunks in each dimension
	changed    bool     // the index has to be written
	nodes      []uint64 // addresses of the index's B-tree nodes in the file

	elsewhere bool              // another process manages the index and has allocated the chunks: those without filters are written in place
	joined    map[uint64][]byte // elements of chunks, until Pack
}

// load reads the description of an object's elements.
func (o *object) load() error {
	if o.data != nil {
		return nil
	}
	layout, _, err := o.find(msgLayout)
	if err != nil {
		return err
	}
	s := &storage{o: o}
	if s.typ, err = o.datatype(); err != nil {
		return err
	}
	if s.space, err = o.dataspace(); err != nil {
		return err
	}
	if body, ok, err := o.find(msgFilters); err != nil {
		return err
	} else if ok {
		if s.filters, err = decodeFilters(o.disk.Cursor(body)); err != nil {
			return err
		}
	}
	if o.has(msgExternal) {
		return errors.New("data in other files is not supported")
	}
	if err := s.loadFill(); err != nil {
		return err
	}
	c := o.disk.Cursor(layout)
	switch version := c.U8(); version {
	case 1, 2:
		s.layoutV1(c)
	case 3:
		s.layoutV3(c)
	case 4:
		s.layoutV4(c)
	default:
		return fmt.Errorf("layout message has version %d, expected 1 to 4", version)
	}
	if c.Err != nil {
		return fmt.Errorf("layout: %w", c.Err)
	}
	if err := s.checkLayout(); err != nil {
		return err
	}
	o.data = s
	return nil
}

// datatype returns the type that an object's header describes.
func (o *object) datatype() (Type, error) {
	body, ok, err := o.find(msgDatatype)
	if err != nil {
		return Type{}, err
	}
	if !ok {
		return Type{}, errors.New("object has no type")
	}
	return decodeType(o.disk.Cursor(body))
}

func (o *object) dataspace() (Space, error) {
	body, ok, err := o.find(msgDataspace)
	if err != nil {
		return Space{}, err
	}
	if !ok {
		return Space{}, errors.New("object has no shape")
	}
	return decodeSpace(o.disk.Cursor(body))
}

func (s *storage) layoutV1(c *field.Cursor) {
	rank := int(c.U8())
	s.class = c.U8()
	c.Skip(5)
	s.addr = field.Undefined
	if s.class != layoutCompact {
		s.addr = c.Addr()
	}
	for range rank {
		s.chunk = append(s.chunk, uint64(c.U32()))
	}
	if s.class == layoutCompact {
		n := c.U32()
		s.compact = c.Bytes(int(n))
	}
	s.dropElementSize(c)
}

func (s *storage) layoutV3(c *field.Cursor) {
	s.class = c.U8()
	switch s.class {
	case layoutCompact:
		s.compact = c.Bytes(int(c.U16()))
	case layoutContiguous:
		s.addr = c.Addr()
	case layoutChunked:
		rank := int(c.U8())
		s.addr = c.Addr()
		for range rank {
			s.chunk = append(s.chunk, uint64(c.U32()))
		}
		s.dropElementSize(c)
	}
}

func (s *storage) layoutV4(c *field.Cursor) {
	if s.class = c.U8(); s.class != layoutChunked {
		c.Rest = append([]byte{s.class}, c.Rest...)
		s.layoutV3(c)
		return
	}
	flags, rank, width := c.U8(), int(c.U8()), int(c.U8())
	s.plainEdges = flags&1 != 0
	if width < 1 || width > 8 {
		c.Err = errors.New("chunk dimensions have an unknown width")
		return
	}
	for range rank {
		s.chunk = append(s.chunk, c.Uint(width))
	}
	s.dropElementSize(c)
	s.index = c.U8()
	switch s.index {
	case indexSingle:
		s.single.size = field.Undefined
		if flags&2 != 0 {
			s.single.size = c.Length()
			s.single.mask = c.U32()
		}
	case indexImplicit:
	case indexFixedArray:
		c.Skip(1)
	case indexExtensibleArray:
		c.Skip(5)
	case indexTreeV2:
		c.Skip(6)
	default:
		if c.Err == nil {
			c.Err = fmt.Errorf("chunk index is of kind %d, expected 1 to 5", s.index)
		}
	}
	s.addr = c.Addr()
}

// dropElementSize removes the last chunk dimension, which is the size of an element.
func (s *storage) dropElementSize(c *field.Cursor) {
	if s.class != layoutChunked {
		s.chunk = nil
		return
	}
	if n := len(s.chunk); n > 0 {
		s.chunk = s.chunk[:n-1]
	} else if c.Err == nil {
		c.Err = field.ErrShort
	}
}

func (s *storage) checkLayout() error {
	bytes, ok := s.typ.bytes(s.space.Dims)
	if !ok {
		return errors.New("dataset is too large")
	}
	switch s.class {
	case layoutCompact:
		if !s.space.Null && bytes > uint64(len(s.compact)) {
			return fmt.Errorf("compact dataset has %d bytes, expected %d", len(s.compact), bytes)
		}
	case layoutContiguous:
	case layoutChunked:
		if len(s.chunk) != len(s.space.Dims) {
			return fmt.Errorf("chunk has %d dimensions, dataset has %d", len(s.chunk), len(s.space.Dims))
		}
		n, ok := s.typ.bytes(s.chunk)
		if !ok || n == 0 || n > maxChunkBytes {
			return fmt.Errorf("chunk %v of %d-byte elements is not between 1 byte and 1 GiB", s.chunk, s.typ.Size)
		}
		s.regrid()
	default:
		return fmt.Errorf("storage of kind %d is not supported, expected compact, contiguous or chunked", s.class)
	}
	return nil
}

// regrid counts the chunks in each dimension.
func (s *storage) regrid() {
	s.grid = make([]uint64, len(s.chunk))
	for i, d := range s.space.Dims {
		s.grid[i] = ceilDiv(d, s.chunk[i])
	}
}

func ceilDiv(a, b uint64) uint64 {
	n := a / b
	if a%b != 0 {
		n++
	}
	return n
}

func (s *storage) chunkBytes() int {
	n, _ := product(s.chunk)
	return int(n) * s.typ.Size
}

// loadFill reads the value of elements that were never written.
func (s *storage) loadFill() error {
	body, ok, err := s.o.find(msgFill)
	if err != nil {
		return err
	}
	if !ok {
		if body, ok, err = s.o.find(msgFillOld); err != nil || !ok {
			return err
		}
		c := &field.Cursor{Rest: body}
		return s.setFill(c.Bytes(int(c.U32())), c.Err)
	}
	c := &field.Cursor{Rest: body}
	switch version := c.U8(); version {
	case 1, 2:
		c.Skip(2)
		if defined := c.U8(); version == 2 && defined == 0 {
			return c.Err
		}
		n := int(int32(c.U32()))
		if n <= 0 {
			return nil
		}
		return s.setFill(c.Bytes(n), c.Err)
	case 3:
		if flags := c.U8(); flags&0x20 == 0 {
			return c.Err
		}
		return s.setFill(c.Bytes(int(c.U32())), c.Err)
	default:
		return fmt.Errorf("fill message has version %d, expected 1 to 3", version)
	}
}

func (s *storage) setFill(p []byte, err error) error {
	if err != nil {
		return fmt.Errorf("fill value: %w", err)
	}
	if len(p) == s.typ.Size {
		s.fill = p
	}
	return nil
}

// encode writes the layout message, for chunked storage always in version 3 with an old B-tree.
func (s *storage) encode() []byte {
	var b field.Builder
	b.U8(3, s.class)
	switch s.class {
	case layoutCompact:
		b.U16(uint16(len(s.compact)))
		b = append(b, s.compact...)
	case layoutContiguous:
		b.U64(s.addr)
		n, _ := s.typ.bytes(s.space.Dims)
		if s.space.Null {
			n = 0
		}
		b.U64(n)
	case layoutChunked:
		b.U8(uint8(len(s.chunk) + 1))
		b.U64(s.addr)
		for _, d := range s.chunk {
			b.U32(uint32(d))
		}
		b.U32(uint32(s.typ.Size))
	}
	return b
}
