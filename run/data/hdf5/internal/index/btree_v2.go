package index

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// treeV2 is the header of a B-tree of version 2: the index of dense groups, of dense
// attributes, and of chunks with several unlimited dimensions.
type treeV2 struct {
	f          *disk.File
	kind       uint8
	nodeSize   int
	recordSize int
	levels     []treeLevel // by depth, leaves first
	seen       map[uint64]bool
	fn         func(*field.Cursor) error
}

// treeLevel holds the limits of a node, which determine the width of its counters.
type treeLevel struct {
	maxRecords uint64
	total      uint64 // the maximum of records in the whole subtree
	totalBytes int
}

// TreeV2 calls fn with every record of the tree at addr, in order.
func TreeV2(f *disk.File, addr uint64, kind uint8, fn func(*field.Cursor) error) error {
	c, err := f.ReadChecked(addr, 4+1+1+4+2+2+1+1+f.OffsetSize+2+f.LengthSize+4, "BTHD")
	if err != nil {
		return err
	}
	c.Skip(1)
	t := &treeV2{f: f, kind: c.U8(), seen: map[uint64]bool{}, fn: fn}
	t.nodeSize, t.recordSize = int(c.U32()), int(c.U16())
	depth := int(c.U16())
	c.Skip(2)
	root, n := c.Addr(), int(c.U16())
	if c.Err != nil {
		return c.Err
	}
	if t.kind != kind {
		return fmt.Errorf("index tree at %#x is of kind %d, expected %d", addr, t.kind, kind)
	}
	if root == field.Undefined || n == 0 && depth == 0 {
		return nil
	}
	if t.recordSize == 0 || t.nodeSize < 16 || uint64(t.nodeSize) > f.End || depth > maxTreeDepth {
		return errors.New("index tree has sizes that make no sense")
	}
	leaf := uint64(t.nodeSize-10) / uint64(t.recordSize)
	t.levels = []treeLevel{{leaf, leaf, 0}}
	for d := 1; d <= depth; d++ {
		below := t.levels[d-1]
		pointer := uint64(f.OffsetSize + field.BytesFor(leaf) + below.totalBytes)
		if uint64(t.nodeSize) < 10+pointer {
			return errors.New("index tree has nodes too small for its depth")
		}
		m := (uint64(t.nodeSize) - 10 - pointer) / (uint64(t.recordSize) + pointer)
		total := (m+1)*below.total + m
		if below.total > 1<<56/(m+1) {
			total = 1 << 56 // more than any file has; only its width matters
		}
		t.levels = append(t.levels, treeLevel{m, total, field.BytesFor(total)})
	}
	return t.walk(root, n, depth)
}

func (t *treeV2) walk(addr uint64, n, depth int) error {
	if t.seen[addr] {
		return errors.New("index tree leads back into itself")
	}
	t.seen[addr] = true
	if uint64(n) > t.levels[depth].maxRecords {
		return errors.New("index tree node has more records than fit in it")
	}
	// The checksum follows the used part of the node.
	size, sig := 6+n*t.recordSize+4, "BTLF"
	countBytes := field.BytesFor(t.levels[0].maxRecords)
	if depth > 0 {
		sig = "BTIN"
		size += (n + 1) * (t.f.OffsetSize + countBytes + t.levels[depth-1].totalBytes)
	}
	c, err := t.f.ReadChecked(addr, size, sig)
	if err != nil {
		return err
	}
	c.Skip(2)
	records := make([][]byte, n)
	for i := range records {
		records[i] = c.Bytes(t.recordSize)
	}
	for i := 0; i <= n; i++ {
		if depth > 0 {
			child, count := c.Addr(), int(c.Uint(countBytes))
			c.Skip(t.levels[depth-1].totalBytes)
			if c.Err != nil {
				return c.Err
			}
			if err := t.walk(child, count, depth-1); err != nil {
				return err
			}
		}
		if i < n {
			if err := t.fn(t.f.Cursor(records[i])); err != nil {
				return err
			}
		}
	}
	return nil
}
