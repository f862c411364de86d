package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
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

// flagsOrdered are the flags of a header whose attributes keep their creation order, with an index of it if
// there are many.
const flagsOrdered = 4 | 8

// Message flags.
const (
	flagShared    = 1 << 1
	flagFailWrite = 1 << 3 // programs that do not know the message may not change the object
	flagFail      = 1 << 7 // programs that do not know the message may not open it
)

// message is one undecoded part of an object header.
type message struct {
	kind  uint16
	flags uint8
	order uint16 // creation order of an attribute, if the header tracks it
	piece int    // of a link: the piece of the header's stack that contains it, from 1
	body  []byte
}

// object is a header in memory: the common part of groups, datasets and types.
type object struct {
	f        *File
	disk     *disk.File
	addr     uint64
	flags    uint8 // of a version 2 header: 4 means that the order of attributes is kept, 8 that it is indexed
	refs     uint32
	room     disk.Extent   // where the header is in the file, without its continuations
	more     []disk.Extent // its continuations, except the pieces of the stack
	stack    []piece       // pieces with unchanged links, the oldest first
	messages []message
	dirty    bool // the header was changed and is listed in File.changes
	fresh    bool // nothing in the file refers to it yet
	unlinked bool // it has fewer names than the file says
	deleted  bool // it has no name any more, and its space may be reused

	links *linkTable // loaded when it is used as a group
	attrs *attrTable // loaded when an attribute is needed
	data  *storage   // loaded when it is used as a dataset
}

// maxHeaderBytes limits the total size of the pieces of one object header.
const maxHeaderBytes = 1 << 28

// object returns the object at an address. It reads the header unless it was read before.
func (f *File) object(addr uint64) (*object, error) {
	if o := f.objects[addr]; o != nil {
		return o, nil
	}
	o, err := f.readHeader(addr)
	for range f.disk.Patience() {
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
			o.refs = binary.LittleEndian.Uint32(m.body[1:])
		}
		if m.kind > msgLast && m.flags&flagFail != 0 {
			return nil, fmt.Errorf("object header at %#x has a message of kind %d, which is unknown and must not be ignored", addr, m.kind)
		}
	}
	f.objects[addr] = o
	return o, nil
}

func (f *File) readHeader(addr uint64) (*object, error) {
	o := &object{f: f, disk: f.disk, addr: addr, refs: 1}
	before := f.headers
	sig, err := f.disk.Read(addr, 4)
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
	p, err := o.disk.Read(o.addr, 16)
	if err != nil {
		return err
	}
	c := o.disk.Cursor(p)
	if v := c.U8(); v != 1 {
		return fmt.Errorf("version %d, expected 1 or `OHDR`", v)
	}
	c.Skip(3)
	o.refs = c.U32()
	size := int(c.U32())
	o.room = disk.Extent{Addr: o.addr, Size: 16 + size}
	return o.readPieces(disk.Extent{Addr: o.addr + 16, Size: size}, 8, func(e disk.Extent) (*field.Cursor, error) {
		p, err := o.disk.Read(e.Addr, e.Size)
		return o.disk.Cursor(p), err
	})
}

func (o *object) readV2() error {
	head, err := o.disk.Read(o.addr, min(34, int(min(o.disk.End-o.addr, 34))))
	if err != nil {
		return err
	}
	c := o.disk.Cursor(head)
	c.Want("OHDR")
	if v := c.U8(); v != 2 && c.Err == nil {
		return fmt.Errorf("version %d, expected 2", v)
	}
	flags := c.U8()
	if flags&0x20 != 0 {
		c.Skip(16)
	}
	if flags&0x10 != 0 {
		c.Skip(4)
	}
	size := c.Uint(1 << (flags & 3))
	if c.Err != nil {
		return c.Err
	}
	if size > o.disk.End {
		return errors.New("header is larger than the file")
	}
	o.flags = flags & 0x0c
	prefix := c.Took
	o.room = disk.Extent{Addr: o.addr, Size: prefix + int(size) + 4}
	first := true
	head4 := 4
	if o.flags&4 != 0 {
		head4 = 6
	}
	return o.readPieces(o.room, head4, func(e disk.Extent) (*field.Cursor, error) {
		if first {
			first = false
			c, err := o.disk.ReadChecked(e.Addr, e.Size, "OHDR")
			if err == nil {
				c.Skip(prefix - 4)
			}
			return c, err
		}
		return o.disk.ReadChecked(e.Addr, e.Size, "OCHK")
	})
}

