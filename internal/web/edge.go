package web

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// tapped is a pipeline of this program, at whose edges one can look.
type tapped interface {
	Tap(port string) (*flow.Tap, error)
}

// lookAt follows what is on an edge until ctx ends. The views are made in this goroutine, or in the program that runs the pipeline;
// nobody else waits for them.
func (r *run) lookAt(ctx context.Context, port string, show func(json.RawMessage)) error {
	if r.pipeline == nil {
		return guard.NotFound("a launch plan has no edges: its pipelines are runs of their own")
	}
	if p, ok := r.pipeline.(*remote); ok {
		err := control.Follow(ctx, p.socket, steer.MethodPeek, steer.Peek{Port: port}, func(view json.RawMessage) error {
			show(view)
			return nil
		})
		if errors.Is(err, control.ErrNoServer) {
			return flow.ErrEnded
		}
		return err
	}
	p, ok := r.pipeline.(tapped)
	if !ok {
		return errors.New("nobody can look at the edges of this run")
	}
	tap, err := p.Tap(port)
	if err != nil {
		return err
	}
	defer tap.Close()
	return peek.Follow(ctx, tap, func(v peek.View) error {
		text, err := json.Marshal(v)
		if err == nil {
			show(text)
		}
		return err
	})
}

// unseen is sent in the place of a view that cannot be had.
type unseen struct {
	Error string `json:"error"`
}

// watchEdge looks at an edge for a client, until the function that it returns is called. The stream sends the newest view.
func (c *client) watchEdge(ctx context.Context, port string) (leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		err := c.run.lookAt(ctx, port, func(view json.RawMessage) { c.view.Store(&view) })
		if err != nil && ctx.Err() == nil && c.view.Load() == nil {
			if text, err := json.Marshal(unseen{err.Error()}); err == nil {
				view := json.RawMessage(text)
				c.view.Store(&view)
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// edge sends what is on the edge that the client looks at, when it is new.
func (c *client) edge() {
	if now := c.view.Load(); now != nil && now != c.viewed {
		c.viewed = now
		c.sendText("edge", *now)
	}
}
