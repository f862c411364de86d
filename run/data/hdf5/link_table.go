package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// linkTable is a group's links in memory, whichever of the three ways the file
// stores them: symbol table, link messages, fractal heap.
type linkTable struct {
	byName  map[string]Link
	ordered bool   // links remember the order they were made in
	indexed bool   // other programs make an index of that order where there are many links
	next    uint64 // the next link's place in that order
	own     bool   // the links are written from here, not left as they were

	young map[string]bool // names whose links are in no piece of the stack, where own is set
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
				l.piece = m.piece
				t.byName[l.Name] = l
				if l.piece > 0 {
					p := &o.stack[l.piece-1]
					p.names = append(p.names, l.Name)
				}
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
	t.ordered, t.indexed = flags&1 != 0, flags&2 != 0
	if t.ordered {
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

// drop takes a name out of a group whose links are written from its table.
func (o *object) drop(name string) {
	if l := o.links.byName[name]; l.piece > 0 {
		o.thaw(l.piece)
	}
	delete(o.links.byName, name)
	delete(o.links.young, name)
}

// youngest are the names whose links are in no piece of the stack, in the order
// in which they are written.
func (t *linkTable) youngest() []string {
	return t.inOrder(slices.Sorted(maps.Keys(t.young)))
}

// names are all names, in the order in which they were made where it is known.
func (t *linkTable) names() []string { return t.inOrder(slices.Sorted(maps.Keys(t.byName))) }

func (t *linkTable) inOrder(names []string) []string {
	if t.ordered {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(t.byName[a].order, t.byName[b].order) })
	}
	return names
}

// info is the message about the links of a group.
func (t *linkTable) info() message {
	b := builder{0, 0}
	if t.ordered {
		b[1] |= 1
		b.u64(t.next)
	}
	b.u64(undefined)
	b.u64(undefined)
	if t.indexed {
		b[1] |= 2
		b.u64(undefined)
	}
	return message{kind: msgLinkInfo, body: b}
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
