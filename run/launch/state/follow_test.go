package state

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A hearer gets what a follower reads, and calls then before the follower goes on.
type hearer struct {
	text strings.Builder
	then func(lines int)
}

func (h *hearer) Write(p []byte) (int, error) {
	h.text.Write(p)
	h.then(strings.Count(h.text.String(), "\n"))
	return len(p), nil
}

// followed is a run with a log of ten lines in a piece, and the lines of it.
func followed(t *testing.T) (d *Dir, write func(from, to int), lines func(from, to int) string) {
	d, err := Create(t.TempDir(), Run{ID: "r", Started: time.Now(), Nodes: []Node{{ID: "n"}}, Supervisor: Self()})
	if err != nil {
		t.Fatal(err)
	}
	w := NewLog(d.LogFile("n", "out"), 100)
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

// TestFollowPieces: whatever arises while a follower writes what it has read, it reads each line
// once and in order; what was dropped before it could be read is reported in its place.
func TestFollowPieces(t *testing.T) {
	for _, c := range []struct{ more, rounds, from, to int }{
		{1, 4, 0, 0}, {9, 4, 0, 0}, {10, 4, 0, 0}, {11, 4, 0, 0}, {25, 4, 0, 0},
		{60, 4, 0, 0},   // the piece that it has open is dropped
		{70, 1, 10, 20}, // one that it has not
		{85, 1, 10, 30},
	} {
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
			switch c.to - c.from {
			case 10:
				want = strings.Replace(want, lines(c.from, c.to), "(a piece of this log was dropped before it could be read)\n", 1)
			case 20:
				want = strings.Replace(want, lines(c.from, c.to), "(2 pieces of this log were dropped before they could be read)\n", 1)
			}
			if err := d.Logs(t.Context(), h, "n", true); err != nil || h.text.String() != want {
				t.Errorf("%v\n%s", err, h.text.String())
			}
		})
	}
}

// TestFollowWriter: a reader that is at most four pieces behind the writer misses nothing,
// wherever in the making of a piece it looks.
func TestFollowWriter(t *testing.T) {
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
		if _, err := r.copy(h); err != nil {
			read.Store(all) // the writer need not wait any more
			t.Fatal(err)
		}
	}
	if h.text.String() != lines(0, all) {
		t.Error(h.text.String())
	}
}