// readPieces reads the header's messages piece by piece; open checks a piece and returns a cursor for its messages.
func (o *object) readPieces(first disk.Extent, head int, open func(disk.Extent) (*field.Cursor, error)) error {
	var read []readPiece
	seen := map[uint64]bool{}
	total := 0
	for queue := []disk.Extent{first}; len(queue) > 0; queue = queue[1:] {
		e := queue[0]
		if total += e.Size; seen[e.Addr] || total > maxHeaderBytes {
			return errors.New("header continues into itself")
		}
		if o.f.headers += uint64(e.Size); o.f.headers > o.disk.End {
			return errors.New("object headers overlap")
		}
		seen[e.Addr] = true
		c, err := open(e)
		if err != nil {
			return err
		}
		p := readPiece{Extent: e, from: len(o.messages)}
		for len(c.Rest) >= head {
			m := o.message(c, head)
			if c.Err != nil {
				return fmt.Errorf("message of kind %d: %w", m.kind, c.Err)
			}
			switch m.kind {
			case msgNil:
			case msgContinue:
				d := o.disk.Cursor(m.body)
				next := disk.Extent{Addr: d.Addr(), Size: 0}
				n := d.Length()
				if d.Err != nil || n > o.disk.End {
					return errors.New("continuation is larger than the file")
				}
				next.Size = int(n)
				p.next = append(p.next, next.Addr)
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
			o.more = append(o.more, p.Extent)
		}
	}
	return nil
}

func (o *object) message(c *field.Cursor, head int) message {
	var m message
	if head == 8 {
		m.kind = c.U16()
		n := int(c.U16())
		m.flags = c.U8()
		c.Skip(3)
		m.body = c.Bytes(n)
		return m
	}
	m.kind = uint16(c.U8())
	n := int(c.U16())
	m.flags = c.U8()
	if head == 6 {
		m.order = c.U16()
	}
	m.body = c.Bytes(n)
	return m
}

// find returns the body of the first message of a kind, also if it is shared.
func (o *object) find(kind uint16) ([]byte, bool, error) {
	for _, m := range o.messages {
		if m.kind == kind {
			body, err := o.f.unshare(kind, m.flags, m.body)
			return body, true, err
		}
	}
	return nil, false, nil
}

func (o *object) has(kind uint16) bool {
	return slices.ContainsFunc(o.messages, func(m message) bool { return m.kind == kind })
}

// set replaces the message of a kind, or adds it.
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
	o.messages = slices.DeleteFunc(o.messages, func(m message) bool { return slices.Contains(kinds, m.kind) })
	o.touch()
}

const (
	maxMessage    = 65535
	prefix        = 4 + 1 + 1 + 4       // size of a version 2 header before its messages
	maxStub       = prefix + 6 + 16 + 4 // size of a version 2 header that contains only the pointer to its continuation
	maxRoom       = 512                 // largest size of a new header: as much as HDF5's own library reads at once; the rest is in a continuation
	pieceOverhead = 4 + 4               // bytes of a continuation besides its messages: signature and checksum
	maxYoung      = 512                 // bytes of links that may be in the header itself, which is rewritten at each change
)

// newObject makes an object for a group. Its attributes keep their creation order if the links of the group do.
func (g *Group) newObject(n int) *object {
	o := g.f.newObject(n)
	if g.links.ordered {
		o.flags = flagsOrdered
	}
	return o
}

// newObject allocates a header for about n bytes of messages.
func (f *File) newObject(n int) *object {
	o := &object{f: f, disk: f.disk, refs: 1, fresh: true, room: f.disk.AllocHeader(min(max(n, 64)+maxStub, maxRoom), maxStub)}
	o.addr = o.room.Addr
	o.touch()
	f.objects[o.addr] = o
	return o
}

// touch marks the header as changed.
func (o *object) touch() {
	if !o.dirty {
		o.dirty = true
		o.f.changes = append(o.f.changes, o)
	}
}

// changeable returns an error if the object may not be changed.
func (o *object) changeable() error {
	if err := o.disk.Writable(); err != nil {
		return err
	}
	if o.deleted {
		return fmt.Errorf("object %w: it was deleted", ErrNotFound)
	}
	for _, m := range o.messages {
		if m.kind > msgLast && m.flags&flagFailWrite != 0 {
			return fmt.Errorf("object has a message of kind %d, which is unknown: the object may not be changed without knowing it", m.kind)
		}
	}
	return nil
}

// change prepares an object for a change of its header.
func (o *object) change() error {
	if err := o.changeable(); err != nil {
		return err
	}
	o.touch()
	return nil
}

