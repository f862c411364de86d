package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const signature = "\x89HDF\r\n\x1a\n"

// Is reports whether a file begins as files of HDF5 do. One behind a user block does not.
func Is(r io.ReaderAt) bool {
	head := make([]byte, len(signature))
	n, _ := r.ReadAt(head, 0)
	return string(head[:n]) == signature
}

// defaultChunkK is half the number of children of a chunk B-tree node in files that do not say it.
const defaultChunkK = 32

// superblock is the file's entry: how wide addresses are, where the root group is.
type superblock struct {
	version    uint8
	offsetSize int
	lengthSize int
	base       int64 // where in the file address 0 is: behind a user block
	end        uint64
	extension  uint64
	root       uint64
	chunkK     int
	fields     []byte // the encoded bytes, as they are in the file
}

// readSuperblock looks for the signature at 0, 512, 1024 and so on, as a user block may precede it.
func (f *File) readSuperblock() error {
	var head [128]byte
	for at := int64(0); at < f.size; at = max(512, at*2) {
		n, _ := f.r.ReadAt(head[:], at)
		if n >= 8 && string(head[:8]) == signature {
			return f.decodeSuperblock(head[:n], at)
		}
	}
	return errors.New("not an HDF5 file: its signature is missing")
}

func (f *File) decodeSuperblock(p []byte, at int64) error {
	sb := &f.sb
	sb.base = at
	sb.chunkK = defaultChunkK
	c := &cursor{b: p[8:], sb: sb}
	sb.version = c.u8()
	switch sb.version {
	case 0, 1:
		c.skip(4)
		sb.offsetSize, sb.lengthSize = int(c.u8()), int(c.u8())
		if err := sb.checkSizes(); err != nil {
			return err
		}
		c.skip(1 + 2 + 2 + 4)
		if sb.version == 1 {
			sb.chunkK = int(c.u16())
			c.skip(2)
		}
		c.addr()
		c.addr()
		sb.end = c.addr()
		c.addr()
		c.length() // the root entry: name offset, header address, cache
		sb.root = c.addr()
		c.skip(24)
		sb.extension = undefined
	case 2, 3:
		sb.offsetSize, sb.lengthSize = int(c.u8()), int(c.u8())
		if err := sb.checkSizes(); err != nil {
			return err
		}
		c.skip(1)
		c.addr()
		sb.extension = c.addr()
		sb.end = c.addr()
		sb.root = c.addr()
		sum := lookup3(p[:8+c.took])
		if c.u32() != sum && c.err == nil && !f.trust {
			return errors.New("superblock has a wrong checksum")
		}
	default:
		return fmt.Errorf("superblock has version %d, expected 0 to 3", sb.version)
	}
	if c.err != nil {
		return fmt.Errorf("superblock: %w", c.err)
	}
	sb.fields = bytes.Clone(p[:8+c.took])
	if sb.chunkK == 0 {
		return errors.New("superblock gives chunk indexes no room")
	}
	return nil
}

func (sb *superblock) checkSizes() error {
	for _, n := range []int{sb.offsetSize, sb.lengthSize} {
		if n != 2 && n != 4 && n != 8 {
			return fmt.Errorf("superblock has addresses of %d bytes, expected 2, 4 or 8", n)
		}
	}
	return nil
}

// encode gives the superblock's bytes for an end of file; it keeps its version,
// as its length may not change.
func (sb *superblock) encode(end uint64) []byte {
	end += uint64(sb.base)
	if sb.version < 2 {
		p := bytes.Clone(sb.fields)
		at := 24
		if sb.version == 1 {
			at += 4
		}
		putAt := func(off int, v uint64) {
			var b builder
			b.u64(v)
			copy(p[off:], b)
		}
		putAt(at+16, end)
		// The root entry no longer promises a symbol table.
		clear(p[at+32+16 : at+32+40])
		return p
	}
	var b builder
	b.str(signature)
	b.u8(sb.version, 8, 8, 0)
	b.u64(uint64(sb.base))
	b.u64(sb.extension)
	b.u64(end)
	b.u64(sb.root)
	b.checksum()
	return b
}
