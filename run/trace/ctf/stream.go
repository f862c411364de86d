package ctf

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
)

// A packet is a page of the file: a system makes a file longer page by page, so that
// neither a reader nor a writer that is killed leaves half a packet. Only an event that is
// larger than a page has a packet of several.
const (
	pageSize   = 4 << 10
	bufferSize = 256 << 10 // written at once
	headerSize = 4 + 16 + 4 + 6*8 + 2*4
)

// Stream is the events of one thread, in order.
type Stream struct {
	Discarded uint64 // events lost so far
	Written   uint64 // events in the packets of the file that are not said aside

	file         *os.File
	trace        *Trace
	pid, tid     uint32
	buffer       []byte // whole packets, and behind them the one that is being filled
	begin        int    // where that one begins
	event        []byte // the event that is being made
	time         uint64 // of that event
	aside        bool   // whether it is
	packets      uint64
	events       uint64 // in the packet that is being filled
	sealed       uint64 // in the whole packets of the buffer
	end          int64  // of the last packet of the file
	first, last  uint64 // times of events in the packet that is being filled
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

// Event begins an event. The fields of the context and its own follow.
func (s *Stream) Event(id int, time uint64) error {
	s.keep()
	if s.begin >= bufferSize {
		if err := s.write(); err != nil {
			return err
		}
	}
	// A time stamp never goes back within a stream, as readers demand; one that
	// does, because a thread moved between processors, is the one before it.
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

// Text appends a field of type Text. What follows a zero byte is left out.
func (s *Stream) Text(v string) {
	if i := strings.IndexByte(v, 0); i >= 0 {
		v = v[:i]
	}
	s.event = append(append(s.event, v...), 0)
}

// keep puts the event that was made into a packet.
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

// empty reports whether the packet that is being filled holds no event.
func (s *Stream) empty() bool { return len(s.buffer)-s.begin == headerSize }

// padding fills a packet up, and is the room for the header of the next.
var padding [pageSize + headerSize]byte

// seal ends the packet that is being filled and begins the next.
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

// Flush writes what there is so far. Packets for which there is no room are
// gone, and the file stays readable.
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

// write writes the packets that are whole.
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

// Close writes what is left.
func (s *Stream) Close() error {
	err := s.Flush()
	if closed := s.file.Close(); err == nil {
		err = closed
	}
	return err
}
