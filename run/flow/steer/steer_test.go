package steer_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// serve runs a pipeline with a control socket.
func serve(t *testing.T, p *flow.Pipeline) (*flow.Run, string) {
	t.Helper()
	run, err := p.Start(t.Context(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "socket")
	server, err := control.Listen(path, steer.Methods(run))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Abort()
		run.Wait()
		server.Close()
	})
	return run, path
}

func endless() *flow.Pipeline {
	p := flow.New(catalog.Standard())
	p.AddProcess("src", "numbers", pipe.Set("end", "1000000000000"))
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.number", "snk.sink", pipe.Capacity(7))
	return p
}

// TestMethods: every method does what the run can do itself.
func TestMethods(t *testing.T) {
	run, path := serve(t, endless())
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	call := func(method string, params, result any) error {
		return control.Call(ctx, path, method, params, result)
	}
	var stats flow.Stats
	if err := call(steer.MethodStats, nil, &stats); err != nil || len(stats.Processes) != 2 || stats.Edges[0].From != "src.number" {
		t.Errorf("stats: %v, %+v", err, stats)
	}
	var graph steer.Graph
	if err := call(steer.MethodGraph, nil, &graph); err != nil || len(graph.Processes) != 2 || graph.Edges[0].Capacity != 7 {
		t.Errorf("graph: %v, %+v", err, graph)
	}
	if err := call(steer.MethodPause, nil, nil); err != nil {
		t.Error(err)
	}
	if err := call(steer.MethodStats, nil, &stats); err != nil || stats.State != flow.Paused {
		t.Errorf("it is not paused: %v, %s", err, stats.State)
	}
	if err := call(steer.MethodPause, nil, nil); err == nil || !strings.Contains(err.Error(), "paused already") {
		t.Errorf("a second pause: %v", err)
	}
	if err := call(steer.MethodResume, nil, nil); err != nil {
		t.Error(err)
	}
	if err := call(steer.MethodStop, nil, &stats); err != nil || !stats.Processes[0].Done || stats.State != flow.Stopped {
		t.Errorf("stop: %v, %+v", err, stats)
	}
	if err := run.Wait(); !errors.Is(err, flow.ErrStopped) {
		t.Errorf("the run ended with %v", err)
	}
}

// TestSet: a refusal is an answer with reasons, and the graph shows the current values.
func TestSet(t *testing.T) {
	p := flow.New(catalog.Standard())
	p.AddProcess("plate", "heat", pipe.Set("rows", "4", "cols", "4", "steps", "1000000000000"))
	p.AddProcess("snk", "sink", nil)
	p.Connect("plate.field", "snk.sink")
	_, path := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	set := func(key, value string) (result flow.SetResult, err error) {
		err = control.Call(ctx, path, steer.MethodSet, steer.Set{Settings: map[string]string{key: value}}, &result)
		return result, err
	}
	if result, err := set("plate:heat", "7"); err != nil || !result.Applied {
		t.Errorf("%+v, %v", result, err)
	}
	for key, want := range map[string]string{"plate:rows": "not tunable", "plate:heat": "does not fit", "plate": "expected PROCESS:KEY"} {
		if result, err := set(key, "x"); err != nil || result.Applied || !strings.Contains(result.Changes[0].Refused, want) {
			t.Errorf("%s: %+v, %v", key, result, err)
		}
	}
	var graph steer.Graph
	if err := control.Call(ctx, path, steer.MethodGraph, nil, &graph); err != nil {
		t.Fatal(err)
	}
	have := fmt.Sprint(graph.Processes[0].Keys)
	if have != "[{plate:conductivity 0.2 double false} {plate:heat 7 double false}]" {
		t.Errorf("keys: %s; want %q", have, "[{plate:conductivity 0.2 double false} {plate:heat 7 double false}]")
	}
}

// TestWatch: figures come until the run is over, and the last ones are final.
func TestWatch(t *testing.T) {
	run, path := serve(t, endless())
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	var last flow.Stats
	n := 0
	err := control.Follow(ctx, path, steer.MethodWatch, steer.Watch{EveryMS: 1}, func(s flow.Stats) error {
		if n++; n == 3 {
			run.Stop()
		}
		last = s
		return nil
	})
	if err != nil || n < 4 || !last.Processes[1].Done || last.Wall != run.Stats().Wall {
		t.Errorf("%v after %d figures, the last %+v", err, n, last)
	}
}

// TestWatchToTheEnd: a watcher sees how the run ended, even if its program closes the server at
// once.
func TestWatchToTheEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	for range 20 {
		run, err := endless().Start(ctx, flow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "socket")
		server, err := control.Listen(path, steer.Methods(run))
		if err != nil {
			t.Fatal(err)
		}
		var last flow.Stats
		watching := make(chan struct{}, 1)
		over := make(chan error, 1)
		go func() {
			over <- control.Follow(ctx, path, steer.MethodWatch, steer.Watch{EveryMS: 60_000}, func(s flow.Stats) error {
				last = s
				watching <- struct{}{}
				return nil
			})
		}()
		<-watching
		run.Stop()
		_ = run.Wait()
		server.Close()
		if err := <-over; err != nil || last.State != flow.Stopped {
			t.Fatalf("%v, the last state is %s", err, last.State)
		}
	}
}

// TestKill: a run that does not end gracefully is killed.
func TestKill(t *testing.T) {
	run, path := serve(t, endless())
	if err := control.Call(t.Context(), path, steer.MethodStop, steer.Stop{Kill: true}, nil); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); !errors.Is(err, flow.ErrStopped) {
		t.Errorf("the run ended with %v", err)
	}
}

// TestPeek: an edge is watched as long as the caller stays connected.
func TestPeek(t *testing.T) {
	run, path := serve(t, endless())
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	enough := errors.New("enough")
	var seen peek.View
	err := control.Follow(ctx, path, steer.MethodPeek, steer.Peek{Port: "snk.sink"}, func(v peek.View) error {
		if seen = v; v.Number == 0 {
			return nil
		}
		if !run.Stats().Edges[0].Watched {
			t.Error("the edge is not looked at")
		}
		return enough
	})
	if !errors.Is(err, enough) || seen.Kind != peek.Number || seen.From != "src.number" || seen.Text != fmt.Sprint(seen.Stamp) {
		t.Errorf("%v, %+v", err, seen)
	}
	golden.Until(t, "the edge of a caller that has gone is not looked at", func() bool { return !run.Stats().Edges[0].Watched })
	err = control.Follow(ctx, path, steer.MethodPeek, steer.Peek{Port: "snk.sunk"}, func(peek.View) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "did you mean `snk.sink`?") {
		t.Errorf("an unknown port gives %v", err)
	}
}
