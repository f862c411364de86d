package suite

import (
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
	"github.com/pentode-dev/pentode/run/trace"
)

func policy(t *testing.T, text string) *trace.Policy {
	t.Helper()
	c := pinsight.New(pinsight.Options{}).Parse(source.NewFile("t.pinsight", text)).Resolve(&load.Env{})
	if found := c.Diagnostics(); found.HasErrors() {
		t.Fatalf("%s; want no errors", found[0].Message)
	}
	m, _ := lang.Model[*pinsight.Model](c)
	p, err := m.Policy()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFilterFollowsThePolicy(t *testing.T) {
	f, err := Filter(policy(t, `
[Flow.default]
    flow_push = off
[Lexgion.default]
    tracing_rate = 3
[Lexgion(solver)] : : Flow.process(0)
    tracing_rate = 2
[Lexgion(far)] : : MPI.rank(0)
    tracing_rate = 2
`), map[string]uint32{"MPI.rank": 3})
	if err != nil {
		t.Fatal(err)
	}
	count := func(r recording.Region, e pipe.Event, n int) (traced int) {
		region := f.Region(r)
		for range n {
			if region.Traced(e) {
				traced++
			}
		}
		return traced
	}
	for _, c := range []struct {
		name   string
		region recording.Region
		event  pipe.Event
		want   int
	}{
		{"by the default rate", recording.Region{Process: "writer"}, pipe.EventStep, 10},
		{"by its own rate", recording.Region{Process: "solver"}, pipe.EventStep, 15},
		{"not on this unit", recording.Region{Process: "solver", Index: 1}, pipe.EventStep, 0},
		{"not on this rank", recording.Region{Process: "far"}, pipe.EventStep, 0},
		{"switched off", recording.Region{Process: "writer"}, pipe.EventPush, 0},
	} {
		if got := count(c.region, c.event, 30); got != c.want {
			t.Errorf("%s: %d of 30 traced, want %d", c.name, got, c.want)
		}
	}
}

// TestCatalogueKnowsThePipeline: the catalogue's domain has the same events as the engine.
func TestCatalogueKnowsThePipeline(t *testing.T) {
	d, ok := pinsight.Builtin().Domain(FlowDomain)
	if !ok {
		t.Fatal("no domain for pipelines")
	}
	if got, want := len(pinsight.Builtin().Domains()[d].Events), len(pipe.Events()); got != want {
		t.Errorf("the catalogue has %d events, the engine %d", got, want)
	}
	for _, e := range pipe.Events() {
		if _, ok := pinsight.Builtin().Event(d, e.String()); !ok {
			t.Errorf("the catalogue lacks %s", e)
		}
	}
}
