package hdf5

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// maxTypeDepth limits how deep types may be nested.
const maxTypeDepth = 32

func decodeType(c *field.Cursor) (Type, error) {
	t := nestedType(c, maxTypeDepth)
	if c.Err != nil {
		return t, fmt.Errorf("datatype: %w", c.Err)
	}
	return t, nil
}

func nestedType(c *field.Cursor, depth int) Type {
	head := c.U8()
	version := head >> 4
	flags := uint32(c.Uint(3))
	t := Type{Class: Class(head & 15), Size: int(c.U32())}
	if c.Err != nil {
		return t
	}
	if version < 1 || version > 3 || depth == 0 || t.Size <= 0 || t.Size > maxTypeSize {
		c.Err = fmt.Errorf("%s of %d bytes in version %d, nested %d deep, is not supported", t.Class, t.Size, version, maxTypeDepth-depth)
		return t
	}
	switch t.Class {
	case Integer, Bitfield:
		t.Order = Order(flags & 1)
		t.Signed = t.Class == Integer && flags&8 != 0
		t.bits(c)
	case Float:
		t.float(c, flags)
	case Time:
		t.Order = Order(flags & 1)
		c.Skip(2)
	case String:
		t.Pad, t.UTF8 = Padding(flags&15), flags>>4&15 == 1
	case Opaque:
		tag := c.Bytes(int(flags & 255))
		for len(tag) > 0 && tag[len(tag)-1] == 0 {
			tag = tag[:len(tag)-1]
		}
		t.Tag = string(tag)
	case Compound:
		t.members(c, int(flags&0xffff), version, depth)
	case Reference:
	case Enum:
		t.values(c, int(flags&0xffff), version, depth)
	case VarLen:
		t.Text, t.Pad, t.UTF8 = flags&15 == 1, Padding(flags>>4&15), flags>>8&15 == 1
		base := nestedType(c, depth-1)
		t.Base = &base
		if c.Err == nil && t.Size != 8+c.OffsetSize {
			c.Err = fmt.Errorf("variable-length element of %d bytes", t.Size)
		}
	case Array:
		t.array(c, version, depth)
	default:
		c.Err = fmt.Errorf("type is of unknown %s", t.Class)
	}
	return t
}

// bits reads the position of the significant bits. It keeps it only if some bits are unused.
func (t *Type) bits(c *field.Cursor) {
	offset, precision := int(c.U16()), int(c.U16())
	if precision == 0 || offset+precision > 8*t.Size {
		if c.Err == nil {
			c.Err = fmt.Errorf("%d bits from bit %d on do not fit in %d bytes", precision, offset, t.Size)
		}
		return
	}
	t.BitOffset = offset
	if precision != 8*t.Size {
		t.Precision = precision
	}
}

func (t *Type) float(c *field.Cursor, flags uint32) {
	t.Order = Order(flags & 1)
	if flags&0x40 != 0 {
		c.Err = errors.New("float in VAX byte order is not supported")
		return
	}
	t.bits(c)
	var f FloatFormat
	f.Sign, f.Implied = uint8(flags>>8), flags>>4&3 == 2
	f.ExpPos, f.ExpSize = c.U8(), c.U8()
	f.ManPos, f.ManSize = c.U8(), c.U8()
	f.Bias = c.U32()
	if f != t.format() {
		t.Format = &f
	} else if t.Size != 2 && t.Size != 4 && t.Size != 8 && t.Size != 16 {
		t.Format = &f
	}
	if c.Err == nil && !f.fits(t.Size) {
		c.Err = errors.New("float has bits outside its bytes")
	}
}

// typeName reads a name, which older versions pad to 8 bytes.
func typeName(c *field.Cursor, version uint8) string {
	before := c.Took
	s := c.Name()
	if used := c.Took - before; version < 3 && used%8 != 0 {
		c.Skip(8 - used%8)
	}
	return s
}

func (t *Type) members(c *field.Cursor, n int, version uint8, depth int) {
	for range n {
		if c.Err != nil {
			return
		}
		m := Member{Name: typeName(c, version)}
		offsetBytes := 4
		if version == 3 {
			offsetBytes = field.BytesFor(uint64(t.Size))
		}
		m.Offset = int(c.Uint(offsetBytes))
		var dims []int
		if version == 1 {
			rank := int(c.U8())
			c.Skip(3 + 4 + 4)
			for i := range 4 {
				if d := int(c.U32()); i < rank {
					dims = append(dims, d)
				}
			}
		}
		m.Type = nestedType(c, depth-1)
		if len(dims) > 0 {
			base := m.Type
			m.Type = Type{Class: Array, Base: &base, Dims: dims}
			m.Type.sizeArray(c)
		}
		if c.Err == nil && (m.Offset < 0 || m.Offset > t.Size-m.Type.Size) {
			c.Err = fmt.Errorf("member `%s` is outside its compound", m.Name)
		}
		t.Members = append(t.Members, m)
	}
}

