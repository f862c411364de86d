package ctf

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
)

// Occurrence is one event of a stream.
type Occurrence struct {
	Event     int    // the index of its kind in Reader.Kinds
	Time      uint64 // in ticks of the kind's clock
	Context   []Value
	Fields    []Value
	Discarded uint64 // events lost in the stream up to the end of this event's packet
	PID, TID  uint32 // of the thread, if the trace has them; else 0
}

// Clone returns a copy that stays valid.
func (o *Occurrence) Clone() Occurrence {
	c := *o
	c.Context, c.Fields = clone(o.Context), clone(o.Fields)
	return c
}

func clone(list []Value) []Value {
	list = append(make([]Value, 0, len(list)), list...)
	for i := range list {
		if list[i].List != nil {
			list[i].List = clone(list[i].List)
		}
	}
	return list
}

// Packets are read whole, small ones many at a time.
const (
	readSize  = 64 << 10
	smallHead = 512
	maxPacket = 256 << 20
)

// packetMagic is the first word of a packet.
const packetMagic = 0xc1fc1fc1

// Cursor points to an event of a stream. Next moves it to the next event and overwrites the current one.
type Cursor struct {
	Occurrence
	// Era changes when Context, Discarded, PID or TID may have changed.
	Era uint64

	r      *Reader
	stream string
	file   streamFile
	size   int64  // of the file
	buffer []byte // a part of the file
	from   int64  // where buffer begins in the file
	at     int64  // where the packet begins
	next   int64  // where the next packet begins
	begin  int64  // where the packet or event being read begins
	class  *class
	said   []byte    // the encoded context of the last event
	plans  []plan    // by kind; nil: the kinds' own plans
	frames [][]Value // by kind
	d      decoder
	err    error
}

// Cursor opens a stream. It is positioned before the first event.
func (r *Reader) Cursor(stream string) *Cursor {
	c := &Cursor{r: r, stream: stream, frames: make([][]Value, len(r.Kinds))}
	c.d.texts, c.d.names = make([]string, r.caches), map[string]string{}
	if c.err = c.open(); c.err != nil {
		c.err = fmt.Errorf("the stream `%s` cannot be read: %w", stream, c.err)
	}
	return c
}

// streamFile is a file that can be read at any position.
type streamFile interface {
	fs.File
	io.ReaderAt
}

func (c *Cursor) open() error {
	f, err := c.r.files.Open(c.stream)
	if err != nil {
		return err
	}
	file, ok := f.(streamFile)
	info, err := f.Stat()
	if !ok || err != nil {
		return errors.Join(err, f.Close())
	}
	c.file, c.size = file, info.Size()
	return nil
}

// Err returns the error that ended the reading, or nil.
func (c *Cursor) Err() error { return c.err }

// Close closes the file. It may be called more than once.
func (c *Cursor) Close() {
	if c.file != nil {
		_ = c.file.Close() // it was only read
		c.file = nil
	}
}

// Stream returns the name of the stream's file.
func (c *Cursor) Stream() string { return c.stream }

// Kind returns the kind of the event.
func (c *Cursor) Kind() *Kind { return c.r.Kinds[c.Event] }

// Events yields the events of a stream in order. Each event overwrites the previous one. An error ends the sequence.
func (r *Reader) Events(stream string) iter.Seq2[*Occurrence, error] {
	return func(yield func(*Occurrence, error) bool) {
		c := r.Cursor(stream)
		defer c.Close()
		for c.Next() {
			if !yield(&c.Occurrence, nil) {
				return
			}
		}
		if c.err != nil {
			yield(nil, c.err)
		}
	}
}

// Next moves to the next event, and reports whether there is one.
func (c *Cursor) Next() bool {
	for c.err == nil {
		if c.class != nil && c.d.pos < c.d.end {
			return c.event()
		}
		if c.next >= c.size || c.file == nil {
			return false
		}
		c.packet()
	}
	return false
}

// damaged ends the reading with an error about the current event or packet.
func (c *Cursor) damaged(what string) bool {
	c.err = fmt.Errorf("the stream `%s` is damaged: at byte %d %s", c.stream, c.begin, what)
	return false
}

// event reads an event.
func (c *Cursor) event() bool {
	d, k := &c.d, c.class
	from := d.pos
	c.begin = c.at + int64(from/8)
	d.lists, d.elements = d.lists[:0], 0
	header := d.frames[headerFrame]
	if !d.run(&k.header, header) || !c.context(header) {
		return c.damaged("an event " + d.wrong)
	}
	id := uint64(0)
	for _, slot := range k.ids {
		if v := &header[slot]; !v.Absent {
			id = v.Number
		}
	}
	kind := k.kind(id)
	if kind == nil {
		return c.damaged(fmt.Sprintf("an event has the id %d, which is not declared", id))
	}
	own := c.frames[kind.number]
	if own == nil {
		own = make([]Value, kind.plan.width)
		c.frames[kind.number] = own
	}
	d.frames[eventFrame] = own
	p := &kind.plan
	if c.plans != nil {
		p = &c.plans[kind.number]
	}
	if !d.run(p, own) {
		return c.damaged(fmt.Sprintf("an event `%.80s` %s", kind.Name, d.wrong))
	}
	if d.mostlyEmpty(from) {
		return c.damaged(fmt.Sprintf("an event `%.80s` %s", kind.Name, mostlyNothing))
	}
	if d.pos == from {
		return c.damaged(fmt.Sprintf("events `%.80s` have no bytes", kind.Name))
	}
	c.Event, c.Time, c.Context, c.Fields = kind.number, d.time, header[k.header.width:], own
	if k.pid.frame == headerFrame {
		c.PID = uint32(header[k.pid.slot].Number)
	}
	if k.tid.frame == headerFrame {
		c.TID = uint32(header[k.tid.slot].Number)
	}
	return true
}

