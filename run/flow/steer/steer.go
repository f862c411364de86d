// Package steer lets other programs watch and control a running pipeline: it defines the methods
// that a run offers at its control socket, with their parameters and answers. The command line, the
// live views and the web page all use them.
//
//	Run ◀── Methods ◀── control.Server ◀── socket ◀── control.Call, Follow
package steer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// The methods of a pipeline. The comments give the type of the answer.
const (
	MethodStats  = "stats"  // flow.Stats
	MethodWatch  = "watch"  // flow.Stats at intervals; the last one when the run has ended
	MethodPause  = "pause"  // no answer
	MethodResume = "resume" // no answer
	MethodSet    = "set"    // flow.SetResult, even if the change is refused
	MethodStop   = "stop"   // flow.Stats when the run has ended
	MethodGraph  = "graph"  // Graph
	MethodShow   = "show"   // flow.Picture
	MethodPeek   = "peek"   // peek.View of new data, a few per second, until the caller disconnects
	MethodLog    = "log"    // []string: the newest lines of the run's log, if the run keeps them
)

// Watch are the parameters of MethodWatch.
type Watch struct {
	EveryMS int `json:"every_ms"` // interval in milliseconds; 0 means 100
}

// Set are the parameters of MethodSet.
type Set struct {
	Settings map[string]string `json:"settings"`            // maps `process:key` to the new value
	Preview  bool              `json:"preview,omitempty"`   // only report what would change
	WatchFor string            `json:"watch_for,omitempty"` // a time such as 10s, during which a failing process makes the old settings return
	MinShare float64           `json:"min_share,omitempty"` // during WatchFor, restore the old settings if a process makes less than this share of its previous steps
}

// Show are the parameters of MethodShow.
type Show struct {
	Process string `json:"process"` // a process with a picture, such as an `image_viewer`
}

// Peek are the parameters of MethodPeek.
type Peek struct {
	Port string `json:"port"` // `process.port`: an input, or an output, of which the first edge is shown
}

// Stop are the parameters of MethodStop.
type Stop struct {
	Kill bool `json:"kill,omitempty"` // end at once, and lose the data in the pipeline
}

// Graph describes the running pipeline.
type Graph struct {
	Version   int       `json:"version"`
	Processes []Process `json:"processes"`
	Edges     []Edge    `json:"edges"`
}

// Process is a process of a graph.
type Process struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Site  string         `json:"site,omitempty"`  // only if the pipeline runs on several sites
	Place string         `json:"place,omitempty"` // file:line:column
	Keys  []pipe.Tunable `json:"keys,omitempty"`
}

// Edge is a connection of a graph.
type Edge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Type     string `json:"type"`
	Capacity int    `json:"capacity"` // 0: unlimited
	Blocking bool   `json:"blocking"`
	Place    string `json:"place,omitempty"`
}

// A Run is a running pipeline: a *flow.Run, or the coordinator of a run on several sites.
type Run interface {
	Stats() flow.Stats
	Pause() error
	Resume() error
	Set(context.Context, map[string]string, flow.SetOptions) (flow.SetResult, error)
	Plan() *pipe.Plan
	Tunable(process string) []pipe.Tunable
	Picture(process string) (flow.Picture, error)
	Tap(port string) (*flow.Tap, error)
	Stop()
	Abort()
	Done() <-chan struct{}
}

// Methods returns the methods of a run.
func Methods(run Run) control.Methods {
	return control.Methods{
		MethodStats:  control.Answer(func(context.Context, struct{}) (flow.Stats, error) { return run.Stats(), nil }),
		MethodWatch:  control.Stream(func(ctx context.Context, w Watch, send func(flow.Stats) error) error { return watch(ctx, run, w, send) }),
		MethodPause:  control.Answer(func(context.Context, struct{}) (any, error) { return nil, run.Pause() }),
		MethodResume: control.Answer(func(context.Context, struct{}) (any, error) { return nil, run.Resume() }),
		MethodSet:    control.Answer(func(ctx context.Context, s Set) (flow.SetResult, error) { return set(ctx, run, s) }),
		MethodStop:   control.Answer(func(_ context.Context, s Stop) (flow.Stats, error) { return stop(run, s), nil }),
		MethodShow:   control.Answer(func(_ context.Context, s Show) (flow.Picture, error) { return run.Picture(s.Process) }),
		MethodPeek:   control.Stream(func(ctx context.Context, p Peek, send func(peek.View) error) error { return look(ctx, run, p, send) }),
		MethodGraph:  control.Answer(func(context.Context, struct{}) (Graph, error) { return graphOf(run), nil }),
	}
}

