package remote

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/wire"
)

// wordMessages is the maximum number of messages without data in flight: a marker and the end.
const wordMessages = 2

// A receiver is the consumer's end of an edge between sites. Arriving messages are put into its
// box; as a process, it takes them out and forwards their data.
type receiver struct {
	send   func([]byte) // sends an acknowledgement to the sender; the message may be lost
	window window
	limit  int // maximum size of a message in bytes

	out    *flow.Out
	stamps []flow.Stamp
	datum  uint64 // number that the next datum must have
	whole  []byte // the parts received so far of a large datum
	total  uint64

	mu       sync.Mutex
	handle   *flow.Handle
	box      [][]byte
	bytes    int    // size of the messages in box
	received uint64 // number of messages that have arrived without a gap
	taken    uint64 // number of messages whose data were forwarded
	told     uint64 // the value of taken in the last acknowledgement
	data     int    // number of data forwarded since the last acknowledgement
	size     int
	gap      bool // the sender was asked to send messages again
	waits    bool // the process waits in Rest
	done     bool // the process has ended
	failed   error
}

func (r *receiver) Setup(f *flow.Setup) error {
	r.out = f.Out("data")
	h := f.Handle()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handle = &h
	return r.failed
}

// Step forwards the data of one message, or rests until one arrives.
func (r *receiver) Step(f pipe.Step) error {
	buf, err := r.next()
	switch {
	case err != nil:
		return err
	case buf == nil:
		f.Rest()
		return nil
	}
	m, err := parseMessage(buf)
	if err == nil && m.first != r.datum {
		err = fmt.Errorf("got datum %d, want datum %d", m.first, r.datum)
	}
	if err != nil {
		return err
	}
	if m.form == formPart {
		err = r.part(&m)
	} else {
		err = r.batch(&m)
	}
	if err != nil {
		return err
	}
	r.took(int(m.count), len(buf))
	if m.flags&flagMarker != 0 {
		f.Mark()
	}
	if m.flags&flagComplete != 0 {
		f.Complete()
	}
	return nil
}

func (r *receiver) batch(m *message) error {
	if len(r.whole) > 0 {
		return errors.New("a value ended too early")
	}
	data, stamps, err := m.readBatch(r.stamps[:0])
	if err != nil {
		return err
	}
	for i, d := range data {
		r.out.Forward(d, stamps[i])
	}
	r.stamps = stamps
	r.datum += uint64(len(data))
	return nil
}

// part adds a part to a large datum, and forwards the datum when it is complete.
func (r *receiver) part(m *message) error {
	if len(m.body) < 16 || m.count != 1 {
		return errShort
	}
	stamp, total, piece := flow.Stamp(order.Uint64(m.body)), order.Uint64(m.body[8:]), m.body[16:]
	switch {
	case total > maxDatum:
		return fmt.Errorf("a value of %d bytes is too large", total)
	case len(r.whole) > 0 && total != r.total:
		return errors.New("the parts of a value do not belong together")
	case uint64(len(r.whole)+len(piece)) > total:
		return errors.New("the parts of a value are larger than it")
	}
	r.total = total
	r.whole = append(r.whole, piece...)
	if m.flags&flagLast == 0 {
		return nil
	}
	if uint64(len(r.whole)) != total {
		return errors.New("a value ended too early")
	}
	d, err := assemble(r.whole, m.flags)
	if err != nil {
		return err
	}
	r.whole = nil
	r.datum++
	r.out.Forward(d, stamp)
	return nil
}

func assemble(buf []byte, flags byte) (flow.Datum, error) {
	if flags&flagCompressed != 0 {
		var err error
		if buf, err = expand(buf, maxDatum); err != nil {
			return flow.Datum{}, err
		}
	}
	d := wire.Decoder{Buf: buf}
	v, err := d.Datum()
	if err == nil && len(d.Buf) > 0 {
		err = errors.New("a message is longer than its data")
	}
	return v, err
}

// Finalize tells the sender that no more data will be taken. It does so even if the sender ended
// first.
func (r *receiver) Finalize(pipe.Step) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.box, r.bytes = true, nil, 0
	r.tell(0)
	return nil
}

// next returns the next message in the box, or nil if there is none.
func (r *receiver) next() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		return nil, r.failed
	}
	if len(r.box) == 0 {
		if r.told != r.taken {
			r.tell(0)
		}
		r.waits = true
		return nil, nil
	}
	buf := r.box[0]
	r.box[0] = nil
	r.box = r.box[1:]
	r.bytes -= len(buf)
	return buf, nil
}

// took notes that the process has taken a message. It acknowledges once per quarter of the window,
// which is often enough to keep the sender from waiting.
func (r *receiver) took(data, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken++
	r.data += data
	r.size += size
	if 4*r.data >= r.window.data || 4*r.size >= r.window.bytes {
		r.tell(0)
	}
}

// tell sends an acknowledgement with these flags. The caller holds mu.
func (r *receiver) tell(flags byte) {
	if r.done {
		flags |= ackDone
	}
	r.told, r.data, r.size = r.taken, 0, 0
	r.send(ack{flags, r.taken, r.received}.append(nil))
}

// arrived handles a message from the sender.
func (r *receiver) arrived(buf []byte) {
	m, err := parseMessage(buf)
	r.mu.Lock()
	defer r.mu.Unlock()
	ahead := m.number - r.received
	switch {
	case err != nil:
		r.fail(err)
	case r.done:
		r.tell(0)
	case m.number < r.received:
		r.tell(0) // the message arrived before, so its acknowledgement was lost
	case ahead > 0 && m.form != formProbe && ahead > uint64(r.window.data)+uint64(r.window.bytes):
		r.fail(fmt.Errorf("got message %d, want message %d", m.number, r.received))
	case ahead > 0 && (!r.gap || m.form == formProbe):
		r.gap = true
		r.tell(ackAgain)
	case ahead > 0:
	case m.form == formProbe:
		r.tell(0)
	case r.bytes+len(buf) > r.window.bytes+r.limit || len(r.box) > r.window.data+wordMessages:
		r.fail(errors.New("more data arrived than the edge has room for"))
	default:
		r.gap = false
		r.received++
		r.box = append(r.box, buf)
		r.bytes += len(buf)
		if r.waits && r.handle != nil {
			r.waits = false
			r.handle.Wake()
		}
	}
}

// fail ends the run with the first error of the edge. The caller holds mu.
func (r *receiver) fail(err error) {
	if r.failed == nil {
		r.failed = err
		if r.handle != nil {
			r.handle.Fail(err)
		}
	}
}

func (r *receiver) report(edge int) EdgeReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	return EdgeReport{Edge: edge, Messages: r.received, Taken: r.told, Done: r.done}
}
