package flow

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"
)

// A chromeTrace is a trace in the JSON form that Chrome and Perfetto read.
// Processes collect events and hand them over in blocks.
type chromeTrace struct {
	mu    sync.Mutex
	w     *bufio.Writer
	ring  *traceRing // nil where the size is not limited
	names []byte     // of processes, which the ring must not write over
	first bool
	err   error
	owned io.Closer
}

const traceHead = `{"displayTimeUnit":"ns","traceEvents":[`

// newChromeTrace begins a trace of limited size, where that is not 0 and w can
// be written at any place.
func newChromeTrace(w io.Writer, size int64) *chromeTrace {
	t := &chromeTrace{w: bufio.NewWriterSize(w, 1<<16), first: true}
	_, t.err = t.w.WriteString(traceHead)
	if at, ok := w.(io.WriterAt); ok && size > 0 {
		t.ring = newTraceRing(at, size)
	}
	return t
}

// process makes the observer of one process: a row of the picture.
func (t *chromeTrace) process(name string, id int, f RegionFilter) *traceObserver {
	o := &traceObserver{trace: t, name: name, tid: id + 1, filter: f, inside: eventCount}
	var b []byte
	b = append(b, `{"name":"thread_name","ph":"M","pid":1,"tid":`...)
	b = strconv.AppendInt(b, int64(o.tid), 10)
	b = append(b, `,"args":{"name":`...)
	b = appendJSON(b, name)
	b = append(b, "}}"...)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ring == nil:
		t.join(b)
	case len(t.names) > 0:
		t.names = append(append(t.names, ",\n"...), b...)
	default:
		t.names = b
	}
	return o
}

func (t *chromeTrace) write(block []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.err != nil || len(block) == 0:
	case t.ring != nil:
		if t.ring.base == 0 {
			t.beginRing()
		}
		t.err = cmp.Or(t.err, t.ring.add(block))
	default:
		t.join(block)
	}
}

// beginRing puts the names before the ring. Those that come later stand behind it.
func (t *chromeTrace) beginRing() {
	t.ring.base = int64(len(traceHead))
	if len(t.names) > 0 {
		t.ring.base += int64(len("\n") + len(t.names))
		t.ring.behind = true
		t.join(t.names)
		t.names = nil
	}
	t.first = false
	if t.err == nil {
		t.err = t.w.Flush()
	}
}

// join writes a block behind the others.
func (t *chromeTrace) join(block []byte) {
	if t.err != nil {
		return
	}
	sep := ",\n"
	if t.first {
		sep, t.first = "\n", false
	}
	if _, t.err = t.w.WriteString(sep); t.err == nil {
		_, t.err = t.w.Write(block)
	}
}

// lost is how many events were left out for the size, and of how many.
func (t *chromeTrace) lost() (lost, all int) {
	if t.ring == nil {
		return 0, 0
	}
	return t.ring.lost, t.ring.all
}

func (t *chromeTrace) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil && t.ring != nil && t.ring.base > 0 {
		var end io.Writer
		end, t.err = t.ring.close()
		t.w.Reset(end)
	}
	if t.err == nil && len(t.names) > 0 {
		t.join(t.names)
	}
	if t.err == nil {
		_, t.err = t.w.WriteString("\n]}\n")
	}
	if t.err == nil {
		t.err = t.w.Flush()
	}
	if t.owned != nil {
		if err := t.owned.Close(); t.err == nil {
			t.err = err
		}
	}
	return Reason(t.err)
}

// A traceObserver writes the events of one process. What a process waits for
// an edge is no part of its step: the step is written as the pieces around it.
type traceObserver struct {
	trace  *chromeTrace
	name   string
	tid    int
	filter RegionFilter
	buf    []byte
	alone  bool // the trace is this process's own

	inside Event         // the part of its life that goes on, or eventCount
	from   time.Duration // when its next piece began
	pieces int           // that were written
	traced bool          // the filter lets it through; valid once there are pieces
}

const traceBlock = 1 << 15

func (o *traceObserver) Began(ev Event, at time.Duration) {
	if ev.isPart() {
		o.inside, o.from, o.pieces = ev, at, 0
	}
}

func (o *traceObserver) Ended(ev Event, at, took, _ time.Duration, where string) {
	switch {
	case ev.isPart():
		o.piece(ev, at+took)
		o.inside = eventCount
		return
	case ev == EventBlock && o.inside != eventCount:
		o.piece(o.inside, at)
		o.from = at + took
	}
	if o.passes(ev) {
		o.write(ev.String(), at, took, where)
	}
}

func (o *traceObserver) passes(ev Event) bool { return o.filter == nil || o.filter.Traced(ev) }

// piece writes the part of a step that ends now. The filter decides once for
// the whole step.
func (o *traceObserver) piece(ev Event, end time.Duration) {
	name := ev.String()
	if o.pieces > 0 {
		name += " (goes on)"
	} else {
		o.traced = o.passes(ev)
	}
	o.pieces++
	if o.traced {
		o.write(name, o.from, end-o.from, "")
	}
}

func (o *traceObserver) write(name string, at, took time.Duration, where string) {
	b := o.buf
	if len(b) > 0 {
		b = append(b, ",\n"...)
	}
	b = append(b, `{"name":"`...)
	b = append(b, name...)
	b = append(b, `","cat":"Flow","ph":"X","pid":1,"tid":`...)
	b = strconv.AppendInt(b, int64(o.tid), 10)
	b = append(b, `,"ts":`...)
	b = appendMicros(b, at)
	b = append(b, `,"dur":`...)
	b = appendMicros(b, took)
	if where != "" {
		b = append(b, `,"args":{"at":`...)
		b = appendJSON(b, where)
		b = append(b, '}')
	}
	o.buf = append(b, '}')
	if len(o.buf) > traceBlock {
		o.flush()
	}
}

func (o *traceObserver) flush() {
	o.trace.write(o.buf)
	o.buf = o.buf[:0]
}

func (o *traceObserver) Close() error {
	o.flush()
	if o.alone {
		return o.trace.close()
	}
	return nil
}

func appendMicros(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, float64(d)/1e3, 'f', 3, 64)
}

// appendJSON writes a string as JSON does.
func appendJSON(b []byte, s string) []byte {
	b = append(b, '"')
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
	return append(b, '"')
}

// Reason takes the operation and the name off an error of the system, which
// the message around it has already.
func Reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
