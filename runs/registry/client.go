package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Client controls a run through its socket.
type Client struct{ *state.Dir }

// Stop ends the run; kill ends it at once.
func (c Client) Stop(ctx context.Context, kill bool) error {
	if IsPipeline(c.Run) {
		return c.Call(ctx, steer.MethodStop, steer.Stop{Kill: kill}, nil)
	}
	return c.Ask(ctx, launch.MethodStop, launch.Request{Kill: kill})
}

// Pause pauses the run, or lets it continue.
func (c Client) Pause(ctx context.Context, on bool) error {
	if IsPipeline(c.Run) {
		return c.Call(ctx, map[bool]string{true: steer.MethodPause, false: steer.MethodResume}[on], nil, nil)
	}
	return c.Ask(ctx, launch.MethodSignal, launch.Request{Signal: map[bool]string{true: "STOP", false: "CONT"}[on]})
}

// Ask calls a method of a plan's supervisor that has no answer.
func (c Client) Ask(ctx context.Context, method string, r launch.Request) error {
	return launch.Ask(ctx, c.Dir, method, r, nil)
}

// Call calls a method of a pipeline.
func (c Client) Call(ctx context.Context, method string, params, result any) error {
	return c.ended(control.Call(ctx, c.Socket(), method, params, result))
}

// Follow calls a method of a pipeline that answers with a stream.
func Follow[T any](ctx context.Context, c Client, method string, params any, each func(T) error) error {
	return c.ended(control.Follow(ctx, c.Socket(), method, params, each))
}

func (c Client) ended(err error) error {
	if errors.Is(err, control.ErrNoServer) {
		return c.Ended()
	}
	return err
}

// Ended returns the error for a run that can no longer be controlled.
func (c Client) Ended() error { return fmt.Errorf("run `%s` has ended", c.Run.ID) }
