package ctf

import (
	"bytes"
	"encoding/binary"
	"math"
)

// maxList is the maximum number of values in the lists of one event. fewElements is the
// maximum length of a list whose elements take no room.
const (
	maxList     = 1 << 20
	fewElements = 64
)

// decoder reads values from a packet. It allocates nothing per event, except for texts that
// differ from the previous ones and for lists longer than any before.
type decoder struct {
	data     []byte // of the packet
	pos, end uint64 // in bits
	time     uint64
	frames   [maxFrames][]Value
	lists    []Value // of all lists of the event
	elements uint64  // the number of elements in them, including those without a value
	texts    []string
	names    map[string]string // texts read before
	wrong    string            // the error that stopped the reading
}

const (
	mostlyNothing = "has lists whose elements take no room"

	beyond   = "goes beyond the end of its packet"
	noOption = "has a variant whose tag names none of its options"
	tooLong  = "has lists of more than 1048576 values"
)

func (d *decoder) stop(why string) bool {
	d.wrong = why
	return false
}

// run reads the values of a plan into its frame.
func (d *decoder) run(p *plan, v []Value) bool {
	for i := range p.ops {
		o := &p.ops[i]
		switch o.do {
		case fixedRun:
			from := (d.pos + 7) / 8
			if from+o.bytes > d.end/8 {
				return d.stop(beyond)
			}
			d.fixed(o.fixed, d.data[from:from+o.bytes], v)
			d.pos = (from + o.bytes) * 8
		case bitField:
			n := &o.number
			at := align(d.pos, n.align)
			if at+n.bits > d.end {
				return d.stop(beyond)
			}
			d.pos = at + n.bits
			d.set(n, bitsAt(d.data, at, n.bits, n.big), v)
		case alignTo:
			d.pos = align(d.pos, o.align)
		case text:
			from := min((d.pos+7)/8, d.end/8)
			rest := d.data[from : d.end/8]
			last := d.texts[o.cache] // usually the same text again
			if len(last) >= len(rest) || rest[len(last)] != 0 || string(rest[:len(last)]) != last {
				length := bytes.IndexByte(rest, 0)
				if length < 0 {
					return d.stop(beyond)
				}
				last = d.keep(o.cache, rest[:length])
			}
			v[o.slot].Text = last
			d.pos = (from + uint64(len(last)) + 1) * 8
		case skipText:
			from := min((d.pos+7)/8, d.end/8)
			length := bytes.IndexByte(d.data[from:d.end/8], 0)
			if length < 0 {
				return d.stop(beyond)
			}
			d.pos = (from + uint64(length) + 1) * 8
		default:
			if !d.compound(o, v) {
				return false
			}
		}
	}
	return true
}

// compound reads arrays, lists and variants.
func (d *decoder) compound(o *op, v []Value) bool {
	switch o.do {
	case variant:
		tag := d.frames[o.length.frame][o.length.slot].Number
		for i := range o.slots {
			v[o.slot+i].Absent = true
		}
		for i := range o.choice {
			c := &o.choice[i]
			if c.takes(tag) {
				for slot := c.from; slot < c.plan.width; slot++ {
					v[slot].Absent = false
				}
				return d.run(c.plan, v)
			}
		}
		return d.stop(noOption)
	case byteArray:
		from, n := (d.pos+7)/8, d.count(o)
		if n > d.end/8 || from+n > d.end/8 {
			return d.stop(beyond)
		}
		b := d.data[from : from+n]
		if zero := bytes.IndexByte(b, 0); o.text && zero >= 0 {
			b = b[:zero]
		}
		v[o.slot].Text = d.keep(o.cache, b)
		d.pos = (from + n) * 8
		return true
	}
	return d.list(o, v)
}

