package flow_test

import (
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

// TestWaitUnderWay: a wait counts at its edge while it lasts, so that a watcher sees
// who holds up whom.
func TestWaitUnderWay(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		hold := make(chan struct{})
		held := consumer("held", func(s *flow.Step, _ int64) error { <-hold; return nil })
		r := start(t, with(build("a :: numbers end=1000000000000\nh :: held\na.number -> h.number capacity=1"), held), opt)
		const long = 20 * time.Millisecond
		if opt.Scheduler != "sync" { // where one process runs at a time, the other does not wait for it
			for end := time.Now().Add(time.Minute); r.Stats().Edges[0].Full < long; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("the producer waits for room, but: %+v", r.Stats().Edges[0])
				}
			}
		}
		r.Stop()
		close(hold)
		_ = finish(t, r)
		s := r.Stats()
		for _, p := range s.Processes {
			if p.Busy+p.Blocked > s.Wall {
				t.Errorf("%s: busy %v and waiting %v of %v", p.Name, p.Busy, p.Blocked, s.Wall)
			}
		}
		if e := s.Edges[0]; e.Full > s.Wall || e.Empty > s.Wall {
			t.Errorf("%+v in %v", e, s.Wall)
		}
	})
}
