package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// linkTable is a group's links in memory, whichever of the three ways the file
// stores them: symbol table, link messages, fractal heap.
type linkTable struct {
	byName  map[string]Link
	ordered bool   // links remember the order they were made in
	next    uint64 // the next link's place in that order
	own     bool   // the links are written from here, not left as they were
}

// group loads the links of an object that must be a group.
func (o *object) group() (*linkTable, error) {
	if o.links != nil {
		return o.links, nil
	}
	t := &linkTable{byName: map[string]Link{}}
	isGroup := false
	for _, m := range o.messages {
		c := &cursor{b: m.body, sb: &o.f.sb}
		var err error
		switch m.kind {
		case msgLink:
			isGroup = true
			var l Link
			if l, err = o.f.decodeLink(m.body); err == nil {
				t.byName[l.Name] = l
			}
		case msgSymbolTable:
			isGroup = true
			tree, heap := c.addr(), c.addr()
			if err = c.err; err == nil {
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

func (o *object) linkInfo(c *cursor, t *linkTable) error {
	c.skip(1)
	flags := c.u8()
	if t.ordered = flags&1 != 0; t.ordered {
		t.next = c.u64()
	}
	heapAddr, tree := c.addr(), c.addr()
	if c.err != nil || heapAddr == undefined || tree == undefined {
		return c.err
	}
	h, err := o.f.fractalHeap(heapAddr)
	if err != nil {
		return err
	}
	return o.f.btreeV2(tree, 5, func(r *cursor) error {
		r.skip(4)
		p, err := h.object(r.bytes(len(r.b)))
		if err != nil {
			return err
		}
		l, err := o.f.decodeLink(p)
		if err == nil {
			t.byName[l.Name] = l
		}
		return err
	})
}

// adopt makes the table the owner of the links: from now on they are written
// as link messages.
func (o *object) adopt() (*linkTable, error) {
	t, err := o.group()
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
		t.own = true
	}
	return t, nil
}

func (t *linkTable) add(l Link) {
	if l.hasOrder = t.ordered; l.hasOrder {
		l.order = t.next
		t.next++
	}
	t.byName[l.Name] = l
}

func (t *linkTable) sorted() []Link {
	links := make([]Link, 0, len(t.byName))
	for _, l := range t.byName {
		links = append(links, l)
	}
	slices.SortFunc(links, func(a, b Link) int { return cmp.Compare(a.Name, b.Name) })
	return links
}

func (t *linkTable) messages() []message {
	var b builder
	b.u8(0)
	if t.ordered {
		b.u8(1)
		b.u64(t.next)
	} else {
		b.u8(0)
	}
	b.u64(undefined)
	b.u64(undefined)
	out := []message{{kind: msgLinkInfo, body: b}}
	links := t.sorted()
	if t.ordered {
		slices.SortStableFunc(links, func(a, b Link) int { return cmp.Compare(a.order, b.order) })
	}
	for _, l := range links {
		out = append(out, message{kind: msgLink, body: l.encode()})
	}
	return out
}

// symbolTable reads the links of an old group: a B-tree of symbol nodes with
// names in a local heap.
func (f *File) symbolTable(tree, heapAddr uint64, into map[string]Link) error {
	heap, err := f.localHeap(heapAddr)
	if err != nil {
		return fmt.Errorf("symbol table: %w", err)
	}
	return f.btreeV1Group(tree, func(node uint64) error {
		size := 2*f.sb.offsetSize + 24
		head, err := f.read(node, 8)
		if err != nil {
			return err
		}
		c := &cursor{b: head, sb: &f.sb}
		c.want("SNOD")
		c.skip(2)
		n := int(c.u16())
		if c.err != nil {
			return c.err
		}
		p, err := f.read(node+8, n*size)
		if err != nil {
			return err
		}
		for c := (&cursor{b: p, sb: &f.sb}); len(c.b) > 0; {
			var l Link
			name := c.addr()
			l.addr = c.addr()
			cache := c.u32()
			c.skip(4)
			scratch := c.bytes(16)
			if c.err != nil {
				return c.err
			}
			if l.Name, err = heap.text(name); err != nil {
				return err
			}
			if cache == 2 {
				l.Kind = SoftLink
				if l.Target, err = heap.text(uint64(le32(scratch))); err != nil {
					return err
				}
			}
			into[l.Name] = l
		}
		return nil
	})
}
