package flow_test

import (
	"errors"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestState checks that the state of a run is reported correctly while it runs, when it is
// controlled, and after its end.
func TestState(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		hold := make(chan struct{})
		held := consumer("held", func(pipe.Step, int64) error { <-hold; return nil })
		r := start(t, with(build("a :: numbers end=1000000000000\ns :: held\na.number -> s.number"), held), opt)
		state := func(want flow.State) {
			t.Helper()
			if have := r.Stats().State; have != want || have.Ended() != (want == flow.Stopped) {
				t.Errorf("it is %s, want %s", have, want)
			}
		}
		state(flow.Running)
		if err := r.Pause(); err != nil {
			t.Fatal(err)
		}
		state(flow.Paused)
		if err := r.Resume(); err != nil {
			t.Fatal(err)
		}
		state(flow.Running)
		r.Stop()
		state(flow.Stopping)
		close(hold)
		_ = finish(t, r)
		state(flow.Stopped)
	})
	for want, step := range map[flow.State]error{flow.Finished: nil, flow.Failed: errors.New("it is broken")} {
		r := start(t, with(build("a :: numbers end=3\ns :: last\na.number -> s.number"), consumer("last", func(pipe.Step, int64) error { return step })), flow.Options{})
		_ = finish(t, r)
		if have := r.State(); have != want {
			t.Errorf("it is %s, want %s", have, want)
		}
	}
}
