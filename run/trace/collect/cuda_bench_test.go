//go:build linux

package collect

import (
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// BenchmarkLaunch measures what the agent adds to a kernel launch, relative to empty CUPTI
// callbacks for its begin and its end: not traced, also while device times are collected; and
// recorded, also with its stack, and with all other events of the call.
func BenchmarkLaunch(b *testing.B) {
	g := newGPU(b, "libcupti.so", "-O2")
	against := trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 1 << 30, Set: true}}}
	for _, c := range []struct {
		name     string
		config   trace.Config
		launches int
	}{
		{"decided against", trace.Config{Default: against}, 100_000},
		{"decided against with records", trace.Config{Default: against, Domains: map[string]trace.DomainLayer{"CUDA": {Activity: activity(layout.ActivityOn)}}}, 100_000},
		{"recorded", trace.Config{}, 1000},
		{"recorded with its site", trace.Config{Domains: map[string]trace.DomainLayer{"CUDA": {Sites: trace.Switch{On: true, Set: true}}}}, 1000},
		{"every event recorded", trace.Config{Domains: map[string]trace.DomainLayer{"CUDA": {Events: allEvents()}}}, 1000},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := g.options(&c.config)
			o.RingBytes = 1 << 24
			for range b.N {
				empty, launch := g.figures(b, o, "1", strconv.Itoa(c.launches), "1", "time")
				b.ReportMetric(0, "ns/op") // the time to start the program
				b.ReportMetric(launch-empty, "ns/launch")
			}
		})
	}
}
