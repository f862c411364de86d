//go:build linux

package collect

import (
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// The end of a window turns the collection of device times on or off, while calls are traced as before.
func TestCudaWindowEnd(t *testing.T) {
	need.Slow(t)
	g := newGPU(t, "libcupti.so")
	play := func(before uint8, end *trace.WindowEnd) *played {
		c := everyEvent()
		c.Domains["CUDA"] = trace.DomainLayer{Events: allEvents(), Activity: activity(before)}
		c.Default = trace.RegionLayer{Rate: trace.RateLayer{Max: trace.Number{Value: 5, Set: true}}, End: end}
		return g.play(g.options(c), "1", "300", "1")
	}
	always := play(layout.ActivityOn, nil)
	all, calls := len(always.onDevice()), len(always.calls())
	for _, c := range []struct{ before, after uint8 }{
		{layout.ActivityOn, layout.ActivityOff}, {layout.ActivityOff, layout.ActivityOn}, {layout.ActivityOff, layout.ActivityAnyone}, {layout.ActivityOff, layout.ActivityLeader},
	} {
		p := play(c.before, &trace.WindowEnd{Activity: map[string]trace.Activity{"CUDA": activity(c.after)}})
		if n := len(p.onDevice()); n == 0 || n >= all || len(p.calls()) != calls {
			t.Errorf("%s, then %s: %d records of the device of %d, and %d regions of %d; want n other than 0, n less than %v and len(p.calls()) = %v", trace.ActivityNames[c.before], trace.ActivityNames[c.after], n, all, len(p.calls()), calls, all, calls)
		}
	}
	same := play(layout.ActivityOn, &trace.WindowEnd{Activity: map[string]trace.Activity{"CUDA": activity(layout.ActivityOn)}})
	if n := len(same.onDevice()); n != all {
		t.Errorf("%d records of the device, want %d", n, all)
	}
}

// If the end of a window starts a script, the collection of device times changes after the script
// has run. Later windows may change it again.
func TestCudaWindowIntrospects(t *testing.T) {
	need.Slow(t)
	g := newGPU(t, "libcupti.so")
	c := everyEvent()
	c.Default = trace.RegionLayer{Rate: trace.RateLayer{Max: trace.Number{Value: 5, Set: true}}, End: &trace.WindowEnd{
		Activity: map[string]trace.Activity{"CUDA": activity(layout.ActivityOff)}, Introspect: &trace.Introspection{Script: "-", Pause: 1},
	}}
	p := g.play(g.options(c), "1", "300", "1")
	if n := len(p.onDevice()); n == 0 || n > 5*20 || p.said["records"] >= p.said["device"] {
		t.Errorf("%d records of the device are in the trace; of %d things it did %d have a record, want n other than 0, n at most %v and p.said[\"records\"] less than %v", n, p.said["device"], p.said["records"], 5*20, p.said["device"])
	}
}
