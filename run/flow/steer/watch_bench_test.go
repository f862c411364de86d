package steer_test

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// BenchmarkWatch is what it costs a pipeline to be watched ten times a second: the
// same pipeline runs alone and watched, one after the other.
func BenchmarkWatch(b *testing.B) {
	const data = 16_000_000 // a second or more
	once := func(watched bool) time.Duration {
		p := flow.New(catalog.Standard())
		p.AddProcess("src", "numbers", flow.Set("end", strconv.Itoa(data)))
		p.AddProcess("snk", "sink", nil)
		p.Connect("src.number", "snk.sink")
		began := time.Now()
		run, err := p.Start(b.Context(), flow.Options{})
		if err != nil {
			b.Fatal(err)
		}
		socket := filepath.Join(b.TempDir(), "socket")
		server, err := control.Listen(socket, steer.Methods(run))
		if err != nil {
			b.Fatal(err)
		}
		ctx, leave := context.WithCancel(b.Context())
		over := make(chan struct{})
		go func() {
			defer close(over)
			if watched {
				_ = control.Follow(ctx, socket, steer.MethodWatch, steer.Watch{EveryMS: 100}, func(flow.Stats) error { return nil })
			}
		}()
		if err := run.Wait(); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		leave()
		<-over
		server.Close()
		return took
	}
	var alone, watched time.Duration
	for b.Loop() {
		alone += once(false)
		watched += once(true)
	}
	b.ReportMetric(100*(float64(watched)/float64(alone)-1), "%cost")
}
