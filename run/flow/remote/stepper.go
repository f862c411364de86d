package remote

import (
	"context"
	"errors"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A stepper carries out the steps of changes of settings on a site, one at a time.
type stepper struct {
	begun  uint64             // number of the newest step; guarded by the site's mu
	cancel context.CancelFunc // cancels the newest step; nil: there was none

	mu       sync.Mutex // held while a step is carried out
	revision *flow.Revision
}

// revise starts the step that an order asks for, if it is new. The caller holds mu.
func (s *Site) revise(r *Revision) {
	if r == nil || r.Step <= s.steps.begun {
		return
	}
	s.steps.begun = r.Step
	if s.steps.cancel != nil {
		s.steps.cancel()
	}
	var ctx context.Context
	ctx, s.steps.cancel = context.WithCancel(context.Background())
	run := s.run
	s.stopped.Go(func() {
		answer := s.steps.take(ctx, run, r)
		answer.Step = r.Step
		s.mu.Lock()
		if before := s.report.Revised; before == nil || before.Step < r.Step {
			s.report.Revised = answer
		}
		s.mu.Unlock()
		s.hurry()
	})
}

// take carries out one step and returns the answer.
func (t *stepper) take(ctx context.Context, run *flow.Run, r *Revision) *Revised {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Stage == Judge {
		return t.judge(ctx, run, r)
	}
	v := t.revision
	if v == nil {
		return &Revised{} // the site refused the change before, or its run has ended
	}
	a := &Revised{}
	var undo, err error
	switch r.Stage {
	case Hold:
		a.Clocks, err = v.Hold()
	case Pass:
		undo, err = v.Pass(r.Clocks)
		a.Crossed = v.Crossed
	case Watch:
		undo = v.Watch(ctx)
	case Return:
		v.Return()
		a.Clocks, err = v.Hold()
	case Close:
		v.Close()
		t.revision = nil
	}
	if undo != nil {
		a.Undo = undo.Error()
	}
	a.Ended = errors.Is(err, flow.ErrEnded)
	return a
}

func (t *stepper) judge(ctx context.Context, run *flow.Run, r *Revision) *Revised {
	v, err := run.Revise(ctx, r.Changes, *r.Options)
	a := &Revised{}
	var refused *pipe.RefusedError
	switch {
	case err == nil:
		t.revision = v
	case errors.Is(err, flow.ErrEnded):
		a.Ended = true
	case !errors.As(err, &refused):
		a.Error = err.Error()
	}
	if v != nil {
		a.Changes = v.Changes
	}
	return a
}

// leave cancels the step in progress.
func (t *stepper) leave() {
	if t.cancel != nil {
		t.cancel()
	}
}