// layOut writes everything that belongs to an object, except its header, to free space. It returns the
// header, which always has version 2.
//
// Other objects refer to the header's address, so it stays. The header of a new object contains its messages
// if they fit. The header of an existing object is a stub, which leads to a continuation with all messages,
// so that only a few bytes are ever overwritten.
func (o *object) layOut() ([]byte, error) {
	if o.data != nil {
		if err := o.data.flush(); err != nil {
			return nil, err
		}
	}
	if o.has(msgAttribute) && !o.has(msgAttrInfo) { // an old header, which has no such message
		if _, err := o.adoptAttributes(); err != nil {
			return nil, err
		}
	}
	body, err := o.encodeMessages()
	if err != nil {
		return nil, err
	}
	space, stub := o.room.Size-prefix-4, o.headSize()+16
	if space < stub {
		return nil, fmt.Errorf("object header at %#x has %d bytes, too few to change it", o.addr, o.room.Size)
	}
	old := o.more
	if o.more = nil; !o.fresh || len(body) > space {
		e, err := o.writePiece(body)
		if err != nil {
			o.more = old
			return nil, err
		}
		body, o.more, space = nil, []disk.Extent{e}, stub
		o.appendContinue(&body, e)
		o.cut(prefix + stub + 4)
	}
	for _, e := range old {
		o.disk.Release(e)
	}
	var b field.Builder
	b.Str("OHDR")
	b.U8(2, o.flags|2)
	b.U32(uint32(space))
	b = append(b, body...)
	o.fillGap(&b, space-len(body))
	b.Checksum()
	return b, nil
}

// encodeMessages returns the messages of a header, with the pointer to those in its stack. If there are many
// links, it moves them to the stack.
func (o *object) encodeMessages() (body field.Builder, err error) {
	messages, err := o.ownMessages()
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if err := o.appendMessage(&body, m); err != nil {
			return nil, err
		}
	}
	if o.links != nil && o.links.own {
		links, err := o.encodeLinks(o.links.youngest())
		if err != nil {
			return nil, err
		}
		if len(links) > maxYoung {
			links = nil
			if err := o.freeze(); err != nil {
				return nil, err
			}
		}
		body = append(body, links...)
	}
	if n := len(o.stack); n > 0 {
		o.appendContinue(&body, o.stack[n-1].Extent)
	}
	return body, nil
}

// cut ends the header after n bytes and releases the rest of its space.
func (o *object) cut(n int) {
	n = int(disk.Align(uint64(n)))
	rest := disk.Extent{Addr: o.addr + uint64(n), Size: o.room.Size - n}
	if rest.Size <= 0 {
		return
	}
	o.room.Size = n
	if o.fresh { // nothing has referred to it
		o.disk.Free(rest)
	} else {
		o.disk.Release(rest)
	}
}

// writePiece writes a continuation of the header.
func (o *object) writePiece(body field.Builder) (disk.Extent, error) {
	e := disk.Extent{Size: int(disk.Align(uint64(len(body) + pieceOverhead)))}
	e.Addr = o.disk.Alloc(uint64(e.Size))
	var b field.Builder
	b.Str("OCHK")
	b = append(b, body...)
	o.fillGap(&b, e.Size-8-len(body))
	b.Checksum()
	return e, o.disk.Write(e.Addr, b)
}

// appendContinue appends the message that refers to a continuation.
func (o *object) appendContinue(b *field.Builder, e disk.Extent) {
	var pointer field.Builder
	pointer.U64(e.Addr)
	pointer.U64(uint64(e.Size))
	_ = o.appendMessage(b, message{kind: msgContinue, body: pointer})
}

// headSize returns the number of bytes of a message before its body.
func (o *object) headSize() int {
	if o.flags&4 != 0 {
		return 6
	}
	return 4
}

func (o *object) appendMessage(b *field.Builder, m message) error {
	if len(m.body) > maxMessage {
		return fmt.Errorf("%d bytes do not fit in an object header, which takes at most %d", len(m.body), maxMessage)
	}
	b.U8(uint8(m.kind))
	b.U16(uint16(len(m.body)))
	b.U8(m.flags)
	if o.flags&4 != 0 {
		b.U16(m.order)
	}
	*b = append(*b, m.body...)
	return nil
}

// fillGap fills n bytes with empty messages. A rest that is too small for a message is left as a gap.
func (o *object) fillGap(b *field.Builder, n int) {
	head := o.headSize()
	for n >= head {
		k := min(n-head, maxMessage)
		if rest := n - head - k; rest > 0 && rest < head {
			k -= head
		}
		_ = o.appendMessage(b, message{kind: msgNil, body: make([]byte, k)})
		n -= head + k
	}
	b.Zeros(n)
}

// ownMessages returns the header's messages except its links, including those of its attributes.
func (o *object) ownMessages() ([]message, error) {
	var messages []message
	for _, m := range o.messages {
		if m.kind != msgRefCount && m.piece == 0 {
			messages = append(messages, m)
		}
	}
	if o.refs != 1 {
		var b field.Builder
		b.U8(0)
		b.U32(o.refs)
		messages = append(messages, message{kind: msgRefCount, body: b})
	}
	if o.links != nil && o.links.own {
		messages = append(messages, o.links.info())
	}
	if o.attrs != nil && o.attrs.own {
		added, err := o.attrs.messages(o.flags)
		if err != nil {
			return nil, err
		}
		messages = append(messages, added...)
	}
	return messages, nil
}