func (d *decoder) list(o *op, v []Value) bool {
	n, width := d.count(o), uint64(o.elem.width)
	if d.pos = align(d.pos, o.align); n > maxList || n*max(width, 1) > maxList-d.elements {
		return d.stop(tooLong)
	}
	d.elements += n * max(width, 1)
	if d.pos > d.end || n > fewElements && n > d.end-d.pos { // a large number of elements without bits would only take time
		return d.stop(beyond)
	}
	from := len(d.lists)
	if to := from + int(n*width); to <= cap(d.lists) {
		d.lists = d.lists[:to]
	} else {
		d.lists = append(d.lists, make([]Value, to-from)...)
	}
	list := d.lists[from:]
	clear(list)
	v[o.slot].List = list
	for range n {
		d.frames[o.elem.depth] = list[:width]
		if !d.run(o.elem, list[:width]) {
			return false
		}
		list = list[width:]
	}
	return true
}

// mostlyEmpty reports whether lists have far more values than the bits read since from:
// otherwise a small file could cause endless work.
func (d *decoder) mostlyEmpty(from uint64) bool { return d.elements > 256+64*(d.pos-from) }

func (d *decoder) count(o *op) uint64 {
	if o.length.typ == nil {
		return o.count
	}
	return d.frames[o.length.frame][o.length.slot].Number
}

// fixed reads numbers of whole bytes. b must be long enough.
func (d *decoder) fixed(list []number, b []byte, v []Value) {
	for i := range list {
		n := &list[i]
		at := b[n.at:]
		switch n.quick {
		case plain32:
			v[n.slot].Number = uint64(binary.LittleEndian.Uint32(at))
		case plain64:
			v[n.slot].Number = binary.LittleEndian.Uint64(at)
		case plain16:
			v[n.slot].Number = uint64(binary.LittleEndian.Uint16(at))
		case signed32:
			v[n.slot].Number = uint64(int64(int32(binary.LittleEndian.Uint32(at))))
		case stamp64:
			d.time = binary.LittleEndian.Uint64(at)
			v[n.slot].Number = d.time
		default:
			d.set(n, bitsAt(at, 0, n.bits, n.big), v)
		}
	}
}

// set stores a number in its slot.
func (d *decoder) set(n *number, x uint64, v []Value) {
	switch {
	case n.signed:
		shift := 64 - n.bits
		x = uint64(int64(x<<shift) >> shift)
	case n.float && n.bits == 32:
		x = math.Float64bits(float64(math.Float32frombits(uint32(x))))
	case n.clock:
		d.tick(x, n.bits)
	}
	v[n.slot].Number = x
}

// tick sets the time from a time stamp of which only the lower bits are recorded. It assumes that
// since the last event, time has advanced by less than these bits can count.
func (d *decoder) tick(x, bits uint64) {
	if bits == 64 {
		d.time = x
		return
	}
	mask := uint64(1)<<bits - 1
	now := d.time&^mask | x
	if now < d.time {
		now += mask + 1
	}
	d.time = now
}

// keep returns bytes as a string, usually the string that was read last.
func (d *decoder) keep(cache int, b []byte) string {
	if d.texts[cache] == string(b) {
		return d.texts[cache]
	}
	s, ok := d.names[string(b)]
	if !ok {
		s = string(b)
		if len(d.names) < maxNames && len(s) <= maxNameBytes {
			d.names[s] = s
		}
	}
	d.texts[cache] = s
	return s
}

// Limits of the cache for a stream's texts.
const (
	maxNames     = 4096
	maxNameBytes = 1024
)

func align(pos, to uint64) uint64 { return (pos + to - 1) &^ (to - 1) }

// bitsAt reads a number of any size at any bit position.
func bitsAt(b []byte, at, bits uint64, big bool) (x uint64) {
	if big {
		for done := uint64(0); done < bits; {
			inByte := (at + done) % 8
			n := min(8-inByte, bits-done)
			piece := uint64(b[(at+done)/8]) >> (8 - inByte - n) & (1<<n - 1)
			x = x<<n | piece
			done += n
		}
		return x
	}
	if whole := b[at/8:]; len(whole) >= 8 && at%8+bits <= 64 {
		return binary.LittleEndian.Uint64(whole) >> (at % 8) & (1<<bits - 1)
	}
	for done := uint64(0); done < bits; {
		inByte := (at + done) % 8
		n := min(8-inByte, bits-done)
		x |= uint64(b[(at+done)/8]) >> inByte & (1<<n - 1) << done
		done += n
	}
	return x
}
