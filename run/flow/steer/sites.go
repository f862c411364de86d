package steer

import (
	"context"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
)

// Sites is a pipeline as who leads all its sites sees it. A *flow.Run is one, of
// a single site.
type Sites interface {
	Stats() flow.Stats
	Pause() error
	Resume() error
	Stop()
	Abort()
	Done() <-chan struct{}
}

// SitesMethods are what a run of several sites can be asked for.
func SitesMethods(run Sites) control.Methods {
	return control.Methods{
		MethodStats:  control.Answer(func(context.Context, struct{}) (flow.Stats, error) { return run.Stats(), nil }),
		MethodWatch:  control.Stream(func(ctx context.Context, w Watch, send func(flow.Stats) error) error { return watch(ctx, run, w, send) }),
		MethodPause:  control.Answer(func(context.Context, struct{}) (any, error) { return nil, run.Pause() }),
		MethodResume: control.Answer(func(context.Context, struct{}) (any, error) { return nil, run.Resume() }),
		MethodStop:   control.Answer(func(_ context.Context, s Stop) (flow.Stats, error) { return stop(run, s), nil }),
	}
}
