package flow_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// BenchmarkTap measures an edge with a tap; BenchmarkEdge measures one without.
func BenchmarkTap(b *testing.B) {
	p := flow.New(catalog.Standard())
	p.AddProcess("src", "numbers", pipe.Set("end", strconv.Itoa(b.N)))
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.number", "snk.sink")
	b.ReportAllocs()
	run, err := p.Start(context.Background(), flow.Options{Scheduler: flow.SyncScheduler})
	if err != nil {
		b.Fatal(err)
	}
	tap, err := run.Tap("snk.sink")
	if err != nil {
		b.Fatal(err)
	}
	defer tap.Close()
	if err := run.Wait(); err != nil {
		b.Fatal(err)
	}
}
