package hdf5

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/index"
)

// LinkKind is the kind of a Link's target.
type LinkKind uint8

const (
	HardLink     LinkKind = 0
	SoftLink     LinkKind = 1
	ExternalLink LinkKind = 64
)

// Link is one name in a group.
type Link struct {
	Name   string
	Kind   LinkKind
	Target string // SoftLink: the path; ExternalLink: file and path, separated by `:`

	addr     uint64 // HardLink
	raw      []byte // ExternalLink and unknown kinds: kept unchanged
	order    uint64
	hasOrder bool
	utf8     bool
	piece    int // the number of the stored piece that contains the link, from 1 (see below, on growing groups); 0: none
}

func decodeLink(c *field.Cursor) (Link, error) {
	if v := c.U8(); v != 1 && c.Err == nil {
		return Link{}, errors.New("link message has an unknown version")
	}
	flags := c.U8()
	var l Link
	if flags&8 != 0 {
		l.Kind = LinkKind(c.U8())
	}
	if l.hasOrder = flags&4 != 0; l.hasOrder {
		l.order = c.U64()
	}
	if flags&0x10 != 0 {
		l.utf8 = c.U8() == 1
	}
	n := c.Uint(1 << (flags & 3))
	if n > uint64(len(c.Rest)) {
		return l, field.ErrShort
	}
	l.Name = string(c.Bytes(int(n)))
	switch l.Kind {
	case HardLink:
		l.addr = c.Addr()
	case SoftLink:
		l.Target = string(c.Bytes(int(c.U16())))
	default:
		l.raw = c.Bytes(int(c.U16()))
		if l.Kind == ExternalLink && c.Err == nil {
			d := &field.Cursor{Rest: l.raw}
			d.Skip(1)
			l.Target = d.Name() + ":" + d.Name()
		}
	}
	return l, c.Err
}

func (l Link) encode() []byte {
	var b field.Builder
	size := field.BytesFor(uint64(len(l.Name)))
	flags := uint8(0)
	if size > 1 {
		size, flags = 2, 1
	}
	if l.hasOrder {
		flags |= 4
	}
	if l.Kind != HardLink {
		flags |= 8
	}
	if l.utf8 {
		flags |= 0x10
	}
	b.U8(1, flags)
	if l.Kind != HardLink {
		b.U8(uint8(l.Kind))
	}
	if l.hasOrder {
		b.U64(l.order)
	}
	if l.utf8 {
		b.U8(1)
	}
	b.Uint(uint64(len(l.Name)), size)
	b.Str(l.Name)
	switch l.Kind {
	case HardLink:
		b.U64(l.addr)
	case SoftLink:
		b.U16(uint16(len(l.Target)))
		b.Str(l.Target)
	default:
		b.U16(uint16(len(l.raw)))
		b = append(b, l.raw...)
	}
	return b
}

// linkTable is a group's links in memory, read from any of the three forms in the file:
// symbol table, link messages, fractal heap.
type linkTable struct {
	byName  map[string]Link
	ordered bool   // links have a creation order
	indexed bool   // other programs index that order if there are many links
	next    uint64 // the next link's position in that order
	own     bool   // the links were changed, so they are written from this table instead of copied from the file

	young map[string]bool // the names of links that no part of the stack stores yet; used if own is set
}

// readLinks loads the links of an object, or returns an error if it is not a group.
func (o *object) readLinks() (*linkTable, error) {
	if o.links != nil {
		return o.links, nil
	}
	t := &linkTable{byName: map[string]Link{}}
	isGroup := false
	for _, m := range o.messages {
		c := o.disk.Cursor(m.body)
		var err error
		switch m.kind {
		case msgLink:
			isGroup = true
			var l Link
			if l, err = decodeLink(c); err == nil {
				l.piece = m.piece
				t.byName[l.Name] = l
				if l.piece > 0 {
					p := &o.stack[l.piece-1]
					p.names = append(p.names, l.Name)
				}
			}
		case msgSymbolTable:
			isGroup = true
			tree, heap := c.Addr(), c.Addr()
			if err = c.Err; err == nil {
				err = o.f.symbolTable(tree, heap, t.byName)
			}
		case msgLinkInfo:
			isGroup = true
			err = o.linkInfo(c, t)
		case msgGroupInfo:
			isGroup = true
		}
		if err != nil {
			return nil, err
		}
	}
	if !isGroup {
		return nil, errors.New("is not a group")
	}
	if err := o.f.count(len(t.byName)); err != nil {
		return nil, err
	}
	o.links = t
	return t, nil
}

func (o *object) linkInfo(c *field.Cursor, t *linkTable) error {
	c.Skip(1)
	flags := c.U8()
	t.ordered, t.indexed = flags&1 != 0, flags&2 != 0
	if t.ordered {
		t.next = c.U64()
	}
	heapAddr, tree := c.Addr(), c.Addr()
	if c.Err != nil || heapAddr == field.Undefined || tree == field.Undefined {
		return c.Err
	}
	h, err := index.OpenFractalHeap(o.disk, heapAddr)
	if err != nil {
		return err
	}
	return index.TreeV2(o.disk, tree, 5, func(r *field.Cursor) error {
		r.Skip(4)
		p, err := h.Object(r.Bytes(len(r.Rest)))
		if err != nil {
			return err
		}
		l, err := decodeLink(o.disk.Cursor(p))
		if err == nil {
			t.byName[l.Name] = l
		}
		return err
	})
}

