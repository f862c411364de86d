package trace

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

func every(n uint32) RateLayer { return RateLayer{Every: Number{Value: n, Set: true}} }

// oneInTen is the policy of the benchmarks, and of their twin.
func oneInTen(regions int, units ...Constraint) *Config {
	c := &Config{}
	for i := range regions {
		c.Regions = append(c.Regions, RegionEntry{
			Match:       Match{Address: 0x400000 + uint64(i)*16},
			RegionLayer: RegionLayer{Rate: every(10)},
			Units:       units,
		})
	}
	return c
}

func register(tb testing.TB, e *Engine, regions int) []RegionID {
	tb.Helper()
	ids := make([]RegionID, regions)
	for i := range ids {
		id, err := e.Region(Region{Address: 0x400000 + uint64(i)*16})
		if err != nil {
			tb.Fatal(err)
		}
		ids[i] = id
	}
	return ids
}

func benchmarkDecide(b *testing.B, units ...Constraint) {
	e := NewEngine(compile(b, fixture(b), oneInTen(1, units...)))
	region := register(b, e, 1)[0]
	u := e.Unit()
	u.Begin(region)
	b.ReportAllocs()
	for b.Loop() {
		u.Decide(region, 5)
	}
}

func BenchmarkDecide(b *testing.B) { benchmarkDecide(b) }

func BenchmarkDecideConstrained(b *testing.B) {
	benchmarkDecide(b,
		Constraint{Domain: "OpenMP", Kind: "thread", Set: NewSet(Span{0, 7})},
		Constraint{Domain: "MPI", Kind: "rank", Set: NewSet(Span{0, 3}, Span{8, 15}, Span{63, 63})},
		Constraint{Domain: "OpenMP", Kind: "team", Set: NewSet(Span{0, 1})})
}

const orderLen = 1 << 14

func randomOrder(ids []RegionID) *[orderLen]RegionID {
	r := rand.New(rand.NewPCG(1, 2))
	var order [orderLen]RegionID
	for i := range order {
		order[i] = ids[r.IntN(len(ids))]
	}
	return &order
}

func BenchmarkBeginDecideEnd(b *testing.B) {
	for _, regions := range []int{1, 400, 10000} {
		b.Run(strconv.Itoa(regions), func(b *testing.B) {
			e := NewEngine(compile(b, fixture(b), oneInTen(regions)))
			ids := register(b, e, regions)
			order := randomOrder(ids)
			u := e.Unit()
			for _, id := range ids {
				u.Begin(id)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				r := order[i&(orderLen-1)]
				i++
				u.Begin(r)
				u.Decide(r, 5)
				u.End(r)
			}
		})
	}
}

// BenchmarkSwapUnderLoad has many goroutines decide while policies change 1,000
// times a second. The figure to compare with the quiet one is ns/op: time per
// cycle and core.
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
			close(stop)
			swapping.Wait()
		}
	}
	b.Run("quiet/1", run(1, false))
	b.Run("swapped/1", run(1, true))
	b.Run("swapped/16", run(16, true))
}

// BenchmarkTwin times the same work in C.
func BenchmarkTwin(b *testing.B) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		if os.Getenv("PENTODE_REQUIRE") == "1" {
			b.Fatal("gcc is needed and not here")
		}
		b.Skip("gcc is not here")
	}
	twin := filepath.Join(b.TempDir(), "twin")
	if out, err := exec.Command(gcc, "-O2", "-o", twin, "twin/twin.c").CombinedOutput(); err != nil {
		b.Fatalf("gcc: %v\n%s", err, out)
	}
	for _, what := range [][2]string{
		{"decide", "1"}, {"constrained", "1"}, {"cycle", "1"}, {"cycle", "400"}, {"cycle", "10000"},
	} {
		b.Run(what[0]+"/"+what[1], func(b *testing.B) {
			out, err := exec.Command(twin, what[0], strconv.Itoa(b.N), what[1]).Output()
			if err != nil {
				b.Fatal(err)
			}
			ns, err := strconv.ParseFloat(string(bytes.TrimSpace(out)), 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns/float64(b.N), "ns/op")
		})
	}
}
