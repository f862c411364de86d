package syntax

import "sort"

// piece maps the bytes of a value from at on, up to the next piece, to the bytes of the text from start to end. If both have the same length, they
// are the same bytes.
type piece struct{ at, start, end int32 }

// Offset returns the position in the file of byte i of a scalar's value. If several bytes produce one byte, as in an escape or a folded line break,
// it is the position of the first. For the end of the value it is the end of its text. The line break that ends a block scalar is not part of the
// node.
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

// OffsetEnd returns the position in the file where the bytes of a scalar's value before byte i end.
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

// piece returns the piece that contains byte i of the value, and its length in the value.
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

// decoded holds the pieces of a node.
type decoded struct {
	node   *Node
	pieces []piece
	size   int // the size of the value
}

// piecesOf returns the pieces of a scalar and the size of its value. The last scalar is cached, because the parts of one long value are looked up one
// after the other.
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

// valueEnd returns the end of the text of a value, before a closing quote.
func (t *Tree) valueEnd(n *Node) int {
	end := int(n.Text.End)
	if n.Style == SingleQuoted || n.Style == DoubleQuoted {
		return max(int(n.Text.Start), end-1)
	}
	return end
}
