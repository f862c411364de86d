// Package field decodes and encodes the fields of HDF5 structures.
package field

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// ErrShort is the error of a structure that lacks a field.
var ErrShort = errors.New("structure ends too early")

// Undefined is the address of an object without storage.
const Undefined = ^uint64(0)

// Widths are the sizes of addresses and lengths in a file, in bytes.
type Widths struct{ OffsetSize, LengthSize int }

// Cursor decodes the fields of a structure. The first missing field sets Err, and every later one is
// zero, so a decoder can check once at the end.
type Cursor struct {
	Rest []byte
	*Widths
	Err  error
	Took int // bytes decoded so far
}

// Bytes reads n bytes.
func (c *Cursor) Bytes(n int) []byte {
	if n < 0 || n > len(c.Rest) {
		c.Err = ErrShort
		c.Rest = nil
		return nil
	}
	p := c.Rest[:n:n]
	c.Rest = c.Rest[n:]
	c.Took += n
	return p
}

// Skip skips n bytes.
func (c *Cursor) Skip(n int) { c.Bytes(n) }

// Align skips to the next multiple of n from the structure's start.
func (c *Cursor) Align(n int) {
	if r := c.Took % n; r != 0 {
		c.Skip(n - r)
	}
}

// Uint reads a number of n bytes.
func (c *Cursor) Uint(n int) uint64 {
	p := c.Bytes(n)
	var v uint64
	for i := len(p) - 1; i >= 0; i-- {
		v = v<<8 | uint64(p[i])
	}
	return v
}

func (c *Cursor) U8() uint8   { return uint8(c.Uint(1)) }
func (c *Cursor) U16() uint16 { return uint16(c.Uint(2)) }
func (c *Cursor) U32() uint32 { return uint32(c.Uint(4)) }
func (c *Cursor) U64() uint64 { return c.Uint(8) }

// Addr reads an address; all bits set means undefined, whatever its width.
func (c *Cursor) Addr() uint64 {
	n := c.OffsetSize
	v := c.Uint(n)
	if n < 8 && v == 1<<(8*n)-1 {
		return Undefined
	}
	return v
}

// Length reads a length.
func (c *Cursor) Length() uint64 { return c.Uint(c.LengthSize) }

// Name reads a string and its NUL byte.
func (c *Cursor) Name() string {
	i := bytes.IndexByte(c.Rest, 0)
	if i < 0 {
		c.Err = ErrShort
		return ""
	}
	s := string(c.Rest[:i])
	c.Skip(i + 1)
	return s
}

// Want reads the signature with which a structure begins.
func (c *Cursor) Want(sig string) {
	if string(c.Bytes(len(sig))) != sig && c.Err == nil {
		c.Err = errors.New("signature `" + sig + "` is missing")
	}
}

// Builder appends fields one after the other; addresses and lengths have 8 bytes.
type Builder []byte

func (b *Builder) U8(v ...uint8) { *b = append(*b, v...) }
func (b *Builder) U16(v uint16)  { *b = binary.LittleEndian.AppendUint16(*b, v) }
func (b *Builder) U32(v uint32)  { *b = binary.LittleEndian.AppendUint32(*b, v) }
func (b *Builder) U64(v uint64)  { *b = binary.LittleEndian.AppendUint64(*b, v) }
func (b *Builder) Str(s string)  { *b = append(*b, s...) }
func (b *Builder) Zeros(n int)   { *b = append(*b, make([]byte, n)...) }
func (b *Builder) Checksum()     { b.U32(Checksum(*b)) }
func (b *Builder) Uint(v uint64, n int) {
	for range n {
		*b = append(*b, byte(v))
		v >>= 8
	}
}

// BytesFor returns the number of bytes needed for v.
func BytesFor(v uint64) int {
	n := 1
	for v > 255 {
		v >>= 8
		n++
	}
	return n
}
