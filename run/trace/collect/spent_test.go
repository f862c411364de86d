//go:build linux

package collect

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Each window has the records and losses of all its threads, by region; ended threads are included.
func TestSpent(t *testing.T) {
	h := newFakeAgent(t, 4096)
	h.collector.spending = &spending{begun: time.Now()}
	pid := uint32(os.Getpid())
	h.begin(0, 0, pid, 11, 0, 1)
	h.begin(1, 0, pid, 12, 1, 1)
	program := Program{}
	window := func() (got []string) {
		program.Spent = func(_ *Session, length time.Duration, threads []Spent) {
			if length <= 0 {
				t.Errorf("a window of %s; want more than 0", length)
			}
			for _, s := range threads {
				slices.SortFunc(s.Regions, func(a, b Recorded) int { return cmp.Compare(a.Events, b.Events) })
				got = append(got, fmt.Sprintf("%d lost %d %v", s.Thread, s.Lost, s.Regions))
			}
		}
		h.collector.Drain()
		h.collector.reportSpent(&program)
		slices.Sort(got)
		return got
	}
	h.put(0, named(7, "step"), eventRecord(kind("region_begin"), 1, 0, 7), eventRecord(kind("region_end"), 2, 0, 7), eventRecord(kind("work_begin"), 3, 0, 0x500, 0, 0, 0, 0, 0))
	h.session.word(slotAt(0) + slotDropped).Store(3)
	h.put(1, eventRecord(kind("region_begin"), 1, 0, 7))
	h.session.half(slotAt(1) + slotState).Store(layout.SlotEnded)
	for i, want := range [][]string{
		{"0 lost 3 [{OpenMP 1280   1} {User 0 step  2}]", "1 lost 0 [{User 0 step  1}]"},
		{"0 lost 0 []"},
	} {
		if got := window(); !slices.Equal(got, want) {
			t.Errorf("window %d: %q, want %q", i, got, want)
		}
	}
	h.put(0, eventRecord(kind("region_begin"), 4, 1, 7))
	h.session.word(slotAt(0) + slotDropped).Store(5)
	if got, want := window(), []string{"0 lost 2 [{User 0 step  1}]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	program.Window = time.Hour
	if got := window(); got != nil {
		t.Errorf("an hour is over: %q, want none", got)
	}
	program.Window = 0
	h.session.half(sessionClosed).Store(1)
	if got := window(); got != nil {
		t.Errorf("nothing is traced any more: %q", got)
	}
}

// All threads see changed rates; pauses and windows continue.
func TestAdjust(t *testing.T) {
	w := watch(t, limited(introspect(trace.Off, "-", -1)))
	w.ended()
	const paused = "TRACING, paused 1, ended 1, anew 0, scripts [], reloads 0"
	w.serveRequests("a pause", paused)
	policy, epoch := w.session.current()
	generation := w.session.word(w.at + processGeneration).Load()
	if err := w.session.Adjust(policy, make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if _, now := w.session.current(); now != epoch || w.session.word(w.at+processGeneration).Load() != generation+1 {
		t.Errorf("epoch %d became %d, and generation %d became %d; want now = %v and w.session.word(w.at + processGeneration).Load() = %v", epoch, now, generation, w.session.word(w.at+processGeneration).Load(), epoch, generation+1)
	}
	w.serveRequests("goes on", paused)
}

// The time that a thread waited for a processor is what the system counts, and is reported once.
func TestQueued(t *testing.T) {
	var one thread
	for _, c := range []struct {
		schedstat string
		want      time.Duration
	}{{"", 0}, {"5000 700 3\n", 700}, {"6000 950 4\n", 250}, {"6000 950 4\n", 0}, {"0 0 0\n", 0}, {"6000 -1 4\n", 0}, {"6000 much 4\n", 0}, {"7000 1000 5\n", 50}} {
		if got := one.queue([]byte(c.schedstat)); got != c.want {
			t.Errorf("%q: %d, want %d", c.schedstat, got, c.want)
		}
	}
}