func (t *Type) values(c *field.Cursor, n int, version uint8, depth int) {
	base := nestedType(c, depth-1)
	t.Base = &base
	if c.Err == nil && (base.Class != Integer || base.Size != t.Size) {
		c.Err = errors.New("enum is not of integers of its size")
	}
	for range n {
		if c.Err != nil {
			return
		}
		t.Values = append(t.Values, EnumValue{Name: typeName(c, version)})
	}
	for i := range t.Values {
		t.Values[i].Value = c.Bytes(t.Size)
	}
}

func (t *Type) array(c *field.Cursor, version uint8, depth int) {
	rank := int(c.U8())
	if version < 3 {
		c.Skip(3)
	}
	if rank == 0 || rank > maxRank {
		c.Err = fmt.Errorf("array type has %d dimensions", rank)
		return
	}
	for range rank {
		t.Dims = append(t.Dims, int(c.U32()))
	}
	if version < 3 {
		c.Skip(4 * rank)
	}
	base := nestedType(c, depth-1)
	t.Base = &base
	size := t.Size
	if t.sizeArray(c); t.Size != size && c.Err == nil {
		c.Err = fmt.Errorf("array type has %d bytes, expected %d", size, t.Size)
	}
}

func (t *Type) sizeArray(c *field.Cursor) {
	t.Size = t.Base.Size
	for _, d := range t.Dims {
		if c.Err == nil && (t.Size <= 0 || d <= 0 || d > maxTypeSize/t.Size) {
			c.Err = errors.New("array type is too large")
		}
		t.Size *= d
		if c.Err != nil {
			return
		}
	}
}

// encodeType encodes simple types in version 1, and nested types in version 3 throughout.
func encodeType(t Type) []byte {
	var b field.Builder
	version := uint8(1)
	switch t.Class {
	case Compound, Enum, Array, VarLen:
		version = 3
	}
	t.encode(&b, version)
	return b
}

func (t Type) encode(b *field.Builder, version uint8) {
	head := func(flags uint32) {
		b.U8(version<<4 | uint8(t.Class))
		b.Uint(uint64(flags), 3)
		b.U32(uint32(t.Size))
	}
	flag := func(on bool, v uint32) uint32 {
		if on {
			return v
		}
		return 0
	}
	switch t.Class {
	case Integer, Bitfield:
		head(uint32(t.Order) | flag(t.Signed, 8))
		b.U16(uint16(t.BitOffset))
		b.U16(uint16(t.precision()))
	case Float:
		f := t.format()
		norm := flag(f.Implied, 0x20)
		head(uint32(t.Order) | norm | uint32(f.Sign)<<8)
		b.U16(uint16(t.BitOffset))
		b.U16(uint16(t.precision()))
		b.U8(f.ExpPos, f.ExpSize, f.ManPos, f.ManSize)
		b.U32(f.Bias)
	case Time:
		head(uint32(t.Order))
		b.U16(uint16(8 * t.Size))
	case String:
		head(uint32(t.Pad) | flag(t.UTF8, 0x10))
	case Opaque:
		n := (len(t.Tag) + 8) &^ 7
		head(uint32(n))
		b.Str(t.Tag)
		b.Zeros(n - len(t.Tag))
	case Compound:
		head(uint32(len(t.Members)))
		for _, m := range t.Members {
			b.Str(m.Name)
			b.U8(0)
			b.Uint(uint64(m.Offset), field.BytesFor(uint64(t.Size)))
			m.Type.encode(b, version)
		}
	case Enum:
		head(uint32(len(t.Values)))
		t.Base.encode(b, version)
		for _, v := range t.Values {
			b.Str(v.Name)
			b.U8(0)
		}
		for _, v := range t.Values {
			*b = append(*b, v.Value...)
		}
	case VarLen:
		head(flag(t.Text, 1) | uint32(t.Pad)<<4 | flag(t.UTF8, 0x100))
		t.Base.encode(b, version)
	case Array:
		head(0)
		b.U8(uint8(len(t.Dims)))
		for _, d := range t.Dims {
			b.U32(uint32(d))
		}
		t.Base.encode(b, version)
	default:
		head(0)
	}
}