// adopt makes the table responsible for the links: from now on they are written as link messages.
func (o *object) adopt() (*linkTable, error) {
	t, err := o.readLinks()
	if err != nil {
		return nil, err
	}
	if err := o.change(); err != nil {
		return nil, err
	}
	if !t.own {
		o.remove(msgLink, msgLinkInfo, msgSymbolTable)
		if !o.has(msgGroupInfo) {
			o.set(msgGroupInfo, 0, []byte{0, 0})
		}
		t.own, t.young = true, map[string]bool{}
		for name, l := range t.byName {
			if l.piece == 0 {
				t.young[name] = true
			}
		}
	}
	return t, nil
}

func (t *linkTable) add(l Link) {
	if l.hasOrder = t.ordered; l.hasOrder {
		l.order = t.next
		t.next++
	}
	t.byName[l.Name] = l
	t.young[l.Name] = true
}

// drop removes a name from a group whose links are written from its table.
func (o *object) drop(name string) {
	if l := o.links.byName[name]; l.piece > 0 {
		o.thaw(l.piece)
	}
	delete(o.links.byName, name)
	delete(o.links.young, name)
}

// youngest returns the names whose links are in no piece of the stack, in the order in
// which they are written.
func (t *linkTable) youngest() []string {
	return t.inOrder(slices.Sorted(maps.Keys(t.young)))
}

// names returns all names, in creation order if it is known.
func (t *linkTable) names() []string { return t.inOrder(slices.Sorted(maps.Keys(t.byName))) }

func (t *linkTable) inOrder(names []string) []string {
	if t.ordered {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(t.byName[a].order, t.byName[b].order) })
	}
	return names
}

// info returns the link info message of a group.
func (t *linkTable) info() message {
	b := field.Builder{0, 0}
	if t.ordered {
		b[1] |= 1
		b.U64(t.next)
	}
	b.U64(field.Undefined)
	b.U64(field.Undefined)
	if t.indexed {
		b[1] |= 2
		b.U64(field.Undefined)
	}
	return message{kind: msgLinkInfo, body: b}
}

// symbolTable reads the links of an old group: a B-tree of symbol nodes, with names in a
// local heap.
func (f *File) symbolTable(tree, heapAddr uint64, into map[string]Link) error {
	heap, err := index.OpenLocalHeap(f.disk, heapAddr)
	if err != nil {
		return fmt.Errorf("symbol table: %w", err)
	}
	return index.TreeV1(f.disk, tree, 0, f.disk.LengthSize, func(_ []byte, node uint64) error {
		size := 2*f.disk.OffsetSize + 24
		head, err := f.disk.Read(node, 8)
		if err != nil {
			return err
		}
		c := f.disk.Cursor(head)
		c.Want("SNOD")
		c.Skip(2)
		n := int(c.U16())
		if c.Err != nil {
			return c.Err
		}
		p, err := f.disk.Read(node+8, n*size)
		if err != nil {
			return err
		}
		for c := (f.disk.Cursor(p)); len(c.Rest) > 0; {
			var l Link
			name := c.Addr()
			l.addr = c.Addr()
			cache := c.U32()
			c.Skip(4)
			scratch := c.Bytes(16)
			if c.Err != nil {
				return c.Err
			}
			if l.Name, err = heap.Text(name); err != nil {
				return err
			}
			if cache == 2 {
				l.Kind = SoftLink
				if l.Target, err = heap.Text(uint64(binary.LittleEndian.Uint32(scratch))); err != nil {
					return err
				}
			}
			into[l.Name] = l
		}
		return nil
	}, nil)
}

// How the links of a growing group are stored.
//
// A group that gets a link in each step of a simulation would have to be rewritten
// completely each time. So its header has only the youngest links. When the header is
// full, they move together to a new piece, which refers to the previous one:
//
//	header: youngest links ──▶ piece ──▶ larger piece ──▶ largest, oldest piece
//
// A new piece takes over the links of the piece that it would refer to, and so on, unless
// that piece is at least twice as large. So a link is rewritten about as often as the
// number of links doubles, and there are few pieces. A piece never changes.

// piece is a continuation of a header that contains links and the pointer to the next
// piece, and nothing else.
type piece struct {
	disk.Extent
	names []string
}

// readPiece is a piece of a header that was read.
type readPiece struct {
	disk.Extent
	from, to int      // the range of its messages
	next     []uint64 // the pieces that it refers to
	stacked  bool
}

// findStack finds the pieces with links in a header that was read.
func (o *object) findStack(read []readPiece) {
	links := func(addr uint64) *readPiece {
		for i := range read[1:] {
			p := &read[i+1]
			if p.Addr != addr {
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
		if i > 0 && links(p.Addr) != nil {
			continue
		}
		for _, addr := range p.next {
			pieces := chain(addr)
			for k, q := range pieces {
				q.stacked = true
				o.stack = append(o.stack, piece{Extent: q.Extent})
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
	for keep > 0 && o.stack[keep-1].Size < 2*(len(body)+pieceOverhead) {
		keep--
		merged := slices.DeleteFunc(slices.Clone(o.stack[keep].names), func(name string) bool { return t.byName[name].piece != keep+1 })
		more, err := o.encodeLinks(merged)
		if err != nil {
			return err
		}
		names, body = append(names, merged...), append(body, more...)
	}
	if keep > 0 {
		o.appendContinue(&body, o.stack[keep-1].Extent)
	}
	e, err := o.writePiece(body)
	if err != nil {
		return err
	}
	for _, p := range o.stack[keep:] {
		o.disk.Release(p.Extent)
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

// thaw dissolves the pieces of the stack from the given one on, because a link in it changes.
func (o *object) thaw(from int) {
	t := o.links
	for _, p := range o.stack[from-1:] {
		o.disk.Release(p.Extent)
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

func (o *object) encodeLinks(names []string) (field.Builder, error) {
	var b field.Builder
	for _, name := range names {
		if err := o.appendMessage(&b, message{kind: msgLink, body: o.links.byName[name].encode()}); err != nil {
			return nil, err
		}
	}
	return b, nil
}
