package cli

import (
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
)

// lookEvery is the time between two looks at the programs of a plan.
const lookEvery = 200 * time.Millisecond

// watchPlan begins to show the programs of a plan, where there is a terminal. The
// view never waits for the supervisor, which may wait for the view to take a line. Of
// sites that the plan starts, it also shows the pipeline.
func (s *screen) watchPlan(plan *launch.Supervisor, sites func() flow.Stats) {
	pipeline := func() live.Picture { return live.Picture{} }
	if sites != nil {
		pipeline = live.Pipeline(sites)
	}
	var nodes atomic.Pointer[[]launch.Status]
	look := func() {
		now := plan.Status()
		nodes.Store(&now)
	}
	look()
	var programs live.Plan
	shown := s.show(&live.Source{
		Title: s.title, Log: s.log.Lines, Brief: true,
		Look: func() live.Picture {
			p := programs.Picture("running", *nodes.Load(), time.Now())
			p.Sections = append(p.Sections, pipeline().Sections...)
			return p
		},
		Stop: func() error { plan.Stop(0); return nil },
		Pause: func(on bool) error {
			if on {
				return plan.Pause("")
			}
			return plan.Continue("")
		},
		Restart: plan.Restart,
	}, true)
	if !shown {
		return
	}
	s.over.Go(func() {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-ticker.C:
				look()
			}
		}
	})
}
