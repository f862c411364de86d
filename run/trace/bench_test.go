package trace

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func every(n uint32) RateLayer { return RateLayer{Every: Number{Value: n, Set: true}} }

// oneInTen is the policy of the benchmarks and of the C program they are compared with.
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

// BenchmarkCompile compiles a configuration with 10,000 regions.
func BenchmarkCompile(b *testing.B) {
	c, cfg := fixture(b), oneInTen(10000, Constraint{Domain: "MPI", Kind: "rank", Set: NewSet(Span{0, 3})})
	for b.Loop() {
		if _, err := Compile(c, cfg); err != nil {
			b.Fatal(err)
		}
	}
}
