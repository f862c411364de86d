package flow_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
)

func runRandom(t *rapid.T, p *flowtest.RandomPipeline, scheduler string) flow.Stats {
	r, err := p.Start(context.Background(), flow.Options{Scheduler: scheduler, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Done():
	case <-time.After(golden.Patience):
		stats := r.Stats()
		r.Abort()
		t.Fatalf("%s hangs: %+v", scheduler, stats)
	}
	if err := r.Wait(); err != nil {
		t.Fatalf("%s: %v", scheduler, err)
	}
	return r.Stats()
}

// TestRandomPipelines: whatever the graph, the frequencies and the capacities,
// every scheduler gives what the arithmetic says, and none gets stuck.
func TestRandomPipelines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := flowtest.DrawPipeline(t, catalog.Standard(), false)
		for _, s := range flow.Schedulers() {
			stats := runRandom(t, p, s)
			if wrong := p.Wrong(); wrong != "" {
				t.Fatalf("%s: %s", s, wrong)
			}
			for _, e := range stats.Edges {
				if e.Dropped != 0 || e.Pushed != e.Taken+e.Left {
					t.Fatalf("%s: edge %+v", s, e)
				}
			}
		}
	})
}

// TestRandomDrops: with edges that drop, every datum is accounted for.
func TestRandomDrops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := flowtest.DrawPipeline(t, catalog.Standard(), true)
		for _, s := range flow.Schedulers() {
			for _, e := range runRandom(t, p, s).Edges {
				if e.Pushed != e.Taken+e.Dropped+e.Left {
					t.Fatalf("%s: edge %+v", s, e)
				}
			}
		}
	})
}
