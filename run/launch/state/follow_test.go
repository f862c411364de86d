package state

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
)

// A hearer gets what a follower reads, and calls then before the follower continues.
type hearer struct {
	text strings.Builder
	then func(lines int)
}

func (h *hearer) Write(p []byte) (int, error) {
	h.text.Write(p)
	h.then(strings.Count(h.text.String(), "\n"))
	return len(p), nil
}

// followed is a run with a log of ten lines in one piece, and the lines of the log.
func followed(t *testing.T) (d *Dir, write func(from, to int), lines func(from, to int) string) {
	d, err := Create(t.TempDir(), Run{ID: "r", Started: time.Now(), Nodes: []Node{{ID: "n"}}, Supervisor: Self()})
	if err != nil {
		t.Fatal(err)
	}
	w := NewLog(d.LogFile("n", "out"), Rotation{Size: 100})
	t.Cleanup(func() { w.Close() })
	lines = func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "line %04d\n", i) // ten bytes
		}
		return b.String()
	}
	write = func(from, to int) {
		if _, err := w.Write([]byte(lines(from, to))); err != nil {
			t.Error(err)
		}
	}
	return d, write, lines
}

func end(t *testing.T, d *Dir) {
	j, err := d.Journal()
	if err != nil {
		t.Error(err)
		return
	}
	defer j.Close()
	if err := j.Append(Event{What: Over}); err != nil {
		t.Error(err)
	}
}

// TestFollowPieces: while a follower writes what it has read, new pieces may appear. It reads each line once and in order, even if more pieces appear
// than are kept.
func TestFollowPieces(t *testing.T) {
	need.File(t, "/proc/self/stat") // needed to see that the reader is alive
	for _, c := range []struct{ more, rounds int }{{1, 4}, {9, 4}, {10, 4}, {11, 4}, {25, 4}, {60, 4}, {70, 2}, {250, 2}} {
		t.Run(fmt.Sprint(c.more), func(t *testing.T) {
			t.Parallel()
			d, write, lines := followed(t)
			write(0, 5)
			round := 0
			h := &hearer{then: func(got int) {
				switch {
				case round < c.rounds && got == 5+round*c.more:
					write(got, got+c.more)
					round++
				case round == c.rounds:
					end(t, d)
					round++
				}
			}}
			want := lines(0, 5+c.rounds*c.more)
			if err := d.Logs(t.Context(), h, Query{Node: "n", Follow: true}); err != nil || h.text.String() != want {
				t.Errorf("%v\n%s", err, h.text.String())
			}
		})
	}
}

// TestFollowLost: pieces are not kept forever for a reader that makes no progress; pieces that it misses are reported at their place.
func TestFollowLost(t *testing.T) {
	need.File(t, "/proc/self/stat") // needed to see that the reader is alive
	for lost, said := range map[int]string{
		0: "", 1: "(a piece of this log was dropped before it could be read)\n", 2: "(2 pieces of this log were dropped before they could be read)\n",
	} {
		path := filepath.Join(t.TempDir(), "log")
		w := NewLog(path, Rotation{Age: time.Minute})
		now := time.Now()
		w.now = func() time.Time { return now }
		var want strings.Builder
		line := func(i int) {
			text := fmt.Sprintf("line %d\n", i)
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
			if now = now.Add(time.Minute); i == 0 || i > lost {
				want.WriteString(text)
			}
			if i == 0 {
				want.WriteString(said)
			}
		}
		line(0)
		r, err := newLogReader(path)
		if err != nil {
			t.Fatal(err)
		}
		written := false
		h := &hearer{then: func(int) { // once it has opened the first piece
			if !written {
				written = true
				for i := range w.when.maxHeld() + 1 + lost {
					line(i + 1)
				}
			}
		}}
		if err := r.copy(h); err != nil || h.text.String() != want.String() {
			t.Errorf("%d: %v\n%s", lost, err, h.text.String())
		}
		r.Close()
		w.Close()
	}
}

// TestFollowWriter: if the writer is at most four pieces ahead, a reader misses nothing, at whatever moment of a rotation it looks.
func TestFollowWriter(t *testing.T) {
	need.File(t, "/proc/self/stat") // needed to see that the reader is alive
	d, write, lines := followed(t)
	r, err := newLogReader(d.LogFile("n", "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const all = 900
	var written, read atomic.Int64
	go func() {
		for i := 0; i < all; i += 3 {
			for int64(i) > read.Load()+40 {
				runtime.Gosched()
			}
			write(i, i+3)
			written.Store(int64(i + 3))
		}
	}()
	h := &hearer{then: func(n int) { read.Store(int64(n)) }}
	for last := false; !last; {
		last = written.Load() == all
		if err := r.copy(h); err != nil {
			read.Store(all) // the writer need not wait any more
			t.Fatal(err)
		}
	}
	if h.text.String() != lines(0, all) {
		t.Errorf("read\n%s\nwant %d lines, each once and in order", h.text.String(), all)
	}
}
