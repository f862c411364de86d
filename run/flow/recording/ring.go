package recording

import (
	"bytes"
	"io"
	"sync"
)

// A ring keeps the newest events of a trace in a file of limited size. The file has slots of equal
// size, each with whole events, padded with blanks. When all slots are full, the oldest is
// overwritten. The order of the slots does not matter, because every event has its time. The file
// has an event before the first slot, so each event in a slot is preceded by a comma.
type ring struct {
	w      io.WriterAt
	base   int64 // offset of the first slot
	used   int   // bytes used in the current slot
	next   int   // number of the current slot, counted from the start of the run
	events []int // number of events in each slot
	lost   int   // number of overwritten events
	all    int
	text   []byte // buffer for writing, kept to be reused
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
	if len(text) > traceSlot { // possible only with names of that length
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

// end returns a writer at the end of the ring.
func (r *ring) end() io.Writer {
	if r.next >= len(r.events) {
		return io.NewOffsetWriter(r.w, r.base+int64(len(r.events))*traceSlot)
	}
	return io.NewOffsetWriter(r.w, r.at(r.used))
}
