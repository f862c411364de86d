package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

const signature = "\x89HDF\r\n\x1a\n"

// Is reports whether a file begins like an HDF5 file. It does not find one after a user block.
func Is(r io.ReaderAt) bool {
	head := make([]byte, len(signature))
	n, _ := r.ReadAt(head, 0)
	return string(head[:n]) == signature
}

// defaultChunkK is half the number of children of a chunk B-tree node in files that do not specify it.
const defaultChunkK = 32

// superblock is the entry point of the file: the width of addresses, and the address of the root group.
type superblock struct {
	version uint8
	field.Widths
	Base      int64  // the offset of address 0 in the file: after a user block, if any
	Announced uint64 // the end of the file
	Extension uint64
	Root      uint64
	ChunkK    int    // half the number of children of a node in a B-tree of chunks
	fields    []byte // its encoded bytes in the file
}

// readSuperblock looks for the signature at 0, 512, 1024 and so on, because a user block may precede it.
func (f *File) readSuperblock() error {
	var head [128]byte
	for at := int64(0); at < f.Size; at = max(512, at*2) {
		n, _ := f.r.ReadAt(head[:], at)
		if n >= 8 && string(head[:8]) == signature {
			return f.decodeSuperblock(head[:n], at)
		}
	}
	return errors.New("not an HDF5 file: its signature is missing")
}

func (f *File) decodeSuperblock(p []byte, at int64) error {
	sb := &f.superblock
	sb.Base = at
	sb.ChunkK = defaultChunkK
	c := f.Cursor(p[8:])
	sb.version = c.U8()
	if sb.version > 3 {
		return fmt.Errorf("superblock has version %d, expected 0 to 3", sb.version)
	}
	if sb.version < 2 {
		c.Skip(4)
	}
	sb.OffsetSize, sb.LengthSize = int(c.U8()), int(c.U8())
	if err := sb.checkSizes(); err != nil {
		return err
	}
	if sb.version < 2 {
		c.Skip(1 + 2 + 2 + 4)
		if sb.version == 1 {
			sb.ChunkK = int(c.U16())
			c.Skip(2)
		}
		c.Addr()
		c.Addr()
		sb.Announced = c.Addr()
		c.Addr()
		c.Length() // the root entry: name offset, header address, cache
		sb.Root = c.Addr()
		c.Skip(24)
		sb.Extension = field.Undefined
	} else {
		c.Skip(1)
		c.Addr()
		sb.Extension = c.Addr()
		sb.Announced = c.Addr()
		sb.Root = c.Addr()
		sum := field.Checksum(p[:8+c.Took])
		if c.U32() != sum && c.Err == nil && !f.trust {
			return errors.New("superblock has a wrong checksum")
		}
	}
	if c.Err != nil {
		return fmt.Errorf("superblock: %w", c.Err)
	}
	sb.fields = bytes.Clone(p[:8+c.Took])
	if sb.ChunkK == 0 {
		return errors.New("superblock gives chunk indexes no room")
	}
	return nil
}

func (sb *superblock) checkSizes() error {
	for _, n := range []int{sb.OffsetSize, sb.LengthSize} {
		if n != 2 && n != 4 && n != 8 {
			return fmt.Errorf("superblock has addresses of %d bytes, expected 2, 4 or 8", n)
		}
	}
	return nil
}

// encode returns the superblock's bytes with an end of file. It keeps its version, because its
// length may not change.
func (sb *superblock) encode(end uint64) []byte {
	end += uint64(sb.Base)
	if sb.version < 2 {
		p := bytes.Clone(sb.fields)
		at := 24
		if sb.version == 1 {
			at += 4
		}
		binary.LittleEndian.PutUint64(p[at+16:], end)
		// The root entry no longer refers to a symbol table.
		clear(p[at+32+16 : at+32+40])
		return p
	}
	var b field.Builder
	b.Str(signature)
	b.U8(sb.version, 8, 8, 0)
	b.U64(uint64(sb.Base))
	b.U64(sb.Extension)
	b.U64(end)
	b.U64(sb.Root)
	b.Checksum()
	return b
}
