package hdf5

import "fmt"

const (
	maxMessage    = 65535
	prefix        = 4 + 1 + 1 + 4       // of a version 2 header, in front of its messages
	maxStub       = prefix + 6 + 16 + 4 // a version 2 header that only continues elsewhere
	maxRoom       = 512                 // of a new header, as much as HDF5's own library reads at once; what does not fit continues elsewhere
	pieceOverhead = 4 + 4               // of a continuation: signature and checksum
	maxYoung      = 512                 // bytes of links that are written again with the header
)

// newObject makes an object for a group, whose attributes keep the order they are made in where the links of
// the group do.
func (g *Group) newObject(n int) *object {
	o := g.f.newObject(n)
	if g.links.ordered {
		o.flags = flagsOrdered
	}
	return o
}

// newObject takes room for a header of about n message bytes.
func (f *File) newObject(n int) *object {
	o := &object{f: f, refs: 1, fresh: true, room: f.allocHeader(min(max(n, 64)+maxStub, maxRoom))}
	o.addr = o.room.addr
	o.touch()
	f.objects[o.addr] = o
	return o
}

// touch notes that the header has to be written.
func (o *object) touch() {
	if !o.dirty {
		o.dirty = true
		o.f.changes = append(o.f.changes, o)
	}
}

// changeable reports whether what belongs to an object may be changed.
func (o *object) changeable() error {
	if err := o.f.writable(); err != nil {
		return err
	}
	if o.deleted {
		return fmt.Errorf("object %w: it was deleted", ErrNotFound)
	}
	for _, m := range o.messages {
		if m.kind > msgLast && m.flags&flagFailWrite != 0 {
			return fmt.Errorf("object has a message of kind %d, which must be understood before the object may be changed", m.kind)
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

// layOut writes all that belongs to an object but its header, into free room,
// and gives the header: in version 2, whatever version it had.
//
// Other objects know the address, so it stays. The header of a new object holds its
// messages where they fit. That of one that is in the file is a stub: it leads to a
// continuation with all messages, so that few bytes are ever overwritten.
func (o *object) layOut() ([]byte, error) {
	if o.data != nil {
		if err := o.data.flush(); err != nil {
			return nil, err
		}
	}
	if o.has(msgAttribute) && !o.has(msgAttrInfo) { // an old header, which had no such message
		if _, err := o.adoptAttributes(); err != nil {
			return nil, err
		}
	}
	body, err := o.encodeMessages()
	if err != nil {
		return nil, err
	}
	space, stub := o.room.size-prefix-4, o.headSize()+16
	if space < stub {
		return nil, fmt.Errorf("object header at %#x has %d bytes, too few to change it", o.addr, o.room.size)
	}
	old := o.more
	if o.more = nil; !o.fresh || len(body) > space {
		e, err := o.writePiece(body)
		if err != nil {
			o.more = old
			return nil, err
		}
		body, o.more, space = nil, []extent{e}, stub
		o.appendContinue(&body, e)
		o.cut(prefix + stub + 4)
	}
	for _, e := range old {
		o.f.release(e)
	}
	var b builder
	b.str("OHDR")
	b.u8(2, o.flags|2)
	b.u32(uint32(space))
	b = append(b, body...)
	o.fillGap(&b, space-len(body))
	b.checksum()
	return b, nil
}

// encodeMessages gives the messages of a header, and the way to those that are in its
// stack. Links of which there are many go to the stack.
func (o *object) encodeMessages() (body builder, err error) {
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
		o.appendContinue(&body, o.stack[n-1].extent)
	}
	return body, nil
}

// cut lets the header end after n bytes, and gives the rest of its room back.
func (o *object) cut(n int) {
	n = int(align(uint64(n)))
	rest := extent{o.addr + uint64(n), o.room.size - n}
	if rest.size <= 0 {
		return
	}
	o.room.size = n
	if o.fresh { // nothing has led there
		o.f.free.add(rest)
	} else {
		o.f.release(rest)
	}
}

// writePiece writes a continuation of the header.
func (o *object) writePiece(body builder) (extent, error) {
	e := extent{size: int(align(uint64(len(body) + pieceOverhead)))}
	e.addr = o.f.alloc(uint64(e.size))
	var b builder
	b.str("OCHK")
	b = append(b, body...)
	o.fillGap(&b, e.size-8-len(body))
	b.checksum()
	return e, o.f.write(e.addr, b)
}

// appendContinue adds the message that leads to a continuation.
func (o *object) appendContinue(b *builder, e extent) {
	var pointer builder
	pointer.u64(e.addr)
	pointer.u64(uint64(e.size))
	_ = o.appendMessage(b, message{kind: msgContinue, body: pointer})
}

// headSize is the bytes of a message in front of its body.
func (o *object) headSize() int {
	if o.flags&4 != 0 {
		return 6
	}
	return 4
}

func (o *object) appendMessage(b *builder, m message) error {
	if len(m.body) > maxMessage {
		return fmt.Errorf("%d bytes do not fit in an object header, which takes at most %d", len(m.body), maxMessage)
	}
	b.u8(uint8(m.kind))
	b.u16(uint16(len(m.body)))
	b.u8(m.flags)
	if o.flags&4 != 0 {
		b.u16(m.order)
	}
	*b = append(*b, m.body...)
	return nil
}

// fillGap fills n bytes with empty messages; fewer than a message's head stay a gap.
func (o *object) fillGap(b *builder, n int) {
	head := o.headSize()
	for n >= head {
		k := min(n-head, maxMessage)
		if rest := n - head - k; rest > 0 && rest < head {
			k -= head
		}
		_ = o.appendMessage(b, message{kind: msgNil, body: make([]byte, k)})
		n -= head + k
	}
	b.zeros(n)
}

// ownMessages are the header's messages but for its links, with those of its attributes.
func (o *object) ownMessages() ([]message, error) {
	var messages []message
	for _, m := range o.messages {
		if m.kind != msgRefCount && m.piece == 0 {
			messages = append(messages, m)
		}
	}
	if o.refs != 1 {
		var b builder
		b.u8(0)
		b.u32(o.refs)
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
