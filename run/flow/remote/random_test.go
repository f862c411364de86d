package remote_test

import (
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestCut: a pipeline that is cut at random edges gives the same result as the whole one, which the
// test computes.
func TestCut(t *testing.T) {
	need.Slow(t)
	server := serve(t)
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if checks := "25"; !given { // 10,000 take seven minutes on two cores
		if need.FullSize() {
			checks = "60"
		}
		if err := flag.Set("rapid.checks", checks); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := flowtest.DrawPipeline(rt, catalog.Standard(), false)
		sites := rapid.IntRange(1, 4).Draw(rt, "sites")
		for i := range p.Graph.Processes {
			n := &p.Graph.Processes[i]
			if s := rapid.IntRange(0, sites).Draw(rt, "site"); s > 0 {
				if n.Config == nil {
					n.Config = pipe.Config{}
				}
				n.Config[pipe.SiteKey] = pipe.Setting{Value: fmt.Sprintf("s%d", s)}
			}
		}
		scheduler := rapid.SampledFrom(flow.Schedulers()).Draw(rt, "scheduler")
		r := together(t, server, p.Pipeline, flow.Options{Scheduler: scheduler, Workers: 3}, quick)
		if r.err != nil {
			rt.Fatalf("%s: %v", scheduler, r.err)
		}
		if wrong := p.Wrong(); wrong != "" {
			rt.Fatalf("%s: %s", scheduler, wrong)
		}
		for _, e := range r.stats.Edges {
			if e.Dropped != 0 || e.Pushed != e.Taken+e.Left || e.Half != "" {
				rt.Fatalf("%s: edge %+v", scheduler, e)
			}
		}
	})
}
