package recording

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A track is the row of one process in a trace:
//
//	solver step 7 │ solver waits for room │ solver step 7 (goes on)
//
// A step does not include the time during which the process waits for an edge. Therefore a step
// that waits is written as several slices, called pieces here. The category of an event is the name
// that policies use for it.
type track struct {
	trace  *Trace
	p      *Process
	name   []byte // name of the process, encoded as JSON without quotes
	place  []byte // JSON with the ids of the row, up to the value of the time field
	filter RegionFilter
	alone  bool // the trace contains only this process
	buf    []byte
	handed time.Duration // when buf was last added to the trace

	inside pipe.Event    // the action in progress, or EventCount if there is none
	note   string        // text to write after the name of the action
	from   time.Duration // when the current piece of the action began
	pieces int           // number of pieces of the action that were written
	traced bool          // the filter lets the action through
	pushes bool          // the filter lets the current push through
}

// A process adds its events to the trace when there are many of them, or when the oldest is about a
// second old.
const (
	traceBlock = 1 << 15
	traceEvery = time.Second
	traceEvent = 1 << 10 // size in bytes that most events do not exceed
)

func newTrack(p *Process, trace *Trace, f RegionFilter) *track {
	t := &track{trace: trace, p: p, filter: f, inside: pipe.EventCount, buf: make([]byte, 0, traceBlock+traceEvent)}
	t.name = appendText(nil, p.Name)
	t.place = strconv.AppendInt([]byte(`"pid":1,"tid":`), int64(p.ID)+1, 10)
	trace.name(fmt.Appendf(nil, `{"name":"thread_name","ph":"M",%s,"args":{"name":"%s"%s}}`, t.place, t.name, place(p.Span)))
	trace.name(fmt.Appendf(nil, `{"name":"thread_sort_index","ph":"M",%s,"args":{"sort_index":%d}}`, t.place, p.ID))
	t.place = append(t.place, `,"ts":`...)
	return t
}

func (t *track) passes(ev pipe.Event) bool { return t.filter == nil || t.filter.Traced(ev) }

// open reports whether the current action will be written, so that an arrow can begin or end at it.
func (t *track) open() bool { return t.inside != pipe.EventCount && t.traced }

func (t *track) began(ev pipe.Event, at time.Duration) {
	if ev.IsPart() {
		t.inside, t.note, t.from, t.pieces, t.traced = ev, "", at, 0, t.passes(ev)
	}
}

func (t *track) ended(ev pipe.Event, begin, end time.Duration, at At) {
	if ev.IsPart() {
		t.piece(end)
		t.inside = pipe.EventCount
		return
	}
	if ev == pipe.EventBlock && t.inside != pipe.EventCount {
		t.piece(begin)
		t.from = end
	}
	if !t.passes(ev) {
		return
	}
	t.begin(t.name)
	switch {
	case ev == pipe.EventDrop:
		t.buf = append(t.buf, " drops a datum"...)
		t.kind(ev, 'i', begin)
		t.buf = append(t.buf, `,"s":"t"`...)
	case at.Producer:
		t.buf = append(t.buf, " waits for room"...)
		t.slice(ev, begin, end)
	default:
		t.buf = append(t.buf, " waits for data"...)
		t.slice(ev, begin, end)
	}
	t.buf = appendText(append(t.buf, `,"args":{"edge":"`...), at.Edge)
	t.end(`"}}`, end)
}

// piece writes the current piece of an action, which ends now.
func (t *track) piece(end time.Duration) {
	t.pieces++
	if !t.traced {
		return
	}
	t.begin(t.name)
	t.buf = append(append(t.buf, ' '), t.inside.Part()...)
	if t.inside == pipe.EventStep {
		t.buf = strconv.AppendUint(append(t.buf, ' '), *t.p.Steps, 10)
	}
	t.buf = append(t.buf, t.note...)
	if t.pieces > 1 {
		t.buf = append(t.buf, " (goes on)"...)
	}
	t.slice(t.inside, t.from, end)
	t.buf = append(t.buf, `,"args":{"step":`...)
	t.buf = strconv.AppendUint(t.buf, *t.p.Steps, 10)
	t.end("}}", end)
}

// push records that a port pushes a datum. The trace of the whole run shows this as arrows instead.
func (t *track) push(at time.Duration, port string) {
	t.pushes = t.passes(pipe.EventPush)
	if !t.alone || !t.pushes {
		return
	}
	t.begin(t.name)
	t.buf = appendText(append(t.buf, " pushes "...), port)
	t.kind(pipe.EventPush, 'i', at)
	t.end(`,"s":"t"}`, at)
}

// fill writes the number of data in an edge.
func (t *track) fill(e *Edge, at time.Duration, inside uint64) {
	t.begin(e.label)
	t.kind(pipe.EventPush, 'C', at)
	t.buf = append(t.buf, `,"args":{"data":`...)
	t.buf = strconv.AppendUint(t.buf, inside, 10)
	t.end("}}", at)
}

// arrow writes the beginning or the end of an arrow, or a point on its way. It belongs to the slice
// in progress.
func (t *track) arrow(e *Edge, phase byte, at time.Duration, number uint64) {
	t.begin(e.label)
	t.kind(pipe.EventPush, phase, at)
	t.buf = append(t.buf, `,"id":"0x`...)
	t.buf = strconv.AppendUint(t.buf, e.index<<32|number&(1<<32-1), 16)
	t.end(`","bp":"e"}`, at)
}

// begin begins to write an event with this name. The name may be continued until kind is called.
func (t *track) begin(name []byte) {
	if len(t.buf) > 0 {
		t.buf = append(t.buf, ",\n"...)
	}
	t.buf = append(append(t.buf, `{"name":"`...), name...)
}

func (t *track) kind(ev pipe.Event, phase byte, at time.Duration) {
	t.buf = append(append(t.buf, `","cat":"`...), ev.String()...)
	t.buf = append(append(t.buf, `","ph":"`...), phase)
	t.buf = append(append(t.buf, `",`...), t.place...)
	t.buf = appendMicros(t.buf, at)
}

func (t *track) slice(ev pipe.Event, begin, end time.Duration) {
	t.kind(ev, 'X', begin)
	t.buf = appendMicros(append(t.buf, `,"dur":`...), end-begin)
}

func (t *track) end(text string, at time.Duration) {
	t.buf = append(t.buf, text...)
	if len(t.buf) > traceBlock || at-t.handed > traceEvery {
		t.handed = at
		t.flush()
	}
}

func (t *track) flush() {
	t.trace.write(t.buf)
	t.buf = t.buf[:0]
}

func (t *track) close() error {
	t.flush()
	if t.alone {
		return t.trace.Close()
	}
	return nil
}

// place returns a JSON argument for a naming event: the place of the process or connection in its
// file.
func place(s source.Span) []byte {
	if s.IsZero() {
		return nil
	}
	return fmt.Appendf(nil, `,"place":"%s:%d"`, appendText(nil, filepath.Base(s.File.Path())), s.Position().Line)
}

// appendMicros appends a time in microseconds, which the format requires, with three decimals.
func appendMicros(b []byte, d time.Duration) []byte {
	b = strconv.AppendInt(b, int64(d/1000), 10)
	ns := d % 1000
	return append(b, '.', byte('0'+ns/100), byte('0'+ns/10%10), byte('0'+ns%10))
}

// appendText appends a string in JSON form, without quotes.
func appendText(b []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = append(b, `\u00`...)
			b = append(b, "0123456789abcdef"[r>>4], "0123456789abcdef"[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return b
}
