package hdf5

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Kinds of object header messages.
const (
	msgNil         = 0x00
	msgDataspace   = 0x01
	msgLinkInfo    = 0x02
	msgDatatype    = 0x03
	msgFillOld     = 0x04
	msgFill        = 0x05
	msgLink        = 0x06
	msgExternal    = 0x07
	msgLayout      = 0x08
	msgGroupInfo   = 0x0a
	msgFilters     = 0x0b
	msgAttribute   = 0x0c
	msgSharedTable = 0x0f
	msgContinue    = 0x10
	msgSymbolTable = 0x11
	msgBtreeK      = 0x13
	msgAttrInfo    = 0x15
	msgRefCount    = 0x16
	msgFileSpace   = 0x17
	msgLast        = msgFileSpace
)

// flagsOrdered are those of a header whose attributes keep the order they are made in, with an index of it
// where there are many.
const flagsOrdered = 4 | 8

// Message flags.
const (
	flagShared    = 1 << 1
	flagFailWrite = 1 << 3 // who does not know the message may not change the object
	flagFail      = 1 << 7 // … may not even open it
)

// message is one undecoded part of an object header.
type message struct {
	kind  uint16
	flags uint8
	order uint16 // creation order of an attribute, where the header tracks it
	piece int    // of a link: the piece of the header's stack that it is in, from 1 on
	body  []byte
}

// extent is a piece of the file.
type extent struct {
	addr uint64
	size int
}

// object is a header in memory: what is common to groups, datasets and types.
type object struct {
	f        *File
	addr     uint64
	flags    uint8 // of a version 2 header: attribute order tracked (4), indexed (8)
	refs     uint32
	room     extent   // the header itself
	more     []extent // its continuations, but for those of the stack
	stack    []piece  // links that stay as they are, the oldest first
	messages []message
	dirty    bool // it is among the file's changes
	fresh    bool // nothing in the file refers to it yet
	unlinked bool // it has a name less than the file says
	deleted  bool // it has no name any more, and its room may be used again

	links *linkTable // loaded when it is used as a group
	attrs *attrTable // loaded when an attribute is asked for
	data  *storage   // loaded when it is used as a dataset
}

// maxHeaderBytes bounds what the pieces of one object header may add up to.
const maxHeaderBytes = 1 << 28

// object reads the header at an address, or finds it among those read before.
func (f *File) object(addr uint64) (*object, error) {
	if o := f.objects[addr]; o != nil {
		return o, nil
	}
	o, err := f.readHeader(addr)
	for range f.patience() {
		if err == nil {
			break
		}
		time.Sleep(time.Millisecond)
		o, err = f.readHeader(addr)
	}
	if err != nil {
		return nil, fmt.Errorf("object header at %#x: %w", addr, err)
	}
	for _, m := range o.messages {
		if m.kind == msgRefCount && len(m.body) >= 5 {
			o.refs = le32(m.body[1:])
		}
		if m.kind > msgLast && m.flags&flagFail != 0 {
			return nil, fmt.Errorf("object header at %#x has a message of kind %d, which must be understood and is not", addr, m.kind)
		}
	}
	f.objects[addr] = o
	return o, nil
}

// patience is how often a header that makes no sense is read again: another program
// may be writing it. The file of a program that writes changes under nobody's hands.
func (f *File) patience() int {
	if _, ok := f.r.(*os.File); ok && f.w == nil {
		return 3
	}
	return 0
}

func (f *File) readHeader(addr uint64) (*object, error) {
	o := &object{f: f, addr: addr, refs: 1}
	before := f.headers
	sig, err := f.read(addr, 4)
	if err != nil {
		return nil, err
	}
	if string(sig) == "OHDR" {
		err = o.readV2()
	} else {
		err = o.readV1()
	}
	if err != nil {
		f.headers = before
	}
	return o, err
}

func (o *object) readV1() error {
	p, err := o.f.read(o.addr, 16)
	if err != nil {
		return err
	}
	c := &cursor{b: p, sb: &o.f.sb}
	if v := c.u8(); v != 1 {
		return fmt.Errorf("version %d, expected 1 or `OHDR`", v)
	}
	c.skip(3)
	o.refs = c.u32()
	size := int(c.u32())
	o.room = extent{o.addr, 16 + size}
	return o.readPieces(extent{o.addr + 16, size}, 8, func(e extent) (*cursor, error) {
		p, err := o.f.read(e.addr, e.size)
		return &cursor{b: p, sb: &o.f.sb}, err
	})
}

