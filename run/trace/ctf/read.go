package ctf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Value is the value of a field: a number, or a text.
type Value struct {
	Number uint64
	Text   string
}

// Occurrence is one event of a stream.
type Occurrence struct {
	Event     int
	Time      uint64
	Context   []Value
	Fields    []Value
	Discarded uint64 // events lost in the stream before the end of this event's packet
	PID, TID  uint32
}

// Reader reads a trace that this package wrote with the same events.
type Reader struct {
	Clock   Clock
	Streams []string // file names, in order

	trace *Trace
	dir   string
}

// Open reads the description of a trace. t declares the context and the events
// that it must have.
func Open(dir string, t *Trace) (*Reader, error) {
	text, err := os.ReadFile(filepath.Join(dir, "metadata"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("`%s` holds no trace: it has no file `metadata`", dir)
	}
	if err != nil {
		return nil, err
	}
	r := &Reader{trace: t, dir: dir}
	declared := t.declarations()
	at := strings.Index(string(text), declared)
	if at < 0 {
		return nil, fmt.Errorf("the trace in `%s` declares other events: another version wrote it", dir)
	}
	var seconds int64
	var ticks uint64
	clock := string(text[strings.Index(string(text[:at]), "freq"):at])
	if _, err := fmt.Sscanf(strings.Join(strings.Fields(clock), " "), "freq = %d; offset_s = %d; offset = %d;", &r.Clock.Frequency, &seconds, &ticks); err != nil || r.Clock.Frequency == 0 {
		return nil, fmt.Errorf("the trace in `%s` has no clock that can be read", dir)
	}
	r.Clock.Offset = seconds*1e9 + int64(r.Clock.nanoseconds(ticks))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "stream_") {
			r.Streams = append(r.Streams, e.Name())
		}
	}
	return r, nil
}

// Nanoseconds is the time of day of a time stamp, in nanoseconds since the epoch.
func (c Clock) Nanoseconds(time uint64) int64 { return c.Offset + int64(c.nanoseconds(time)) }

// Events yields the events of a stream in order. An error ends it.
func (r *Reader) Events(stream string) iter.Seq2[Occurrence, error] {
	return func(yield func(Occurrence, error) bool) {
		data, err := os.ReadFile(filepath.Join(r.dir, stream))
		if err != nil {
			yield(Occurrence{}, err)
			return
		}
		for len(data) > 0 {
			if len(data) < headerSize || binary.LittleEndian.Uint32(data) != packetMagic {
				yield(Occurrence{}, fmt.Errorf("the stream `%s` is damaged", stream))
				return
			}
			content, size := binary.LittleEndian.Uint64(data[contentSizeAt:])/8, binary.LittleEndian.Uint64(data[packetSizeAt:])/8
			if content < headerSize || content > size || size > uint64(len(data)) {
				yield(Occurrence{}, fmt.Errorf("the stream `%s` is cut off", stream))
				return
			}
			p := packetReader{rest: data[headerSize:content]}
			for len(p.rest) > 0 {
				o := Occurrence{
					Discarded: binary.LittleEndian.Uint64(data[discardedAt:]),
					PID:       binary.LittleEndian.Uint32(data[discardedAt+8:]), TID: binary.LittleEndian.Uint32(data[discardedAt+12:]),
				}
				if !p.event(r.trace, &o) {
					yield(Occurrence{}, fmt.Errorf("the stream `%s` is damaged", stream))
					return
				}
				if !yield(o, nil) {
					return
				}
			}
			data = data[size:]
		}
	}
}

const (
	packetMagic   = 0xc1fc1fc1
	contentSizeAt = 4 + 16 + 4 + 2*8
	packetSizeAt  = contentSizeAt + 8
	discardedAt   = packetSizeAt + 2*8
)

// packetReader takes values off the front of a packet.
type packetReader struct{ rest []byte }

func (p *packetReader) event(t *Trace, o *Occurrence) bool {
	id, ok := p.number(2)
	if !ok || id >= uint64(len(t.Events)) {
		return false
	}
	o.Event = int(id)
	if o.Time, ok = p.number(8); !ok {
		return false
	}
	o.Context, ok = p.fields(t.Context)
	if ok {
		o.Fields, ok = p.fields(t.Events[id].Fields)
	}
	return ok
}

func (p *packetReader) fields(list []Field) ([]Value, bool) {
	values := make([]Value, len(list))
	for i, f := range list {
		var ok bool
		switch f.Type {
		case Text:
			end := bytes.IndexByte(p.rest, 0)
			if end < 0 {
				return nil, false
			}
			values[i].Text, p.rest = string(p.rest[:end]), p.rest[end+1:]
			continue
		case U16:
			values[i].Number, ok = p.number(2)
		case U32:
			values[i].Number, ok = p.number(4)
		case I32:
			values[i].Number, ok = p.number(4)
			values[i].Number = uint64(int64(int32(values[i].Number)))
		default:
			values[i].Number, ok = p.number(8)
		}
		if !ok {
			return nil, false
		}
	}
	return values, true
}

func (p *packetReader) number(size int) (uint64, bool) {
	if len(p.rest) < size {
		return 0, false
	}
	var v uint64
	for i := size - 1; i >= 0; i-- {
		v = v<<8 | uint64(p.rest[i])
	}
	p.rest = p.rest[size:]
	return v, true
}
