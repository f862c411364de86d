package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestWaitUnderWay checks that a wait is counted at its edge while it lasts, so that an observer
// sees which process holds up which.
func TestWaitUnderWay(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		hold := make(chan struct{})
		held := consumer("held", func(s pipe.Step, _ int64) error { <-hold; return nil })
		r := start(t, with(build("a :: numbers end=1000000000000\nh :: held\na.number -> h.number capacity=1"), held), opt)
		const long = 20 * time.Millisecond
		if opt.Scheduler != "sync" { // if only one process runs at a time, the other does not wait for it
			edge := func() flow.EdgeStats { return r.Stats().Edges[0] }
			golden.Until(t, "the wait of the producer for room counts", func() bool { return edge().Full >= long },
				golden.Known(func() string { return fmt.Sprintf("%+v", edge()) }))
		}
		r.Stop()
		close(hold)
		_ = finish(t, r)
		s := r.Stats()
		for _, p := range s.Processes {
			if p.Busy+p.Blocked > s.Wall {
				t.Errorf("%s: busy %v and waiting %v of %v, want at most %v", p.Name, p.Busy, p.Blocked, s.Wall, s.Wall)
			}
		}
		if e := s.Edges[0]; e.Full > s.Wall || e.Empty > s.Wall {
			t.Errorf("%+v in %v, want e.Full at most %v and e.Empty at most %v", e, s.Wall, s.Wall, s.Wall)
		}
	})
}

// TestPendingOfCopies checks that each copy of a process reports the values that its program has
// not taken.
func TestPendingOfCopies(t *testing.T) {
	slow := consumer("slow", func(pipe.Step, int64) error { return nil })
	slow.Stateless = true
	make := slow.New
	slow.New = func() pipe.Process { return pending{make().(*fake)} }
	r := start(t, with(build("a :: numbers end=1000000000000\nx :: slow _replicas=2\na.number -> x.number"), slow), flow.Options{})
	told := 0
	for _, p := range r.Stats().Processes {
		if slices.Equal(p.Pending, []string{"speed"}) {
			told++
		} else if p.Type == "slow" {
			t.Errorf("%s waits for %q, want other than %q", p.Name, p.Pending, "slow")
		}
	}
	if told != 2 {
		t.Errorf("%d copies tell what they wait for, want 2", told)
	}
	r.Stop()
	if err := finish(t, r); !errors.Is(err, flow.ErrStopped) {
		t.Errorf("ended with %v", err)
	}
}

// pending is a process whose program has not taken a value.
type pending struct{ *fake }

func (pending) Pending() []string { return []string{"speed"} }

// TestPausedTime checks that pauses are counted during and after each pause, and that the time
// without pauses does not advance meanwhile.
func TestPausedTime(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		r := start(t, build("a :: numbers end=1000000000000\nb :: sink\na.number -> b.sink"), opt)
		if s := r.Stats(); s.Paused != 0 {
			t.Errorf("paused for %v before the first pause", s.Paused)
		}
		var total time.Duration
		for range 2 {
			if err := r.Pause(); err != nil {
				t.Fatal(err)
			}
			first := r.Stats()
			var second flow.Stats
			golden.Until(t, "the time of a pause grows", func() bool { second = r.Stats(); return second.Paused > first.Paused })
			if first.Paused < total || second.Wall-second.Paused != first.Wall-first.Paused {
				t.Errorf("paused: %v of %v, then %v of %v; want first.Paused at least %v and second.Wall - second.Paused = %v", first.Paused, first.Wall, second.Paused, second.Wall, total, first.Wall-first.Paused)
			}
			if err := r.Resume(); err != nil {
				t.Fatal(err)
			}
			if total = r.Stats().Paused; total < second.Paused {
				t.Errorf("resumed: %v after %v", total, second.Paused)
			}
		}
		if err := r.Pause(); err != nil {
			t.Fatal(err)
		}
		r.Abort()
		_ = finish(t, r)
		if a, b := r.Stats(), r.Stats(); a.Paused < total || a.Paused > a.Wall || a.Paused != b.Paused {
			t.Errorf("ended: %v of %v, then %v; %v before", a.Paused, a.Wall, b.Paused, total)
		}
	})
}
