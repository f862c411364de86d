package flow_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
)

// BenchmarkSet measures the throughput of a pipeline of 12 processes, and the longest time between
// two of its results, without and with changes of its settings. One operation is a change of ten
// settings, or a millisecond without any change.
func BenchmarkSet(b *testing.B) {
	for _, name := range []string{"without", "with"} {
		b.Run(name, func(b *testing.B) {
			s := &seen{wrong: make(chan string, 1), timed: true}
			r, err := with(build(steered), taggers(s)...).Start(b.Context(), flow.Options{})
			if err != nil {
				b.Fatal(err)
			}
			golden.Until(b, "the pipeline is in full swing", func() bool { return s.count.Load() > 1000 })
			from := s.count.Load()
			s.gap.Store(0)
			b.ResetTimer()
			for i := range b.N {
				if name == "without" {
					time.Sleep(time.Millisecond) // an operation without changes
				} else if _, err := r.Set(b.Context(), marks(int64(i%7)), flow.SetOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(s.count.Load()-from)/b.Elapsed().Seconds(), "data/s")
			b.ReportMetric(float64(s.gap.Load())/1e6, "longest-gap-ms")
			r.Stop()
			if err := r.Wait(); !errors.Is(err, flow.ErrStopped) {
				b.Fatal(err)
			}
			select {
			case wrong := <-s.wrong:
				b.Errorf("%s; want every datum once, in order, and computed with the same settings throughout", wrong)
			default:
			}
		})
	}
}
