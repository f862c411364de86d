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

// A Trace is the trace of a pipeline in the JSON format of Chrome and Perfetto. Each process
// collects its events and adds them to the trace in blocks.
//
// During the run, the file is a list of events without its closing bracket. Chrome and Perfetto
// can read this, so if a run is killed, only the events of its last second are lost. At the end,
// the file is changed to the complete format. A trace with a size limit keeps the newest events.
type Trace struct {
	mu    sync.Mutex
	w     io.Writer
	file  *outfile.File // w, if it is a file whose beginning can be rewritten; else nil
	ring  *ring         // nil if the size is not limited
	names []byte        // events with the names of the pipeline and its processes, which are written before the ring
	buf   []byte
	began bool
	err   error
	owned io.Closer
}

const traceBegin = `{"displayTimeUnit":"ns","traceEvents":[`

// traceGrows is the beginning of the file during the run. At the end it is replaced by traceBegin,
// which has the same length.
var traceGrows = strings.Repeat(" ", len(traceBegin)-1) + "["

// NewTrace begins the trace of a pipeline. Times in the trace count from zero. size limits the
// events, in bytes; 0 means no limit.
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

// name writes an event with the name of the pipeline, a row or an edge. Such events are kept when
// others are dropped because of the size limit.
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

// join adds a block of events to the trace.
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
	_, t.err = t.w.Write(t.buf) // written in one call, so that an event is cut only if the program is killed during this call
}

// Lost returns how many events were dropped because of the size limit, and how many there were in
// all.
func (t *Trace) Lost() (lost, all int) {
	if t.ring == nil {
		return 0, 0
	}
	return t.ring.lost, t.ring.all
}

// Close writes the remaining events and ends the trace.
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
