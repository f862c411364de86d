package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errShort = errors.New("structure ends too early")

// undefined is the address of what has no storage.
const undefined = ^uint64(0)

// cursor takes fields from a structure. The first field that is not there sets
// err, and every later one is zero, so that a decoder checks once.
type cursor struct {
	b    []byte
	sb   *superblock // how wide addresses and lengths are
	err  error
	took int
}

func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.err = errShort
		c.b = nil
		return nil
	}
	p := c.b[:n:n]
	c.b = c.b[n:]
	c.took += n
	return p
}

func (c *cursor) skip(n int) { c.bytes(n) }

// align skips to the next multiple of n from the structure's start.
func (c *cursor) align(n int) {
	if r := c.took % n; r != 0 {
		c.skip(n - r)
	}
}

func (c *cursor) uint(n int) uint64 {
	p := c.bytes(n)
	var v uint64
	for i := len(p) - 1; i >= 0; i-- {
		v = v<<8 | uint64(p[i])
	}
	return v
}

func (c *cursor) u8() uint8   { return uint8(c.uint(1)) }
func (c *cursor) u16() uint16 { return uint16(c.uint(2)) }
func (c *cursor) u32() uint32 { return uint32(c.uint(4)) }
func (c *cursor) u64() uint64 { return c.uint(8) }

// addr is an address; all bits set means undefined, however wide it is.
func (c *cursor) addr() uint64 {
	n := c.sb.offsetSize
	v := c.uint(n)
	if n < 8 && v == 1<<(8*n)-1 {
		return undefined
	}
	return v
}

func (c *cursor) length() uint64 { return c.uint(c.sb.lengthSize) }

// name takes a string up to and with its NUL byte.
func (c *cursor) name() string {
	i := bytes.IndexByte(c.b, 0)
	if i < 0 {
		c.err = errShort
		return ""
	}
	s := string(c.b[:i])
	c.skip(i + 1)
	return s
}

func (c *cursor) want(sig string) bool {
	if string(c.bytes(len(sig))) != sig && c.err == nil {
		c.err = errors.New("signature `" + sig + "` is missing")
	}
	return c.err == nil
}

// builder puts fields behind each other; addresses and lengths have 8 bytes.
type builder []byte

func (b *builder) u8(v ...uint8) { *b = append(*b, v...) }
func (b *builder) u16(v uint16)  { *b = binary.LittleEndian.AppendUint16(*b, v) }
func (b *builder) u32(v uint32)  { *b = binary.LittleEndian.AppendUint32(*b, v) }
func (b *builder) u64(v uint64)  { *b = binary.LittleEndian.AppendUint64(*b, v) }
func (b *builder) str(s string)  { *b = append(*b, s...) }
func (b *builder) zeros(n int)   { *b = append(*b, make([]byte, n)...) }
func (b *builder) checksum()     { b.u32(lookup3(*b)) }
func (b *builder) uint(v uint64, n int) {
	for range n {
		*b = append(*b, byte(v))
		v >>= 8
	}
}

// bytesFor is how many bytes hold v.
func bytesFor(v uint64) int {
	n := 1
	for v > 255 {
		v >>= 8
		n++
	}
	return n
}
