package hdf5

import "slices"

// Links of a group that grows.
//
// A group that gets a link with each step of a simulation would be written as a
// whole each time. So the header holds the youngest links, and where it is full
// they go together to a new piece, which refers to the one before:
//
//	header: youngest links ──▶ piece ──▶ larger piece ──▶ largest, oldest piece
//
// A new piece takes in the one that it would refer to, and so on, unless that is
// at least twice as large. So a link is written again about as often as the number
// of links doubles, and there are few pieces. A piece never changes.

// piece is a continuation of a header that holds links, and nothing else but
// the way to the next piece.
type piece struct {
	extent
	names []string
}

// readPiece is a piece of a header as it was read.
type readPiece struct {
	extent
	from, to int      // which of the messages are in it
	next     []uint64 // the pieces that it refers to
	stacked  bool
}

// findStack finds the pieces of links in a header that was read.
func (o *object) findStack(read []readPiece) {
	links := func(addr uint64) *readPiece {
		for i := range read[1:] {
			p := &read[i+1]
			if p.addr != addr {
				continue
			}
			if p.from == p.to || len(p.next) > 1 || slices.ContainsFunc(o.messages[p.from:p.to], func(m message) bool { return m.kind != msgLink }) {
				return nil
			}
			return p
		}
		return nil
	}
	chain := func(addr uint64) []*readPiece {
		var out []*readPiece
		for {
			p := links(addr)
			if p == nil {
				return nil
			}
			if out = append(out, p); len(p.next) == 0 {
				slices.Reverse(out)
				return out
			}
			addr = p.next[0]
		}
	}
	for i, p := range read {
		if i > 0 && links(p.addr) != nil {
			continue
		}
		for _, addr := range p.next {
			pieces := chain(addr)
			for k, q := range pieces {
				q.stacked = true
				o.stack = append(o.stack, piece{extent: q.extent})
				for m := q.from; m < q.to; m++ {
					o.messages[m].piece = k + 1
				}
			}
			if pieces != nil {
				return
			}
		}
	}
}

// freeze moves the youngest links to a new piece of the stack.
func (o *object) freeze() error {
	t := o.links
	names := t.youngest()
	keep := len(o.stack)
	body, err := o.encodeLinks(names)
	if err != nil {
		return err
	}
	for keep > 0 && o.stack[keep-1].size < 2*(len(body)+pieceOverhead) {
		keep--
		merged := slices.DeleteFunc(slices.Clone(o.stack[keep].names), func(name string) bool { return t.byName[name].piece != keep+1 })
		more, err := o.encodeLinks(merged)
		if err != nil {
			return err
		}
		names, body = append(names, merged...), append(body, more...)
	}
	if keep > 0 {
		o.appendContinue(&body, o.stack[keep-1].extent)
	}
	e, err := o.writePiece(body)
	if err != nil {
		return err
	}
	for _, p := range o.stack[keep:] {
		o.f.release(p.extent)
	}
	o.stack = append(o.stack[:keep], piece{e, names})
	for _, name := range names {
		l := t.byName[name]
		l.piece = keep + 1
		t.byName[name] = l
	}
	clear(t.young)
	return nil
}

// thaw takes the pieces of the stack from one on apart: a link in it changes.
func (o *object) thaw(from int) {
	t := o.links
	for _, p := range o.stack[from-1:] {
		o.f.release(p.extent)
		for _, name := range p.names {
			if l, ok := t.byName[name]; ok && l.piece >= from {
				l.piece = 0
				t.byName[name] = l
				t.young[name] = true
			}
		}
	}
	o.stack = o.stack[:from-1]
}

func (o *object) encodeLinks(names []string) (builder, error) {
	var b builder
	for _, name := range names {
		if err := o.appendMessage(&b, message{kind: msgLink, body: o.links.byName[name].encode()}); err != nil {
			return nil, err
		}
	}
	return b, nil
}
