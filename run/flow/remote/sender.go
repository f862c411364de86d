package remote

import (
	"errors"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/wire"
)

// batchBytes is the size at which a batch is complete. Larger batches would not increase the
// throughput, but the latency.
const batchBytes = 256 << 10

// A window limits the data in flight on an edge, which are sent but not yet taken by the
// receiver.
type window struct {
	data  int
	bytes int
}

// A sender is the producer's end of an edge between sites. As a process it takes the data and
// sends them in messages. It keeps each message until the receiver has acknowledged it.
type sender struct {
	send     func([]byte) // sends a message to the receiver; the message may be lost
	window   window
	limit    int // maximum size of a message in bytes
	compress bool

	in     *flow.In
	list   []flow.Datum
	stamps []flow.Stamp
	datum  uint64 // number of the next datum on the edge
	failed error  // error of an acknowledgement that arrived before the process was set up

	mu     sync.Mutex
	handle *flow.Handle
	kept   []kept // messages that are sent but not acknowledged
	data   int    // number of data in kept
	bytes  int
	next   uint64 // number of the next message
	taken  uint64 // number of messages taken, according to the last acknowledgement
	moved  uint64 // value of taken at the last keepAlive
	waits  bool   // the process waits for room
	done   bool   // the consumer takes no more data
	free   [][]byte
}

// A kept is a message that may have to be sent again.
type kept struct {
	buf    []byte
	number uint64
	data   int
}

func (s *sender) Setup(f *flow.Setup) error {
	s.in = f.In("data")
	h := f.Handle()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = &h
	return s.failed
}

// Step sends the waiting data. There is at least one datum.
func (s *sender) Step(f pipe.Step) error {
	room := s.room(f)
	if room == 0 {
		return nil
	}
	if s.in.Peek(0).IsNumber() {
		return s.numbers(room)
	}
	return s.values(f, room)
}

// room waits until data may be sent, and returns how many. It returns 0 if the consumer takes no
// more data.
func (s *sender) room(f pipe.Step) int {
	for {
		s.mu.Lock()
		n := s.window.data - s.data
		if len(s.kept) > 0 && s.bytes >= s.window.bytes {
			n = 0
		}
		done := s.done
		s.waits = n <= 0 && !done
		s.mu.Unlock()
		if done {
			return 0
		}
		if n > 0 {
			// Small batches let the receiver forward one while the next is in flight.
			return min(n, max(1, s.window.data/4), maxCount)
		}
		f.Rest()
	}
}

// numbers sends a batch that consists only of numbers.
func (s *sender) numbers(room int) error {
	s.list, s.stamps = s.list[:0], s.stamps[:0]
	for len(s.list) < room && 8*len(s.list) < batchBytes && s.in.Waiting() && s.in.Peek(0).IsNumber() {
		d, stamp := s.in.TakeStamped()
		s.list, s.stamps = append(s.list, d), append(s.stamps, stamp)
	}
	e := wire.Encoder{Buf: head(s.buffer())}
	if err := e.Column(s.list); err != nil {
		return err
	}
	s.batch(e.Buf, 0)
	return nil
}

// values sends a batch of data of any kind, including flush and complete.
func (s *sender) values(f pipe.Step, room int) error {
	var large []byte // encoding of the last datum, if it does not fit into the batch
	s.stamps = s.stamps[:0]
	e := wire.Encoder{Buf: head(s.buffer())}
	_ = e.Column(nil) // begins a column of arbitrary values
	flags := byte(0)
	for len(s.stamps) < room && len(e.Buf) < batchBytes && s.in.Waiting() {
		d, stamp := s.in.TakeStamped()
		if d.Kind() == flow.CompleteKind {
			flags = flagComplete
			break
		}
		at := len(e.Buf)
		if err := e.Datum(d); err != nil {
			return err
		}
		if len(e.Buf)+16+8*len(s.stamps) > s.limit {
			large = append(large, e.Buf[at:]...)
			e.Buf = e.Buf[:at]
			return s.largeAfter(f, e.Buf, large, stamp)
		}
		s.stamps = append(s.stamps, stamp)
	}
	s.batch(e.Buf, flags)
	if flags&flagComplete != 0 {
		f.Complete()
	}
	return nil
}

