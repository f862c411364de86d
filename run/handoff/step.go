package handoff

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// An Item is one datum of a step: a number (an array without axes), a text or an array.
type Item struct {
	Index int         // the index of its name in the Hello
	Kind  tensor.Kind // a kind of number, or Text
	Shape []int       // the last axis varies fastest
	Size  int         // number of bytes
	Bytes []byte      // if nil, Fill is called to write the bytes
	Fill  func(to []byte)
}

// Text is the kind of an item that is a text. Its only axis is the length of the text.
const Text tensor.Kind = 'c'

// The format of a step in its slot, with all numbers little-endian:
//
//	u32 count
//	for each item: u32 index, u8 kind, u8 order, u16 axes, u64 offset of its bytes, u64 of each axis
//	the bytes of each item, at multiples of 64
const (
	stepHead = 4
	itemHead = 16
	alignTo  = 64
	rowMajor = 'C' // the only supported order: the last axis varies fastest
)

// headSize returns the size of the header of a step. The bytes of the first item follow it.
func headSize(items []Item) int {
	n := stepHead
	for i := range items {
		n += itemHead + 8*len(items[i].Shape)
	}
	return align(n)
}

// stepSize returns how many bytes of a slot a step takes.
func stepSize(items []Item) int {
	n := headSize(items)
	for i := range items {
		n += align(items[i].Size)
	}
	return n
}

func align(n int) int { return (n + alignTo - 1) &^ (alignTo - 1) }

// writeStep writes a step into a slot, which must be large enough.
func writeStep(slot []byte, items []Item) {
	le := binary.LittleEndian
	le.PutUint32(slot, uint32(len(items)))
	head, at := stepHead, headSize(items)
	for i := range items {
		item := &items[i]
		h := slot[head:]
		le.PutUint32(h, uint32(item.Index))
		h[4], h[5] = byte(item.Kind), rowMajor
		le.PutUint16(h[6:], uint16(len(item.Shape)))
		le.PutUint64(h[8:], uint64(at))
		for k, n := range item.Shape {
			le.PutUint64(h[itemHead+8*k:], uint64(n))
		}
		head += itemHead + 8*len(item.Shape)
		if to := slot[at : at+item.Size]; item.Fill != nil {
			item.Fill(to)
		} else {
			copy(to, item.Bytes)
		}
		at += align(item.Size)
	}
}

// readStep calls visit for each item of a step. The giver could change the slot meanwhile, so every
// number is read only once and is checked before it is used. The items' Bytes point into the slot.
func readStep(slot []byte, names int, visit func(Item)) error {
	le := binary.LittleEndian
	count := le.Uint32(slot)
	if int64(count) > int64(names) {
		return fmt.Errorf("a step declares %d data, but at most %d were agreed", count, names)
	}
	seen := make([]bool, names)
	at := stepHead
	for range count {
		if len(slot)-at < itemHead {
			return fmt.Errorf("a step ends in the middle of its header")
		}
		h := slot[at:]
		index, kind, order, axes, offset := le.Uint32(h), tensor.Kind(h[4]), h[5], int(le.Uint16(h[6:])), le.Uint64(h[8:])
		size := uint64(kind.Size())
		if kind == Text && axes == 1 {
			size = 1
		}
		switch {
		case int64(index) >= int64(names):
			return fmt.Errorf("a step has the datum %d, but only %d were agreed", index, names)
		case seen[index]:
			return fmt.Errorf("a step has the datum %d twice", index)
		case size == 0 || order != rowMajor || axes > tensor.MaxAxes || len(h) < itemHead+8*axes:
			return fmt.Errorf("a datum has the kind %q, the order %q and %d axes, which is not valid", byte(kind), order, axes)
		}
		seen[index] = true
		item := Item{Index: int(index), Kind: kind, Shape: make([]int, axes)}
		for k := range item.Shape {
			n := le.Uint64(h[itemHead+8*k:])
			var over uint64
			if over, size = bits.Mul64(size, n); over != 0 || n > MaxStep {
				return fmt.Errorf("an array has an axis of %d elements, more than fit into its step", n)
			}
			item.Shape[k] = int(n)
		}
		if room := uint64(len(slot)); offset > room || size > room-offset {
			return fmt.Errorf("an array of %d bytes lies outside its step", size)
		}
		item.Size, item.Bytes = int(size), slot[offset:offset+size]
		visit(item)
		at += itemHead + 8*axes
	}
	return nil
}