func (o *object) readV2() error {
	head, err := o.f.read(o.addr, min(34, int(min(o.f.end-o.addr, 34))))
	if err != nil {
		return err
	}
	c := &cursor{b: head, sb: &o.f.sb}
	c.want("OHDR")
	if v := c.u8(); v != 2 && c.err == nil {
		return fmt.Errorf("version %d, expected 2", v)
	}
	flags := c.u8()
	if flags&0x20 != 0 {
		c.skip(16)
	}
	if flags&0x10 != 0 {
		c.skip(4)
	}
	size := c.uint(1 << (flags & 3))
	if c.err != nil {
		return c.err
	}
	if size > o.f.end {
		return errors.New("header is larger than the file")
	}
	o.flags = flags & 0x0c
	prefix := c.took
	o.room = extent{o.addr, prefix + int(size) + 4}
	first := true
	head4 := 4
	if o.flags&4 != 0 {
		head4 = 6
	}
	return o.readPieces(o.room, head4, func(e extent) (*cursor, error) {
		if first {
			first = false
			c, err := o.f.readChecked(e.addr, e.size, "OHDR")
			if err == nil {
				c.skip(prefix - 4)
			}
			return c, err
		}
		return o.f.readChecked(e.addr, e.size, "OCHK")
	})
}

// readPieces reads the header's messages piece by piece; open checks a piece
// and gives its messages.
func (o *object) readPieces(first extent, head int, open func(extent) (*cursor, error)) error {
	var read []readPiece
	seen := map[uint64]bool{}
	total := 0
	for queue := []extent{first}; len(queue) > 0; queue = queue[1:] {
		e := queue[0]
		if total += e.size; seen[e.addr] || total > maxHeaderBytes {
			return errors.New("header continues into itself")
		}
		if o.f.headers += uint64(e.size); o.f.headers > o.f.end {
			return errors.New("object headers overlap")
		}
		seen[e.addr] = true
		c, err := open(e)
		if err != nil {
			return err
		}
		p := readPiece{extent: e, from: len(o.messages)}
		for len(c.b) >= head {
			m := o.message(c, head)
			if c.err != nil {
				return fmt.Errorf("message of kind %d: %w", m.kind, c.err)
			}
			switch m.kind {
			case msgNil:
			case msgContinue:
				d := &cursor{b: m.body, sb: &o.f.sb}
				next := extent{d.addr(), 0}
				n := d.length()
				if d.err != nil || n > o.f.end {
					return errors.New("continuation is larger than the file")
				}
				next.size = int(n)
				p.next = append(p.next, next.addr)
				queue = append(queue, next)
			default:
				o.messages = append(o.messages, m)
			}
		}
		p.to = len(o.messages)
		read = append(read, p)
	}
	if head != 8 {
		o.findStack(read)
	}
	for _, p := range read[1:] {
		if !p.stacked {
			o.more = append(o.more, p.extent)
		}
	}
	return nil
}

func (o *object) message(c *cursor, head int) message {
	var m message
	if head == 8 {
		m.kind = c.u16()
		n := int(c.u16())
		m.flags = c.u8()
		c.skip(3)
		m.body = c.bytes(n)
		return m
	}
	m.kind = uint16(c.u8())
	n := int(c.u16())
	m.flags = c.u8()
	if head == 6 {
		m.order = c.u16()
	}
	m.body = c.bytes(n)
	return m
}

// find gives the body of the first message of a kind, wherever it is shared from.
func (o *object) find(kind uint16) ([]byte, bool, error) {
	for _, m := range o.messages {
		if m.kind == kind {
			body, err := o.f.unshare(kind, m.flags, m.body)
			return body, true, err
		}
	}
	return nil, false, nil
}

// set replaces the message of a kind or adds it.
func (o *object) set(kind uint16, flags uint8, body []byte) {
	o.touch()
	for i := range o.messages {
		if o.messages[i].kind == kind {
			o.messages[i].flags, o.messages[i].body = flags, body
			return
		}
	}
	o.messages = append(o.messages, message{kind: kind, flags: flags, body: body})
}

func (o *object) remove(kinds ...uint16) {
	kept := o.messages[:0]
	for _, m := range o.messages {
		drop := false
		for _, k := range kinds {
			drop = drop || m.kind == k
		}
		if !drop {
			kept = append(kept, m)
		}
	}
	o.messages = kept
	o.touch()
}
