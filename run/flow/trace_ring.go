package flow

import (
	"bytes"
	"io"
)

// A traceRing keeps the newest events of a trace in a file of limited size.
// The file has slots of equal size, each with whole events and blanks behind
// them; when all are written, the oldest is written over. The order of the
// slots does not matter, because every event has its time.
type traceRing struct {
	w      io.WriterAt
	base   int64  // where the first slot begins
	behind bool   // something stands before the first slot
	slot   []byte // the one that fills
	count  int    // its events
	events []int  // of each slot in the file
	next   int    // slots that were written, those that are gone too
	lost   int    // events
	all    int
}

const traceSlot = 2 * traceBlock

func newTraceRing(w io.WriterAt, size int64) *traceRing {
	return &traceRing{w: w, events: make([]int, max(2, size/traceSlot))}
}

// add takes a block of events.
func (r *traceRing) add(block []byte) error {
	n := bytes.Count(block, []byte(",\n")) + 1
	r.all += n
	if len(block)+2 > traceSlot { // names of that length
		r.lost += n
		return nil
	}
	if len(r.slot)+len(block)+2 > traceSlot {
		if err := r.flush(); err != nil {
			return err
		}
	}
	if len(r.slot) > 0 || r.place() > 0 || r.behind {
		r.slot = append(r.slot, ",\n"...)
	} else {
		r.slot = append(r.slot, "\n"...)
	}
	r.slot = append(r.slot, block...)
	r.count += n
	return nil
}

// place is where the slot goes that fills.
func (r *traceRing) place() int { return r.next % len(r.events) }

// flush writes the slot that fills, and begins another.
func (r *traceRing) flush() error {
	for len(r.slot) < traceSlot {
		r.slot = append(r.slot, ' ')
	}
	_, err := r.w.WriteAt(r.slot, r.base+int64(r.place())*traceSlot)
	r.lost += r.events[r.place()]
	r.events[r.place()] = r.count
	r.slot, r.count = r.slot[:0], 0
	r.next++
	return err
}

// close writes what is left and returns where the file goes on.
func (r *traceRing) close() (io.Writer, error) {
	if len(r.slot) > 0 {
		if err := r.flush(); err != nil {
			return nil, err
		}
	}
	return io.NewOffsetWriter(r.w, r.base+int64(min(r.next, len(r.events)))*traceSlot), nil
}