// Mark sends the marker of a change of settings after the data sent so far.
func (s *sender) Mark() {
	s.stamps = s.stamps[:0]
	s.batch(head(s.buffer()), flagMarker)
}

// largeAfter sends a batch, and then, in parts, a large datum that did not fit into it.
func (s *sender) largeAfter(f pipe.Step, buf, large []byte, stamp flow.Stamp) error {
	if len(s.stamps) > 0 {
		s.batch(buf, 0)
	}
	if len(large) > maxDatum {
		return errors.New("a value is too large to be sent between sites: at most 1 GiB")
	}
	flags := byte(0)
	if s.compress {
		if packed := pack(large); packed != nil {
			large, flags = packed, flagCompressed
		}
	}
	total := len(large)
	for len(large) > 0 {
		if s.room(f) == 0 {
			return nil
		}
		buf := head(s.buffer())
		buf = order.AppendUint64(buf, uint64(stamp))
		buf = order.AppendUint64(buf, uint64(total))
		n := min(len(large), s.limit-len(buf))
		buf = append(buf, large[:n]...)
		if large = large[n:]; len(large) == 0 {
			flags |= flagLast
		}
		s.publish(message{form: formPart, flags: flags, count: 1}, buf)
	}
	s.datum++
	return nil
}

// batch sends a batch whose column is already in buf.
func (s *sender) batch(buf []byte, flags byte) {
	if len(s.stamps) > 0 {
		buf = appendStamps(buf, s.stamps)
		if s.compress {
			if packed := pack(buf[headSize:]); packed != nil {
				buf = append(buf[:headSize], packed...)
				flags |= flagCompressed
			}
		}
	} else {
		buf = buf[:headSize]
	}
	s.publish(message{form: formBatch, flags: flags, count: uint32(len(s.stamps))}, buf)
	s.datum += uint64(len(s.stamps))
}

// publish sends a message and keeps it until it is acknowledged. Messages must be sent in the
// order of their numbers, because a receiver that misses a number assumes that the message is
// lost.
func (s *sender) publish(m message, buf []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.number, m.first = s.next, s.datum
	buf = m.seal(buf)
	if !s.done {
		s.next++
		s.kept = append(s.kept, kept{buf, m.number, int(m.count)})
		s.data += int(m.count)
		s.bytes += len(buf)
	}
	s.send(buf)
}

// buffer returns a buffer that is not in use.
func (s *sender) buffer() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		buf := s.free[n-1]
		s.free = s.free[:n-1]
		return buf
	}
	return nil
}

// acked handles an acknowledgement of the receiver.
func (s *sender) acked(buf []byte) {
	a, err := parseAck(buf)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && a.received > s.next {
		err = errors.New("an acknowledgement is for messages that were not sent")
	}
	if err != nil {
		s.fail(err)
		return
	}
	for len(s.kept) > 0 && (s.kept[0].number < a.taken || a.flags&ackDone != 0) {
		k := s.kept[0]
		s.kept = s.kept[1:]
		s.data -= k.data
		s.bytes -= len(k.buf)
		if len(s.free) < 8 {
			s.free = append(s.free, k.buf)
		}
	}
	s.taken = max(s.taken, a.taken)
	if a.flags&ackAgain != 0 {
		for _, k := range s.kept {
			if k.number >= a.received {
				s.send(k.buf)
			}
		}
	}
	switch {
	case a.flags&ackDone != 0 && !s.done:
		s.done = true
		if s.handle != nil {
			s.handle.End()
		}
	case s.waits && s.handle != nil:
		s.waits = false
		s.handle.Wake()
	}
}

// fail ends the run with an error. The caller holds mu.
func (s *sender) fail(err error) {
	if s.handle == nil {
		s.failed = err
		return
	}
	s.handle.Fail(err)
}

// keepAlive asks the receiver for an acknowledgement if messages are kept and none of them was
// acknowledged since the last call. It is needed because messages are lost when a server fails.
func (s *sender) keepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) > 0 && s.moved == s.taken {
		m := message{form: formProbe, number: s.next}
		s.send(m.seal(head(nil)))
	}
	s.moved = s.taken
}

// settled reports whether the receiver has acknowledged everything.
func (s *sender) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.kept) == 0
}

func (s *sender) report(edge int) EdgeReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return EdgeReport{Edge: edge, Sends: true, Messages: s.next, Taken: s.taken, Done: s.done}
}
