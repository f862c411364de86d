package disk

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// timed records what readers of a file can know, and since when.
type timed struct {
	*File
	Writer
	t      *testing.T
	length int64
	grown  time.Time // when it got its length
	ends   [2]uint64 // the last end in the superblock, and the previous one
	since  time.Time // when the last one was written
}

func (w *timed) Truncate(size int64) error {
	err := w.Writer.Truncate(size)
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
		if end > w.ends[0] && now.Sub(w.grown) < w.ReaderTime {
			w.t.Errorf("the end is %d, and the file has been so long for %s", end, now.Sub(w.grown))
		}
		w.ends, w.since = [2]uint64{end, w.ends[0]}, now
	case uint64(at) == w.Root && w.End > w.ends[0]:
		w.t.Errorf("%d bytes are used, the end is %d", w.End, w.ends[0])
	case uint64(at) == w.Root && w.End > w.ends[1] && now.Sub(w.since) < w.ReaderTime:
		w.t.Errorf("%d bytes are used, and readers have known of them for %s", w.End, now.Sub(w.since))
	}
	return w.Writer.WriteAt(p, at)
}

// TestReadersHaveTime checks that, while a reader has the file open, each new length and each new end exist for the time
// that a reader may take before anything relies on them, whether steps are fast or slow, and however long they are.
func TestReadersHaveTime(t *testing.T) {
	need.Slow(t)
	path := filepath.Join(t.TempDir(), "a.h5")
	f, err := Create(path)
	must(t, err)
	f.Root = f.AllocHeader(64, 36).Addr
	commit := func(bytes int) {
		must(t, f.Write(f.Alloc(uint64(bytes)), make([]byte, bytes)))
		must(t, f.Announce())
		must(t, f.Write(f.Root, make([]byte, 64)))
		f.Committed()
	}
	commit(1000)
	must(t, f.Publish())
	must(t, f.Close(nil, f.Trim))
	reader, err := Open(path, os.O_RDONLY)
	must(t, err)
	defer func() { must(t, reader.Close(nil, reader.Trim)) }()
	f, err = Open(path, os.O_RDWR)
	must(t, err)
	must(t, f.Change())
	w := &timed{File: f, Writer: f.W, t: t, length: f.Size, ends: [2]uint64{f.Announced, f.Announced}}
	f.W, f.ReaderTime = w, 20*time.Millisecond
	if _, known := f.alone(); !known {
		f.ReaderTime = briefTime
	}
	ends := 0
	for i := range 60 {
		before, n := f.Announced, 20000*(1+i%4)
		if i == 40 {
			n = 5e6
		}
		commit(8 * n)
		if f.Announced != before {
			ends++
		}
		time.Sleep(time.Millisecond) // the computing time of a program between two steps
	}
	if ends < 3 || ends > 20 {
		t.Errorf("the end has moved %d times, want ends at least 3 and ends at most 20", ends)
	}
	f.awaitReaders(time.Now().Add(200*time.Millisecond), 100e6)
	if f.ahead.least != 200e6 || f.ahead.lead(f.ahead.need) != 200e6 {
		t.Errorf("after a wait the lead is %d", f.ahead.least)
	}
	if f.awaitReaders(time.Now().Add(200*time.Millisecond), 200e6); f.ahead.least != maxLead {
		t.Errorf("after a second wait the lead is %d", f.ahead.least)
	}
	must(t, f.Close(nil, f.Trim))
}
