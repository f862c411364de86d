package recording

import (
	"bytes"
	"io"
	"sync"
)

// A ring keeps the newest events of a trace in a file with a limit. The
// file has slots of equal size, each with whole events and blanks behind them;
// when all are full, the oldest is written over. The order of the slots does
// not matter, because every event has its time. Something stands before the
// first slot, so each event has a comma before it.
type ring struct {
	w      io.WriterAt
	base   int64 // where the first slot begins
	used   int   // bytes of the slot that fills
	next   int   // its number, counted from the start of the run
	events []int // of each slot in the file
	lost   int   // events
	all    int
	text   []byte // what is written; kept for its memory
}

const traceSlot = 2 * traceBlock

var blankSlot = sync.OnceValue(func() []byte { return bytes.Repeat([]byte(" "), traceSlot) })

func newRing(w io.WriterAt, size int64) *ring {
	return &ring{w: w, events: make([]int, max(2, size/traceSlot))}
}

// slot is the place of the slot that fills.
func (r *ring) slot() int { return r.next % len(r.events) }

// at is where in the file a byte of the slot lies.
func (r *ring) at(used int) int64 { return r.base + int64(r.slot())*traceSlot + int64(used) }

// add writes a block of events.
func (r *ring) add(block []byte) error {
	n := bytes.Count(block, []byte(",\n")) + 1
	r.all += n
	r.text = append(append(r.text[:0], ",\n"...), block...)
	text := r.text
	if len(text) > traceSlot { // names of that length
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

// end is where the file goes on behind the ring.
func (r *ring) end() io.Writer {
	if r.next >= len(r.events) {
		return io.NewOffsetWriter(r.w, r.base+int64(len(r.events))*traceSlot)
	}
	return io.NewOffsetWriter(r.w, r.at(r.used))
}
