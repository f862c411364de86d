package live

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
)

// Work shows the progress of long work on a terminal in one line, one second after the work begins and at most four times a second, until the work
// ends. Its methods may be called from several goroutines; a nil Work shows nothing.
type Work struct {
	out   io.Writer
	width func() int

	done, total atomic.Int64

	mu         sync.Mutex
	what, unit string
	began      time.Time
	drawn      bool
	stop       chan struct{} // closed at the end of the work; nil: there is no work
}

// Bytes is the unit for work that reads files. Other units are plurals such as `files`, or empty.
const Bytes = "bytes"

const (
	workShown = time.Second            // shorter work is not shown
	workEvery = 250 * time.Millisecond // between two pictures of it
)

// NewWork returns a Work that writes to a terminal. width returns the number of columns.
func NewWork(out io.Writer, width func() int) *Work { return &Work{out: out, width: width} }

// Begin begins work. what is for example `reading the trace` or `checking`. It ends earlier work.
func (w *Work) Begin(what, unit string) {
	if w == nil {
		return
	}
	w.End()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.what, w.unit, w.began, w.stop = what, unit, time.Now(), make(chan struct{})
	w.done.Store(0)
	w.total.Store(0)
	go w.show(w.stop)
}

// Set sets how much is done, and the total; total 0: not known.
func (w *Work) Set(done, total int64) {
	if w != nil {
		w.done.Store(done)
		w.total.Store(total)
	}
}

// Clear removes the line from the terminal, so that a whole line can be written there; the work continues.
func (w *Work) Clear() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clear()
}

func (w *Work) clear() {
	if w.drawn {
		_, _ = io.WriteString(w.out, "\r\x1b[K") // if the terminal is gone, the line is too
		w.drawn = false
	}
}

// End ends the work, and removes its line from the terminal.
func (w *Work) End() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		return
	}
	close(w.stop)
	w.stop = nil
	w.clear()
}

func (w *Work) show(stop chan struct{}) {
	for next := time.After(workShown); ; next = time.After(workEvery) {
		select {
		case <-stop:
			return
		case <-next:
		}
		w.mu.Lock()
		if w.stop == stop { // the work may just have ended, and other work begun
			line := runewidth.Truncate(w.line(time.Since(w.began)), max(1, w.width()-1), "…")
			_, _ = fmt.Fprintf(w.out, "\r\x1b[K%s", line)
			w.drawn = true
		}
		w.mu.Unlock()
	}
}

// line returns the progress as text, for example `reading the trace: 120MB of 1.2GB, 3 s`.
func (w *Work) line(took time.Duration) string {
	number := quantity.Number[int64]
	unit := " " + w.unit
	if w.unit == Bytes {
		number, unit = bytesize.Text, ""
	}
	text := w.what
	switch done, total := w.done.Load(), w.total.Load(); {
	case total > 0:
		text += ": " + number(done) + " of " + number(total) + unit
	case done > 0:
		text += ": " + number(done) + unit
	}
	return text + ", " + quantity.Duration(took.Truncate(time.Second))
}