// context reads the context of an event. Usually it has the same bytes as the previous context.
func (c *Cursor) context(header []Value) bool {
	d, k := &c.d, c.class
	if len(k.context.ops) == 0 {
		return true
	}
	if !k.steady {
		c.Era++
		return d.run(&k.context, header)
	}
	from, end := (d.pos+7)/8, d.end/8
	if to := from + uint64(len(c.said)); len(c.said) > 0 && to <= end && string(d.data[from:to]) == string(c.said) {
		d.pos = to * 8
		return true
	}
	if !d.run(&k.context, header) {
		return false
	}
	c.Era++
	c.said = append(c.said[:0], d.data[from:d.pos/8]...)
	return true
}

// packet reads the head of the next packet. Few heads are longer than smallHead.
func (c *Cursor) packet() {
	c.at, c.begin = c.next, c.next
	rest := c.size - c.at
	if c.load(min(smallHead, rest)) && !c.head() && c.d.wrong == beyond && rest > smallHead {
		if c.err = nil; c.load(min(readSize, rest)) {
			c.head()
		}
	}
	if c.err == nil {
		c.bound(c.d.frames[packetFrame])
	}
}

// head reads the header and the context of a packet.
func (c *Cursor) head() bool {
	d := &c.d
	d.pos, d.end, d.wrong, d.lists = 0, 8*uint64(len(d.data)), "", d.lists[:0]
	d.elements = 0
	frame := d.frames[packetFrame]
	if len(frame) < c.r.header.width {
		frame = make([]Value, c.r.header.width)
		d.frames[packetFrame] = frame
	}
	if !d.run(&c.r.header, frame) {
		return c.damaged("the header of a packet " + d.wrong)
	}
	id := known(frame, c.r.id, 0)
	k := c.r.classes[id]
	switch {
	case known(frame, c.r.magic, packetMagic) != packetMagic:
		return c.damaged("no packet begins")
	case c.r.uuidAt >= 0 && c.r.uuid != "" && frame[c.r.uuidAt].Text != c.r.uuid:
		return c.damaged("a packet of another trace begins")
	case k == nil:
		return c.damaged(fmt.Sprintf("a packet belongs to the stream %d, which is not declared", id))
	}
	if c.class != k {
		frame = append(make([]Value, 0, k.packet.width), frame[:c.r.header.width]...)[:k.packet.width]
		d.frames[packetFrame] = frame
		d.frames[headerFrame] = make([]Value, k.context.width)
		c.class, c.said = k, c.said[:0]
	}
	if !d.run(&k.packet, frame) {
		return c.damaged("the context of a packet " + d.wrong)
	}
	return !d.mostlyEmpty(0) || c.damaged("the context of a packet "+mostlyNothing)
}

// bound finds the end of the packet, and reads all of it.
func (c *Cursor) bound(frame []Value) {
	d, k := &c.d, c.class
	rest := 8 * uint64(c.size-c.at)
	size := known(frame, k.size, known(frame, k.content, rest))
	content := known(frame, k.content, size)
	switch {
	case content < d.pos || content > size || size%8 != 0:
		c.damaged("a packet has a size that is not possible")
		return
	case size > rest:
		c.err = fmt.Errorf("the stream `%s` is cut off: its last packet, at byte %d, has %d bytes, and only %d are in the file", c.stream, c.at, size/8, rest/8)
		return
	case size/8 > maxPacket:
		c.err = fmt.Errorf("the stream `%s` has a packet of %d bytes; the limit is %d", c.stream, size/8, maxPacket)
		return
	}
	if !c.load(int64(size / 8)) {
		return
	}
	c.next, d.end = c.at+int64(size/8), content
	if k.begin >= 0 {
		d.time = frame[k.begin].Number
	}
	c.Era++
	c.Discarded = known(frame, k.discarded, 0)
	c.PID, c.TID = 0, 0
	if k.pid.frame == packetFrame {
		c.PID = uint32(known(frame, k.pid.slot, 0))
	}
	if k.tid.frame == packetFrame {
		c.TID = uint32(known(frame, k.tid.slot, 0))
	}
}

// known returns the number in a slot, or otherwise if there is no slot.
func known(frame []Value, slot int, otherwise uint64) uint64 {
	if slot < 0 {
		return otherwise
	}
	return frame[slot].Number
}

// load reads n bytes from the beginning of the packet.
func (c *Cursor) load(n int64) bool {
	if begin := c.at - c.from; begin < 0 || begin+n > int64(len(c.buffer)) {
		want := min(max(n, readSize), c.size-c.at)
		c.buffer = slices.Grow(c.buffer[:0], int(want))[:want]
		c.from = c.at
		read, err := c.file.ReadAt(c.buffer, c.at)
		if int64(read) < n {
			c.err = fmt.Errorf("the stream `%s` cannot be read: %w", c.stream, err)
			return false
		}
		c.buffer = c.buffer[:read]
	}
	begin := c.at - c.from
	c.d.data = c.buffer[begin : begin+n]
	return true
}
