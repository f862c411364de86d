package hdf5

import (
	"errors"
	"fmt"
)

// maxTreeDepth is more than any tree of 2^64 entries needs.
const maxTreeDepth = 64

// btreeV1Group calls fn for every symbol node of a group's B-tree.
func (f *File) btreeV1Group(addr uint64, fn func(node uint64) error) error {
	return f.btreeV1(addr, 0, f.sb.lengthSize, func(_ []byte, child uint64) error { return fn(child) }, nil)
}

// btreeV1 walks a B-tree of version 1, calling leaf with the key and child of
// every entry at the lowest level, and node (if any) with every node's address.
func (f *File) btreeV1(addr uint64, kind uint8, keySize int, leaf func(key []byte, child uint64) error, node func(uint64)) error {
	seen := map[uint64]bool{}
	var walk func(addr uint64, level int) error
	walk = func(addr uint64, level int) error {
		if seen[addr] {
			return errors.New("index tree leads back into itself")
		}
		seen[addr] = true
		head, err := f.read(addr, 8+2*f.sb.offsetSize)
		if err != nil {
			return fmt.Errorf("index tree: %w", err)
		}
		c := &cursor{b: head, sb: &f.sb}
		c.want("TREE")
		gotKind, gotLevel, n := c.u8(), int(c.u8()), int(c.u16())
		if c.err != nil {
			return fmt.Errorf("index tree: %w", c.err)
		}
		if gotKind != kind || level >= 0 && gotLevel != level || gotLevel > maxTreeDepth {
			return fmt.Errorf("index tree node at %#x is of kind %d on level %d, which does not belong there", addr, gotKind, gotLevel)
		}
		p, err := f.read(addr+uint64(len(head)), n*(keySize+f.sb.offsetSize))
		if err != nil {
			return fmt.Errorf("index tree: %w", err)
		}
		if node != nil {
			node(addr)
		}
		c = &cursor{b: p, sb: &f.sb}
		for range n {
			key, child := c.bytes(keySize), c.addr()
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
