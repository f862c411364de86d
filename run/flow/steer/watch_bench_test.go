//go:build unix

package steer_test

import (
	"context"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// BenchmarkWatch measures what it costs a pipeline to be watched ten times a second. One pipeline
// runs all the time. It is watched in one of two short rounds, alternately the first and the
// second. The benchmark reports the medians of the ratios of the two rounds: how much slower the
// pipeline is, and how much more processor time a datum takes. The latter is also meaningful on a
// busy machine. The watcher is in the same program and counts too.
// counts too.
//
//	go test ./run/flow/steer -run '^$' -bench Watch -benchtime 50x
func BenchmarkWatch(b *testing.B) {
	p := flow.New(catalog.Standard())
	p.AddProcess("src", "numbers", pipe.Set("end", "1000000000000000"))
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.number", "snk.sink")
	run, err := p.Start(b.Context(), flow.Options{})
	if err != nil {
		b.Fatal(err)
	}
	socket := filepath.Join(b.TempDir(), "socket")
	server, err := control.Listen(socket, steer.Methods(run))
	if err != nil {
		b.Fatal(err)
	}
	var slower, dearer []float64
	for watchedFirst := false; b.Loop(); watchedFirst = !watchedFirst {
		first, second := round(b, run, socket, watchedFirst), round(b, run, socket, !watchedFirst)
		alone, watched := first, second
		if watchedFirst {
			alone, watched = second, first
		}
		slower = append(slower, alone.speed/watched.speed)
		dearer = append(dearer, watched.effort/alone.effort)
	}
	run.Abort()
	run.Wait()
	server.Close()
	b.ReportMetric(100*(median(slower)-1), "%slower")
	b.ReportMetric(100*(median(dearer)-1), "%dearer")
}

// pace is how a pipeline runs: data a second, and processor seconds for each.
type pace struct{ speed, effort float64 }

// round measures the pipeline for a while.
func round(b *testing.B, run *flow.Run, socket string, watched bool) pace {
	ctx, leave := context.WithCancel(b.Context())
	defer leave()
	if watched {
		seen := make(chan struct{}, 1)
		go control.Follow(ctx, socket, steer.MethodWatch, steer.Watch{EveryMS: 100}, func(flow.Stats) error {
			select {
			case seen <- struct{}{}:
			default:
			}
			return nil
		})
		<-seen
	}
	began, spent, data := time.Now(), processorTime(b), run.Stats().Edges[0].Taken
	time.Sleep(400 * time.Millisecond) // time for four updates: this is measured
	took, data := time.Since(began).Seconds(), run.Stats().Edges[0].Taken-data
	return pace{float64(data) / took, (processorTime(b) - spent).Seconds() / float64(data)}
}

// processorTime is what this program has used so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
