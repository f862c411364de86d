package debuginfo

import (
	"bytes"
	"encoding/binary"
)

// cursor reads a table from its beginning. After the end it reads zeros and
// fails.
type cursor struct {
	data   []byte
	at     int
	order  binary.ByteOrder
	wide   bool // offsets have 8 bytes
	failed bool
}

// uint reads a number of 1, 2, 3, 4 or 8 bytes.
func (c *cursor) uint(size int) uint64 {
	if len(c.data)-c.at < size {
		c.fail()
		return 0
	}
	b := c.data[c.at : c.at+size]
	c.at += size
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(c.order.Uint16(b))
	case 3:
		if c.order == binary.ByteOrder(binary.BigEndian) {
			return uint64(b[0])<<16 | uint64(b[1])<<8 | uint64(b[2])
		}
		return uint64(b[2])<<16 | uint64(b[1])<<8 | uint64(b[0])
	case 4:
		return uint64(c.order.Uint32(b))
	}
	return c.order.Uint64(b)
}

// offset reads an offset into a section.
func (c *cursor) offset() uint64 { return c.uint(c.offsetSize()) }

func (c *cursor) offsetSize() int {
	if c.wide {
		return 8
	}
	return 4
}

// length reads the length of the data that follows, and sets the size of
// offsets.
func (c *cursor) length() uint64 {
	n := c.uint(4)
	if c.wide = n == 0xffffffff; c.wide {
		n = c.uint(8)
	}
	return n
}

// uleb reads an unsigned number of variable length.
func (c *cursor) uleb() uint64 {
	if c.at < len(c.data) && c.data[c.at] < 0x80 {
		c.at++
		return uint64(c.data[c.at-1])
	}
	var n uint64
	for shift := 0; c.at < len(c.data); shift += 7 {
		b := c.data[c.at]
		c.at++
		if shift < 64 {
			n |= uint64(b&0x7f) << shift
		}
		if b < 0x80 {
			return n
		}
	}
	c.fail()
	return 0
}

// sleb reads a signed number of variable length.
func (c *cursor) sleb() int64 {
	var n int64
	for shift := 0; c.at < len(c.data); {
		b := c.data[c.at]
		c.at++
		if shift < 64 {
			n |= int64(b&0x7f) << shift
		}
		shift += 7
		if b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				n |= -1 << shift
			}
			return n
		}
	}
	c.fail()
	return 0
}

// text reads a zero-terminated string.
func (c *cursor) text() []byte {
	end := bytes.IndexByte(c.data[c.at:], 0)
	if end < 0 {
		c.fail()
		return nil
	}
	b := c.data[c.at : c.at+end]
	c.at += end + 1
	return b
}

func (c *cursor) skip(n uint64) {
	if n > uint64(len(c.data)-c.at) {
		c.fail()
		return
	}
	c.at += int(n)
}

// seek moves to a position in the table.
func (c *cursor) seek(at uint64) bool {
	if at > uint64(len(c.data)) {
		c.fail()
		return false
	}
	c.at = int(at)
	return true
}

func (c *cursor) fail() { c.failed, c.at = true, len(c.data) }
