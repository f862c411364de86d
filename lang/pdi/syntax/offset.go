package syntax

import "sort"

// piece says which bytes of the text made the bytes of a value from at on, up to
// the next piece. Where both are equally many they are the same bytes.
type piece struct{ at, start, end int32 }

// Offset is where byte i of a scalar's value stands in the file. The place of a byte
// that several bytes make, such as an escape or a folded line break, is the first of them;
// the place of the end of the value is where its text ends. The line break that ends a block
// scalar is outside of it.
func (t *Tree) Offset(n *Node, i int) int {
	p, size, ok := t.piece(n, i)
	if !ok {
		return t.OffsetEnd(n, len(n.Value))
	}
	at := int(p.start)
	if int(p.end-p.start) == size {
		at += i - int(p.at)
	}
	return min(at, int(n.Text.End))
}

// OffsetEnd is where the bytes of a scalar's value before byte i end in the file.
func (t *Tree) OffsetEnd(n *Node, i int) int {
	p, size, ok := t.piece(n, i-1)
	if !ok {
		return t.valueEnd(n)
	}
	at := int(p.end)
	if int(p.end-p.start) == size {
		at = int(p.start) + i - int(p.at)
	}
	return min(at, int(n.Text.End))
}

// piece finds the piece that byte i of the value is in, and its length there.
func (t *Tree) piece(n *Node, i int) (p piece, size int, ok bool) {
	if n.Kind != Scalar || i < 0 || i >= len(n.Value) {
		return piece{}, 0, false
	}
	list, end := t.piecesOf(n)
	k := sort.Search(len(list), func(k int) bool { return int(list[k].at) > i }) - 1
	if k < 0 {
		return piece{}, 0, false
	}
	if k+1 < len(list) {
		end = int(list[k+1].at)
	}
	return list[k], end - int(list[k].at), true
}

// decoded are the pieces of a node.
type decoded struct {
	node   *Node
	pieces []piece
	size   int // of the value
}

// piecesOf returns the pieces of a scalar and the size of its value. The scalar is read
// anew unless it was the last: parts of one long value are asked for one after the other.
func (t *Tree) piecesOf(n *Node) ([]piece, int) {
	last := t.last.Load()
	if last == nil || last.node != n {
		d := decoder{text: t.File().Text(), keep: true}
		d.node(n)
		last = &decoded{n, d.pieces, len(d.out)}
		t.last.Store(last)
	}
	return last.pieces, last.size
}

// valueEnd is where the text of a value ends, before a closing quote.
func (t *Tree) valueEnd(n *Node) int {
	end := int(n.Text.End)
	if n.Style == SingleQuoted || n.Style == DoubleQuoted {
		return max(int(n.Text.Start), end-1)
	}
	return end
}
