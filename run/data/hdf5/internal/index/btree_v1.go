package index

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
)

// maxTreeDepth is larger than the depth of any tree of 2^64 entries.
const maxTreeDepth = 64

// TreeV1 walks a B-tree of version 1. It calls leaf with the key and child of every entry
// at the lowest level, and node, if not nil, with every node's address.
func TreeV1(f *disk.File, addr uint64, kind uint8, keySize int, leaf func(key []byte, child uint64) error, node func(uint64)) error {
	seen := map[uint64]bool{}
	var walk func(addr uint64, level int) error
	walk = func(addr uint64, level int) error {
		if seen[addr] {
			return errors.New("index tree leads back into itself")
		}
		seen[addr] = true
		head, err := f.Read(addr, 8+2*f.OffsetSize)
		if err != nil {
			return fmt.Errorf("index tree: %w", err)
		}
		c := f.Cursor(head)
		c.Want("TREE")
		gotKind, gotLevel, n := c.U8(), int(c.U8()), int(c.U16())
		if c.Err != nil {
			return fmt.Errorf("index tree: %w", c.Err)
		}
		if gotKind != kind || level >= 0 && gotLevel != level || gotLevel > maxTreeDepth {
			return fmt.Errorf("index tree node at %#x is of kind %d on level %d, which does not belong there", addr, gotKind, gotLevel)
		}
		p, err := f.Read(addr+uint64(len(head)), n*(keySize+f.OffsetSize))
		if err != nil {
			return fmt.Errorf("index tree: %w", err)
		}
		if node != nil {
			node(addr)
		}
		c = f.Cursor(p)
		for range n {
			key, child := c.Bytes(keySize), c.Addr()
			if gotLevel == 0 {
				err = leaf(key, child)
			} else {
				err = walk(child, gotLevel-1)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return walk(addr, -1)
}
