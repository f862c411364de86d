package hdf5

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
)

// A reader that has read where the file ends finds all that headers lead to in front of
// that end, though steps are written meanwhile; and the file is never shorter than its end.
func TestEndRunsAhead(t *testing.T) {
	path := inTemp(t, "a.h5")
	f := create(t, path)
	must(t, f.Pause())
	var known uint64 // the end that a reader knows who opened the file a step ago
	for i := range 200 {
		f, err := f.Reopen()
		must(t, err)
		r := &recorder{writer: f.r.(*os.File)}
		f.w = r
		d, err := f.Root().CreateDataset(fmt.Sprint("step ", i), Int(8), dims(1000), Options{})
		must(t, err)
		must(t, d.Write(iota64(1000), Memory{}, Slab{}))
		must(t, f.Pause())
		if i > 0 && f.end > known {
			t.Errorf("step %d reaches to %d, and the end was %d", i, f.end, known)
		}
		size := int64(0)
		for _, c := range r.changes {
			if size = max(size, c.at+int64(len(c.data))); c.at == 0 && size < int64(f.sb.end) {
				t.Errorf("step %d: the end is %d before the file is as long", i, f.sb.end)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Size() < int64(f.sb.end) {
			t.Errorf("step %d: %v, the end is %d", i, err, f.sb.end)
		}
		known = f.sb.end
	}
	f, err := f.Reopen()
	must(t, err)
	must(t, f.Close())
	if info, err := os.Stat(path); err != nil || info.Size() != int64(f.end) {
		t.Errorf("%v, the closed file ends at %d", err, f.end)
	}
}

// timed notes what readers of a file can know, and since when.
type timed struct {
	*File
	writer
	t      *testing.T
	length int64
	grown  time.Time // when it became so long
	ends   [2]uint64 // the last end in the superblock, and the one before
	since  time.Time // when the last one came
}

func (w *timed) Truncate(size int64) error {
	err := w.writer.Truncate(size)
	if size > w.length {
		w.length, w.grown = size, time.Now()
	}
	return err
}

func (w *timed) WriteAt(p []byte, at int64) (int, error) {
	switch now := time.Now(); {
	case at == 0:
		end := binary.LittleEndian.Uint64(p[28:])
		if int64(end) > w.length {
			w.t.Errorf("the end is %d, the length %d", end, w.length)
		}
		if end > w.ends[0] && now.Sub(w.grown) < w.ahead.readerTime {
			w.t.Errorf("the end is %d, and the file has been so long for %s", end, now.Sub(w.grown))
		}
		w.ends, w.since = [2]uint64{end, w.ends[0]}, now
	case uint64(at) == w.sb.root && w.end > w.ends[0]:
		w.t.Errorf("%d bytes are used, the end is %d", w.end, w.ends[0])
	case uint64(at) == w.sb.root && w.end > w.ends[1] && now.Sub(w.since) < w.ahead.readerTime:
		w.t.Errorf("%d bytes are used, and readers have known of them for %s", w.end, now.Sub(w.since))
	}
	return w.writer.WriteAt(p, at)
}

// While a reader has the file open, each new length of the file, and each new end, is there for as long as a reader may take
// before something relies on it; whether steps come quickly or not, and however long they are.
func TestReadersHaveTime(t *testing.T) {
	need.Slow(t)
	path := inTemp(t, "a.h5")
	must(t, create(t, path).Close())
	reader, err := Open(path)
	must(t, err)
	defer reader.Close()
	f := openRW(t, path)
	w := &timed{File: f, writer: f.w, t: t, length: f.size, ends: [2]uint64{f.sb.end, f.sb.end}}
	f.w, f.ahead.readerTime = w, 20*time.Millisecond
	if _, known := f.alone(); !known {
		f.ahead.readerTime = briefTime
	}
	ends := 0
	for i := range uint64(60) {
		before, n := f.sb.end, 20000*(1+i%4)
		if i == 40 {
			n = 5e6
		}
		d, err := f.Root().CreateDataset(fmt.Sprint("step ", i), Int(8), dims(n), Options{})
		must(t, err)
		must(t, d.Write(make([]byte, 8*n), Memory{}, Slab{}))
		must(t, f.Flush())
		if f.sb.end != before {
			ends++
		}
		time.Sleep(time.Millisecond)
	}
	if ends < 3 || ends > 20 {
		t.Errorf("the end has moved %d times", ends)
	}
	f.settle(time.Now().Add(200*time.Millisecond), 100e6)
	if f.ahead.least != 200e6 || f.ahead.lead(f.ahead.need) != 200e6 {
		t.Errorf("after a wait the lead is %d", f.ahead.least)
	}
	if f.settle(time.Now().Add(200*time.Millisecond), 200e6); f.ahead.least != maxLead {
		t.Errorf("after a second wait the lead is %d", f.ahead.least)
	}
	must(t, f.Close())
}

// A reader that stands still while the file grows by less than a lead finds all that headers lead to in front of the end that it knows, and
// an end that is in front of the length that it knows.
func TestReadersMayStandStill(t *testing.T) {
	need.Slow(t)
	path := inTemp(t, "a.h5")
	must(t, create(t, path).Close())
	f := openRW(t, path)
	type state struct{ need, end, length uint64 }
	var states []state
	for i := range 600 {
		d, err := f.Root().CreateDataset(fmt.Sprint("step ", i), Int(8), dims(10000), Options{})
		must(t, err)
		must(t, d.Write(iota64(10000), Memory{}, Slab{}))
		must(t, f.Flush())
		now := state{f.end, f.sb.end, uint64(f.size)}
		states = append(states, now)
		for _, known := range states {
			if now.need-known.need < minLead*9/10 && (now.end > known.length || now.need > known.end) {
				t.Fatalf("step %d: a reader knows %+v, and the file is %+v", i, known, now)
			}
		}
	}
	must(t, f.Close())
}
