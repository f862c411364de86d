package flow

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
)

// A chromeTrace is a trace in the JSON form that Chrome and Perfetto read.
// Processes collect events and hand them over in blocks.
//
// While it grows, a file is the list of events without its end, which both read
// too: a run that was killed leaves all events up to a second before. At the end it
// gets the beginning of the whole form. Of a file with a limit the newest events stay.
type chromeTrace struct {
	mu    sync.Mutex
	w     io.Writer
	file  *outfile.File // w, where its beginning can be written again
	ring  *traceRing    // nil where there is no limit
	names []byte        // of processes, which stand before the ring
	buf   []byte
	began bool
	err   error
	owned io.Closer
}

const traceBegin = `{"displayTimeUnit":"ns","traceEvents":[`

// traceGrows is as long as traceBegin, which takes its place.
var traceGrows = strings.Repeat(" ", len(traceBegin)-1) + "["

// newChromeTrace begins a trace; size is the limit of its events in bytes, or 0.
func newChromeTrace(w io.Writer, size int64) *chromeTrace {
	t := &chromeTrace{w: w}
	f, isFile := w.(*outfile.File)
	if isFile && !f.Direct() {
		t.file = f
	}
	if at, ok := w.(io.WriterAt); ok && size > 0 && (!isFile || t.file != nil) {
		t.ring = newTraceRing(at, size)
	}
	return t
}

// process makes the observer of one process: a row of the picture.
func (t *chromeTrace) process(name string, id int, f RegionFilter) *traceObserver {
	o := &traceObserver{trace: t, name: name, tid: id + 1, filter: f, inside: eventCount}
	o.buf = append(o.buf, `{"name":"thread_name","ph":"M","pid":1,"tid":`...)
	o.buf = strconv.AppendInt(o.buf, int64(o.tid), 10)
	o.buf = append(o.buf, `,"args":{"name":`...)
	o.buf = appendJSON(o.buf, name)
	o.buf = append(o.buf, "}}"...)
	if t.ring == nil {
		o.flush()
		return o
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.names) > 0 {
		t.names = append(t.names, ",\n"...)
	}
	t.names = append(t.names, o.buf...)
	o.buf = o.buf[:0]
	return o
}

func (t *chromeTrace) write(block []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil || len(block) == 0 {
		return
	}
	if t.ring == nil {
		t.join(block)
		return
	}
	if !t.began {
		t.join(t.names)
		t.ring.base, t.names = int64(len(t.buf)), nil
	}
	if t.err == nil {
		t.err = t.ring.add(block)
	}
}

// join writes a block behind the others.
func (t *chromeTrace) join(block []byte) {
	t.buf = t.buf[:0]
	switch {
	case t.began:
		t.buf = append(t.buf, ',')
	case t.file != nil:
		t.buf = append(t.buf, traceGrows...)
	default:
		t.buf = append(t.buf, traceBegin...)
	}
	t.began = true
	t.buf = append(append(t.buf, '\n'), block...)
	_, t.err = t.w.Write(t.buf) // in one piece: no event is cut
}

// lost is how many events were left out for the limit, and of how many.
func (t *chromeTrace) lost() (lost, all int) {
	if t.ring == nil {
		return 0, 0
	}
	return t.ring.lost, t.ring.all
}

func (t *chromeTrace) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ring != nil && t.began {
		t.w = t.ring.end()
	}
	if t.err == nil && len(t.names) > 0 {
		t.join(t.names)
	}
	end := "\n]}\n"
	if !t.began {
		end = traceBegin + end
	}
	if t.err == nil {
		_, t.err = io.WriteString(t.w, end)
	}
	if t.err == nil && t.file != nil && t.began {
		_, t.err = t.file.WriteAt([]byte(traceBegin), 0)
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
	handed time.Duration // when buf was handed over last
	alone  bool          // the trace is this process's own

	inside Event         // the part of its life that goes on, or eventCount
	from   time.Duration // when its next piece began
	pieces int           // that were written
	traced bool          // the filter lets it through; valid once there are pieces
}

// A process hands its events over when there are many, or the first is old.
const (
	traceBlock = 1 << 15
	traceEvery = time.Second
)

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
	if now := at + took; len(o.buf) > traceBlock || now-o.handed > traceEvery {
		o.handed = now
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
