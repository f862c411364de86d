//go:build unix

package flow_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// benchRun runs a pipeline whose sources emit n numbers and reports the data
// per second and the time for each datum and edge.
func benchRun(b *testing.B, build func(p *flow.Pipeline, n int)) {
	for _, s := range []string{"thread_per_process", "sync", "thread_pool"} {
		b.Run(s, func(b *testing.B) {
			p := flow.New(catalog.Standard())
			build(p, b.N)
			b.ReportAllocs()
			b.ResetTimer()
			before := cpuTime()
			if err := p.Run(context.Background(), flow.Options{Scheduler: s}); err != nil {
				b.Fatal(err)
			}
			edges := len(p.Graph.Connections)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "data/s")
			b.ReportMetric(float64(cpuTime()-before)/float64(b.N)/float64(edges), "cpu-ns/edge")
		})
	}
}

// cpuTime returns the processor time that this program has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func counting(p *flow.Pipeline, n int) {
	p.AddProcess("src", "numbers", pipe.Set("end", strconv.Itoa(n)))
}

func BenchmarkEdge(b *testing.B) {
	benchRun(b, func(p *flow.Pipeline, n int) {
		counting(p, n)
		p.AddProcess("snk", "sink", nil)
		p.Connect("src.number", "snk.sink")
	})
}

func BenchmarkChain10(b *testing.B) {
	benchRun(b, func(p *flow.Pipeline, n int) {
		counting(p, n)
		last := "src.number"
		for i := range 9 {
			name := fmt.Sprintf("p%d", i)
			p.AddProcess(name, "pass", nil)
			p.Connect(last, name+".pass")
			last = name + ".pass"
		}
		p.AddProcess("snk", "take_number", nil)
		p.Connect(last, "snk.number")
	})
}

func BenchmarkFan8(b *testing.B) {
	benchRun(b, func(p *flow.Pipeline, n int) {
		counting(p, n)
		for i := range 8 {
			name := fmt.Sprintf("s%d", i)
			p.AddProcess(name, "sink", nil)
			p.Connect("src.number", name+".sink")
		}
	})
}

// longChain is a chain of n processes through which numbers go.
func longChain(n, numbers int) *flow.Pipeline {
	p := flow.New(catalog.Standard())
	counting(p, numbers)
	last := "src.number"
	for i := range n - 2 {
		name := fmt.Sprintf("p%d", i)
		p.AddProcess(name, "pass", nil)
		p.Connect(last, name+".pass")
		last = name + ".pass"
	}
	p.AddProcess("snk", "take_number", nil)
	p.Connect(last, "snk.number")
	return p
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			p := longChain(n, 1)
			for b.Loop() {
				if list := p.Check(); len(list) > 0 {
					b.Fatalf("%v; want at most 0", list[0])
				}
			}
		})
	}
}

// BenchmarkStats takes figures of a live run of many processes.
func BenchmarkStats(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r, err := longChain(n, math.MaxInt).Start(b.Context(), flow.Options{})
			if err != nil {
				b.Fatal(err)
			}
			if err := r.Pause(); err != nil { // otherwise the run would use up the processors
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r.Stats()
			}
			r.Abort()
			_ = r.Wait()
		})
	}
}

// BenchmarkStart is a complete run of many processes that do hardly anything.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			p := longChain(n, 1)
			for b.Loop() {
				if err := p.Run(context.Background(), flow.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
