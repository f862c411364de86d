package recording

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
)

// A Trace is the trace of a pipeline in the JSON form that Chrome and Perfetto read.
// Processes collect events and hand them over in blocks.
//
// While it grows, a file is the list of events without its end, which both read
// too: a run that was killed leaves all events up to a second before. At the end it
// gets the beginning of the whole form. Of a file with a limit the newest events stay.
type Trace struct {
	mu    sync.Mutex
	w     io.Writer
	file  *outfile.File // w, where its beginning can be written again
	ring  *ring         // nil where there is no limit
	names []byte        // of the pipeline and its processes, which stand before the ring
	buf   []byte
	began bool
	err   error
	owned io.Closer
}

const traceBegin = `{"displayTimeUnit":"ns","traceEvents":[`

// traceGrows is as long as traceBegin, which takes its place.
var traceGrows = strings.Repeat(" ", len(traceBegin)-1) + "["

// NewTrace begins the trace of a pipeline of that name, whose times count from
// zero; size is the limit of its events in bytes, or 0.
func NewTrace(w io.Writer, size int64, name string, zero time.Time) *Trace {
	t := &Trace{w: w}
	f, isFile := w.(*outfile.File)
	if isFile && !f.Direct() {
		t.file = f
	}
	if at, ok := w.(io.WriterAt); ok && size > 0 && (!isFile || t.file != nil) {
		t.ring = newRing(at, size)
	}
	t.name(fmt.Appendf(nil, `{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"%s","began":"%s"}}`, appendText(nil, name), zero.Format(time.RFC3339Nano)))
	return t
}

// name writes a name of the picture: it stays when events are left out for the limit.
func (t *Trace) name(event []byte) {
	if t.ring == nil {
		t.write(event)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.names) > 0 {
		t.names = append(t.names, ",\n"...)
	}
	t.names = append(t.names, event...)
}

func (t *Trace) write(block []byte) {
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
func (t *Trace) join(block []byte) {
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
	_, t.err = t.w.Write(t.buf) // in one piece: an event is cut only where the system ends a write of a killed program early
}

// Lost is how many events were left out for the limit, and of how many.
func (t *Trace) Lost() (lost, all int) {
	if t.ring == nil {
		return 0, 0
	}
	return t.ring.lost, t.ring.all
}

// Close writes what is left, and the end.
func (t *Trace) Close() error {
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
	return problem.Reason(t.err)
}
