package remote

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/wire"
)

// The kinds of messages from a sender to a receiver.
const (
	formBatch = iota + 1 // a batch of data with their stamps
	formPart             // a part of a datum that is too large for one message
	formProbe            // nothing; asks the receiver for an acknowledgement
)

// Flags of messages.
const (
	flagCompressed = 1 << iota
	flagComplete   // the data end after this message
	flagLast       // this is the last part of a datum
	flagMarker     // the marker of a change of settings follows this message
)

// A message is what a sender sends at a time, and what its receiver acknowledges. All numbers are
// little-endian:
//
//	form u8, flags u8, number u64, first datum u64, count u32, body
//
// The body of a batch is a column in the form of package wire, followed by the stamps. The body of
// a part is the stamp, the size of the whole datum and a piece of it.
type message struct {
	form, flags byte
	number      uint64 // number of this message on its edge
	first       uint64 // number of the message's first datum on its edge
	count       uint32
	body        []byte
}

const headSize = 1 + 1 + 8 + 8 + 4

// Limits on the memory that a sender can make a receiver use.
const (
	maxCount = 1 << 16 // number of data in a batch
	maxDatum = 1 << 30 // size in bytes of a datum that is sent in parts
)

var order = binary.LittleEndian

// head empties buf and reserves room for the header, which seal writes later.
func head(buf []byte) []byte { return append(buf[:0], make([]byte, headSize)...) }

// seal writes the header of a message into buf, which already has the body, and returns the whole
// message.
func (m *message) seal(buf []byte) []byte {
	buf[0], buf[1] = m.form, m.flags
	order.PutUint64(buf[2:], m.number)
	order.PutUint64(buf[10:], m.first)
	order.PutUint32(buf[18:], m.count)
	return buf
}

var errShort = errors.New("a message is too short")

func parseMessage(buf []byte) (m message, err error) {
	if len(buf) < headSize {
		return m, errShort
	}
	m = message{
		form: buf[0], flags: buf[1], number: order.Uint64(buf[2:]), first: order.Uint64(buf[10:]),
		count: order.Uint32(buf[18:]), body: buf[headSize:],
	}
	switch {
	case m.form < formBatch || m.form > formProbe:
		return m, fmt.Errorf("unknown form %d of a message", m.form)
	case m.count > maxCount:
		return m, fmt.Errorf("a message of %d data is too large", m.count)
	}
	return m, nil
}

// How the stamps of a batch are encoded.
const (
	stampsEven = iota // evenly spaced: first stamp i64, distance i64
	stampsList        // an i64 for each stamp
)

// appendStamps appends stamps. Evenly spaced stamps, the usual case, take little space.
func appendStamps(buf []byte, stamps []flow.Stamp) []byte {
	var step flow.Stamp
	if len(stamps) > 1 {
		step = stamps[1] - stamps[0]
	}
	for i := 2; i < len(stamps); i++ {
		if stamps[i]-stamps[i-1] != step {
			buf = append(buf, stampsList)
			for _, s := range stamps {
				buf = order.AppendUint64(buf, uint64(s))
			}
			return buf
		}
	}
	buf = append(buf, stampsEven)
	buf = order.AppendUint64(buf, uint64(stamps[0]))
	return order.AppendUint64(buf, uint64(step))
}

func readStamps(buf []byte, n int, stamps []flow.Stamp) ([]flow.Stamp, error) {
	if len(buf) == 0 {
		return nil, errShort
	}
	form, buf := buf[0], buf[1:]
	switch {
	case form == stampsEven && len(buf) == 16:
		first, step := order.Uint64(buf), order.Uint64(buf[8:])
		for i := range n {
			stamps = append(stamps, flow.Stamp(first+uint64(i)*step))
		}
		return stamps, nil
	case form == stampsList && len(buf) == 8*n:
		for i := range n {
			stamps = append(stamps, flow.Stamp(order.Uint64(buf[8*i:])))
		}
		return stamps, nil
	case form > stampsList:
		return nil, fmt.Errorf("unknown form %d of stamps", form)
	}
	return nil, errors.New("the stamps of a message have the wrong length")
}

// readBatch decodes the data of a batch, and appends their stamps to stamps.
func (m *message) readBatch(stamps []flow.Stamp) ([]flow.Datum, []flow.Stamp, error) {
	if m.count == 0 {
		return nil, nil, nil // the message has flags but no data
	}
	body, err := m.plain()
	if err != nil {
		return nil, nil, err
	}
	d := wire.Decoder{Buf: body}
	data, err := d.Column(int(m.count))
	if err != nil {
		return nil, nil, err
	}
	stamps, err = readStamps(d.Buf, int(m.count), stamps)
	return data, stamps, err
}

// plain returns the body of a batch, decompressed if necessary.
func (m *message) plain() ([]byte, error) {
	if m.flags&flagCompressed == 0 {
		return m.body, nil
	}
	return expand(m.body, messageBytes)
}

func expand(packed []byte, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(limit)+1))
	switch {
	case err != nil:
		return nil, errors.New("a compressed message is damaged")
	case len(body) > limit:
		return nil, fmt.Errorf("a compressed message holds more than %d bytes", limit)
	}
	return body, nil
}

// pack compresses bytes. It returns nil if the result is not shorter.
func pack(plain []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil
	}
	_, _ = w.Write(plain) // writing to a buffer never fails
	_ = w.Close()
	if b.Len() >= len(plain) {
		return nil
	}
	return b.Bytes()
}

// An ack is an acknowledgement, which a receiver sends to its sender:
//
//	flags u8, taken u64, received u64
type ack struct {
	flags    byte
	taken    uint64 // number of messages whose data the receiving process has taken
	received uint64 // number of messages that have arrived without a gap
}

const (
	ackAgain = 1 << iota // asks the sender to send all messages again, beginning with number received
	ackDone              // the consumer will take no more data
	ackSize  = 1 + 8 + 8
)

func (a ack) append(buf []byte) []byte {
	buf = append(buf, a.flags)
	buf = order.AppendUint64(buf, a.taken)
	return order.AppendUint64(buf, a.received)
}

func parseAck(buf []byte) (a ack, err error) {
	if len(buf) != ackSize {
		return a, errors.New("an acknowledgement has the wrong length")
	}
	a = ack{buf[0], order.Uint64(buf[1:]), order.Uint64(buf[9:])}
	if a.taken > a.received {
		return a, errors.New("an acknowledgement takes more than it received")
	}
	return a, nil
}
