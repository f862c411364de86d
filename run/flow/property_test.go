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

func runRandom(t *rapid.T, p *flowtest.RandomPipeline, opt flow.Options) flow.Stats {
	opt.Workers = 3
	r, err := p.Start(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Done():
	case <-time.After(golden.Patience):
		stats := r.Stats()
		r.Abort()
		t.Fatalf("%s hangs: %+v", opt.Scheduler, stats)
	}
	if err := r.Wait(); err != nil {
		t.Fatalf("%s: %v", opt.Scheduler, err)
	}
	return r.Stats()
}

// TestRandomPipelines: for any graph, frequencies and capacities, every scheduler gives the
// computed result, and none gets stuck.
func TestRandomPipelines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := flowtest.DrawPipeline(t, catalog.Standard(), false)
		for _, s := range flow.Schedulers() {
			stats := runRandom(t, p, flow.Options{Scheduler: s})
			if wrong := p.Wrong(); wrong != "" {
				t.Fatalf("%s: %s; want nothing", s, wrong)
			}
			for _, e := range stats.Edges {
				if e.Dropped != 0 || e.Pushed != e.Taken+e.Left {
					t.Fatalf("%s: edge %+v, want e.Dropped = 0 and e.Pushed = %v", s, e, e.Taken+e.Left)
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
			for _, e := range runRandom(t, p, flow.Options{Scheduler: s}).Edges {
				if e.Pushed != e.Taken+e.Dropped+e.Left {
					t.Fatalf("%s: edge %+v, want %v", s, e, e.Taken+e.Dropped+e.Left)
				}
			}
		}
	})
}
