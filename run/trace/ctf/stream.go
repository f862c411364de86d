package ctf

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
)

// A packet is a page of the file. Systems extend files page by page, so neither a reader nor a killed writer leaves half
// a packet. Only an event larger than a page needs a packet of several pages.
const (
	pageSize   = 4 << 10
	bufferSize = 256 << 10 // written at once
	headerSize = 4 + 16 + 4 + 6*8 + 2*4
)

// Stream holds the events of one thread, in order.
type Stream struct {
	Discarded uint64 // events lost so far
	Written   uint64 // events in the packets of the file, without Aside events

	file         *os.File
	trace        *Trace
	pid, tid     uint32
	buffer       []byte // complete packets, followed by the current one
	begin        int    // where the current packet begins
	event        []byte // the event being built
	time         uint64 // of that event
	aside        bool   // whether it is an Aside event
	packets      uint64
	events       uint64 // in the current packet
	sealed       uint64 // in the complete packets of the buffer
	end          int64  // of the last packet in the file
	first, last  uint64 // times of events in the current packet
	reportedLoss uint64
}

// Stream begins the stream of a thread.
func (t *Trace) Stream(name string, pid, tid uint32) (*Stream, error) {
	f, err := os.OpenFile(filepath.Join(t.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &Stream{file: f, trace: t, pid: pid, tid: tid, buffer: make([]byte, headerSize, bufferSize+2*pageSize)}, nil
}

// Event begins an event. Its context and its fields must follow.
func (s *Stream) Event(id int, time uint64) error {
	s.keep()
	if s.begin >= bufferSize {
		if err := s.write(); err != nil {
			return err
		}
	}
	// Readers require that time stamps never go back within a stream. If one does, because
	// a thread moved between processors, the previous time stamp is used.
	s.time = max(time, s.time)
	s.aside = s.trace.Events[id].Aside
	s.event = binary.LittleEndian.AppendUint16(s.event, uint16(id))
	s.event = binary.LittleEndian.AppendUint64(s.event, s.time)
	return nil
}

// Put appends a field of a number type.
func (s *Stream) Put(t Type, v uint64) {
	switch t {
	case U16:
		s.event = binary.LittleEndian.AppendUint16(s.event, uint16(v))
	case U32, I32:
		s.event = binary.LittleEndian.AppendUint32(s.event, uint32(v))
	default:
		s.event = binary.LittleEndian.AppendUint64(s.event, v)
	}
}

// Text appends a field of type Text, cut off at the first zero byte.
func (s *Stream) Text(v string) {
	if i := strings.IndexByte(v, 0); i >= 0 {
		v = v[:i]
	}
	s.event = append(append(s.event, v...), 0)
}

// keep puts the event that was built into a packet.
func (s *Stream) keep() {
	if len(s.event) == 0 {
		return
	}
	if len(s.buffer)-s.begin+len(s.event) > pageSize && !s.empty() {
		s.seal()
	}
	if s.empty() {
		s.first = s.time
	}
	s.last = s.time
	s.buffer = append(s.buffer, s.event...)
	s.event = s.event[:0]
	if !s.aside {
		s.events++
	}
}

// empty reports whether the current packet has no events.
func (s *Stream) empty() bool { return len(s.buffer)-s.begin == headerSize }

// padding holds the zeros that fill a packet up, and room for the header of the next packet.
var padding [pageSize + headerSize]byte

// seal ends the current packet and begins the next.
func (s *Stream) seal() {
	content := len(s.buffer) - s.begin
	size := (content + pageSize - 1) / pageSize * pageSize
	h := binary.LittleEndian.AppendUint32(s.buffer[:s.begin], packetMagic)
	h = append(h, s.trace.uuid[:]...)
	h = binary.LittleEndian.AppendUint32(h, 0)
	for _, v := range [...]uint64{s.first, s.last, 8 * uint64(content), 8 * uint64(size), s.packets, s.Discarded} {
		h = binary.LittleEndian.AppendUint64(h, v)
	}
	h = binary.LittleEndian.AppendUint32(h, s.pid)
	binary.LittleEndian.AppendUint32(h, s.tid)
	s.buffer = append(s.buffer, padding[:size-content+headerSize]...)
	s.begin += size
	s.packets, s.reportedLoss = s.packets+1, s.Discarded
	s.sealed, s.events = s.sealed+s.events, 0
}

// Flush writes everything so far. Packets for which the disk has no room are lost, and the file stays readable.
func (s *Stream) Flush() error {
	s.keep()
	if !s.empty() || s.Discarded != s.reportedLoss {
		if s.empty() {
			s.first = s.last
		}
		s.seal()
	}
	return s.write()
}

// write writes the complete packets.
func (s *Stream) write() error {
	if s.begin == 0 {
		return nil
	}
	n, err := s.file.Write(s.buffer[:s.begin])
	if err != nil {
		_ = s.file.Truncate(s.end) // half a packet would make the whole file unreadable
	} else {
		s.end += int64(n)
		s.Written += s.sealed
	}
	s.buffer = append(s.buffer[:0], s.buffer[s.begin:]...)
	s.begin, s.sealed = 0, 0
	return err
}

// Close writes the rest.
func (s *Stream) Close() error {
	err := s.Flush()
	if closed := s.file.Close(); err == nil {
		err = closed
	}
	return err
}
