//go:build unix

package trace

import (
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSwapUnderLoad lets many goroutines decide while policies change 1,000 times a second. Compare cpu-ns/op: the
// time that a cycle costs one core, independent of the load of the machine.
func BenchmarkSwapUnderLoad(b *testing.B) {
	const regions = 16
	c := fixture(b)
	policies := []*Policy{
		compile(b, c, oneInTen(regions)),
		compile(b, c, oneInTen(regions, Constraint{Domain: "OpenMP", Kind: "thread", Set: NewSet(Span{0, 7})})),
	}
	run := func(goroutines int, swaps bool) func(*testing.B) {
		return func(b *testing.B) {
			e := NewEngine(policies[0])
			ids := register(b, e, regions)
			order := randomOrder(ids)
			stop := make(chan struct{})
			var swapping sync.WaitGroup
			if swaps {
				swapping.Go(func() {
					tick := time.NewTicker(time.Millisecond)
					defer tick.Stop()
					for i := 1; ; i++ {
						select {
						case <-stop:
							return
						case <-tick.C:
							if err := e.Swap(policies[i%2]); err != nil {
								b.Error(err)
							}
						}
					}
				})
			}
			b.ReportAllocs()
			b.ResetTimer()
			started := cpuTime(b)
			var deciding sync.WaitGroup
			for g := range goroutines {
				deciding.Go(func() {
					u := e.Unit()
					for i := range b.N / goroutines {
						r := order[(i+g*997)&(orderLen-1)]
						u.Begin(r)
						u.Decide(r, 5)
						u.End(r)
					}
				})
			}
			deciding.Wait()
			b.StopTimer()
			b.ReportMetric(float64(cpuTime(b)-started)/float64(b.N), "cpu-ns/op")
			close(stop)
			swapping.Wait()
		}
	}
	b.Run("quiet/1", run(1, false))
	b.Run("swapped/1", run(1, true))
	b.Run("swapped/16", run(16, true))
}

func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
