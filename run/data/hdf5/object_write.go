package hdf5

import "fmt"

const (
	maxMessage = 65535
	minRoom    = 4 + 1 + 1 + 4 + 22 + 4 // a version 2 header that only continues elsewhere
)

// newObject takes room for a header of about n message bytes.
func (f *File) newObject(n int) *object {
	n = max(n, 64)
	o := &object{f: f, refs: 1, dirty: true, room: extent{f.alloc(uint64(minRoom + n)), minRoom + n}}
	o.addr = o.room.addr
	f.objects[o.addr] = o
	return o
}

// change prepares an object for being changed.
func (o *object) change() error {
	if err := o.f.writable(); err != nil {
		return err
	}
	for _, m := range o.messages {
		if m.kind > msgLast && m.flags&flagFailWrite != 0 {
			return fmt.Errorf("object has a message of kind %d, which must be understood before the object may be changed", m.kind)
		}
	}
	o.dirty = true
	return nil
}

// flush writes the header as version 2 at its address, whatever version it had.
//
// Other objects know the address, so it stays. Messages that do not fit there
// move together to a continuation, which is taken twice as large as needed:
// a group that grows link by link does not grow the file quadratically.
func (o *object) flush() error {
	if o.data != nil {
		if err := o.data.flush(); err != nil {
			return err
		}
	}
	if o.has(msgAttribute) && !o.has(msgAttrInfo) { // an old header, which had no such message
		if _, err := o.adoptAttributes(); err != nil {
			return err
		}
	}
	messages, err := o.allMessages()
	if err != nil {
		return err
	}
	var body builder
	for _, m := range messages {
		if err := o.appendMessage(&body, m); err != nil {
			return err
		}
	}
	prefix := 4 + 1 + 1 + 4
	space := o.room.size - prefix - 4
	if len(body) > space {
		if body, err = o.moveOut(body); err != nil {
			return err
		}
	}
	if len(body) > space {
		return fmt.Errorf("object header at %#x has %d bytes, too few to change it", o.addr, o.room.size)
	}
	var b builder
	b.str("OHDR")
	b.u8(2, o.flags|2)
	b.u32(uint32(space))
	b = append(b, body...)
	o.fillGap(&b, space-len(body))
	b.checksum()
	if err := o.f.write(o.addr, b); err != nil {
		return err
	}
	o.dirty = false
	return nil
}

// moveOut writes all messages to the continuation and gives the one message that points there.
func (o *object) moveOut(body builder) (builder, error) {
	if o.more.size < len(body)+8 {
		o.more.size = 2*len(body) + 8
		o.more.addr = o.f.alloc(uint64(o.more.size))
	}
	var b builder
	b.str("OCHK")
	b = append(b, body...)
	o.fillGap(&b, o.more.size-8-len(body))
	b.checksum()
	if err := o.f.write(o.more.addr, b); err != nil {
		return nil, err
	}
	var pointer builder
	pointer.u64(o.more.addr)
	pointer.u64(uint64(o.more.size))
	var out builder
	return out, o.appendMessage(&out, message{kind: msgContinue, body: pointer})
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
	head := 4
	if o.flags&4 != 0 {
		head = 6
	}
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

// allMessages are the header's own messages with those of its links and attributes.
func (o *object) allMessages() ([]message, error) {
	messages := withoutKind(append([]message(nil), o.messages...), msgRefCount)
	if o.refs != 1 {
		var b builder
		b.u8(0)
		b.u32(o.refs)
		messages = append(messages, message{kind: msgRefCount, body: b})
	}
	if o.links != nil && o.links.own {
		messages = append(messages, o.links.messages()...)
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

func withoutKind(messages []message, kind uint16) []message {
	kept := messages[:0]
	for _, m := range messages {
		if m.kind != kind {
			kept = append(kept, m)
		}
	}
	return kept
}