const (
	usualWatch    = 100 * time.Millisecond
	shortestWatch = 10 * time.Millisecond
)

// watch sends the counts of the run until the run has ended or the caller disconnects.
func watch(ctx context.Context, run Run, w Watch, send func(flow.Stats) error) error {
	every := time.Duration(w.EveryMS) * time.Millisecond
	if every == 0 {
		every = usualWatch
	}
	tick := time.NewTicker(max(every, shortestWatch))
	defer tick.Stop()
	for {
		if err := send(run.Stats()); err != nil {
			return err
		}
		select {
		case <-tick.C:
			continue
		case <-run.Done():
		case <-ctx.Done(): // the caller has disconnected, or the run has ended and its server is closing
		}
		return send(run.Stats())
	}
}

// look sends views of an edge until the run has ended or the caller disconnects. Then it closes the
// tap.
func look(ctx context.Context, run Run, p Peek, send func(peek.View) error) error {
	tap, err := run.Tap(p.Port)
	if err != nil {
		return err
	}
	defer tap.Close()
	return peek.Follow(ctx, tap, send)
}

// set changes settings. If the change is refused, the answer contains the reasons.
func set(ctx context.Context, run Run, s Set) (flow.SetResult, error) {
	opt := flow.SetOptions{Preview: s.Preview, MinShare: s.MinShare}
	if s.WatchFor != "" {
		d, err := time.ParseDuration(s.WatchFor)
		if err != nil || d <= 0 {
			return flow.SetResult{}, fmt.Errorf("`%s` is not a duration to watch for: expected one such as 10s", s.WatchFor)
		}
		opt.WatchFor = d
	}
	switch {
	case len(s.Settings) == 0:
		return flow.SetResult{}, errors.New("no setting to change was given: expected PROCESS:KEY and a value")
	case !(s.MinShare >= 0 && s.MinShare <= 1):
		return flow.SetResult{}, fmt.Errorf("`%v` is not a share: expected a number from 0 to 1", s.MinShare)
	case s.MinShare > 0 && opt.WatchFor == 0:
		return flow.SetResult{}, errors.New("the share of steps is checked while the run is watched: also give the time to watch for")
	}
	result, err := run.Set(ctx, s.Settings, opt)
	var refused *pipe.RefusedError
	if errors.As(err, &refused) {
		err = nil
	}
	return result, err
}

// stop ends a run and waits for its end. The run ends even if the caller disconnects.
func stop(run Run, s Stop) flow.Stats {
	if s.Kill {
		run.Abort()
	} else {
		run.Stop()
	}
	<-run.Done()
	return run.Stats()
}

func graphOf(run Run) Graph {
	plan := run.Plan()
	g := Graph{Version: 1, Processes: []Process{}, Edges: []Edge{}}
	several := len(plan.Sites()) > 1
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		p := Process{Name: n.Name, Type: n.Type.Name, Place: place(n.Span), Keys: run.Tunable(n.Name)}
		if several {
			p.Site = strings.Join(n.Sites(), ", ")
		}
		g.Processes = append(g.Processes, p)
	}
	for i := range plan.Edges {
		e := &plan.Edges[i]
		g.Edges = append(g.Edges, Edge{e.From.String(), e.To.String(), e.Type, e.Capacity, e.Blocking, place(e.Span)})
	}
	return g
}

func place(s source.Span) string {
	if s.IsZero() {
		return ""
	}
	return s.String()
}
