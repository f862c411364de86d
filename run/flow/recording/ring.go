package recording

import (
	"bytes"
	"io"
	"sync"
)

// A ring keeps the newest events of a trace in a file of limited size. The file is divided into
// slots of equal size. Each slot has whole events and is padded with blanks. When all slots are
// full, the oldest one is overwritten. The slots may be in any order in the file, because every
// event has its time. There is always an event before the first slot, so every event in a slot
// begins with a comma.
type ring struct {
	w      io.WriterAt
	base   int64 // offset of the first slot in the file
	used   int   // bytes used in the current slot
	next   int   // number of the current slot, counted from the start of the run
	events []int // number of events in each slot
	lost   int   // number of overwritten events
	all    int
	text   []byte // buffer for writing
}

const traceSlot = 2 * traceBlock

var blankSlot = sync.OnceValue(func() []byte { return bytes.Repeat([]byte(" "), traceSlot) })

func newRing(w io.WriterAt, size int64) *ring {
	return &ring{w: w, events: make([]int, max(2, size/traceSlot))}
}

// slot returns the index of the current slot.
func (r *ring) slot() int { return r.next % len(r.events) }

// at returns the file offset of a byte in the current slot.
func (r *ring) at(used int) int64 { return r.base + int64(r.slot())*traceSlot + int64(used) }

// add writes a block of events.
func (r *ring) add(block []byte) error {
	n := bytes.Count(block, []byte(",\n")) + 1
	r.all += n
	r.text = append(append(r.text[:0], ",\n"...), block...)
	text := r.text
	if len(text) > traceSlot { // only if an event is very long, because of a long name
		r.lost += n
		return nil
	}
	if r.used+len(text) > traceSlot {
		if _, err := r.w.WriteAt(blankSlot()[r.used:], r.at(r.used)); err != nil {
			return err
		}
		r.next, r.used = r.next+1, 0
	}
	if r.used == 0 && r.next >= len(r.events) {
		r.lost += r.events[r.slot()]
		r.events[r.slot()] = 0
		if _, err := r.w.WriteAt(blankSlot(), r.at(0)); err != nil {
			return err
		}
	}
	_, err := r.w.WriteAt(text, r.at(r.used))
	r.used += len(text)
	r.events[r.slot()] += n
	return err
}

// end returns a writer that writes after the last event, or after the last slot once all were used.
func (r *ring) end() io.Writer {
	if r.next >= len(r.events) {
		return io.NewOffsetWriter(r.w, r.base+int64(len(r.events))*traceSlot)
	}
	return io.NewOffsetWriter(r.w, r.at(r.used))
}
