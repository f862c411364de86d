package watch

import (
	"context"
	"errors"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs/registry"
)

// steerable is a pipeline with a control socket.
type steerable interface{ Socket() string }

// Call calls a method of a pipeline through its socket.
func (r *Run) Call(ctx context.Context, method string, params, result any) error {
	p, ok := r.pipeline.(steerable)
	if !ok || p.Socket() == "" || r.ended() {
		return guard.Conflict("this run has no settings to change")
	}
	err := control.Call(ctx, p.Socket(), method, params, result)
	if errors.Is(err, control.ErrNoServer) {
		return guard.Conflict("the run has ended")
	}
	return err
}

// Picture returns the picture that a process of a pipeline shows.
func (r *Run) Picture(process string) (flow.Picture, error) {
	if r.pipeline == nil {
		return flow.Picture{}, guard.NotFound("a launch plan has no pictures")
	}
	p, err := r.pipeline.Picture(process)
	if err != nil {
		return flow.Picture{}, guard.NotFound(err.Error())
	}
	return p, nil
}

// Stop stops a run, or one program of a plan. Like the methods below, it has the parameters that a request may name.
func (r *Run) Stop(ctx context.Context, node, _ string) error {
	if r.pipeline == nil && (node != "" || r.plan == nil) {
		return r.ask(ctx, launch.MethodStop, node, "")
	}
	defer r.end()
	return r.become(flow.Stopping, nil)
}

// Pause pauses a pipeline, or programs of a plan.
func (r *Run) Pause(ctx context.Context, node, _ string) error {
	if r.pipeline == nil {
		return r.Signal(ctx, node, "STOP")
	}
	return r.become(flow.Paused, r.pipeline.Pause())
}

// Resume ends a pause.
func (r *Run) Resume(ctx context.Context, node, _ string) error {
	if r.pipeline == nil {
		return r.Signal(ctx, node, "CONT")
	}
	return r.become(flow.Running, r.pipeline.Resume())
}

// Restart starts a program of a plan again.
func (r *Run) Restart(ctx context.Context, node, _ string) error {
	return r.ask(ctx, launch.MethodRestart, node, "")
}

// Signal sends a signal to programs of a plan.
func (r *Run) Signal(ctx context.Context, node, signal string) error {
	return r.ask(ctx, launch.MethodSignal, node, signal)
}

// become sets the state of a run after a successful request, until the run reports its own.
func (r *Run) become(state flow.State, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && !r.ended() {
		r.state = state
	}
	return err
}

// ask calls a method of the supervisor of a plan.
func (r *Run) ask(ctx context.Context, method, node, signal string) error {
	r.mu.Lock()
	dir := r.dir
	r.asked = time.Time{}
	r.mu.Unlock()
	switch {
	case r.pipeline != nil:
		return guard.Conflict("a pipeline has no programs to restart or signal; stop it, and start it again")
	case dir == nil:
		return guard.Conflict("the run has no programs yet")
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return registry.Client{Dir: dir}.Ask(ctx, method, launch.Request{Node: node, Signal: signal})
}
