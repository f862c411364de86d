package forecast_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// alternating is a simulated program with gaps: how long an execution takes, how many events it
// records, and what each event costs.
type alternating struct {
	threads int
	takes   func(at float64) float64 // nanoseconds, at a time in seconds
	events  func(at float64) float64
	cost    float64
	noise   func(*rand.Rand) func() float64 // the relative additional time of a thread in 10 ms
}

// play simulates turns of 250 ms, with four stretches of 10 ms. One of them, chosen at random, is the gap.
func (a alternating) play(g *forecast.Gaps, turns int) { a.playWith(g, turns, 7) }

func (a alternating) playWith(g *forecast.Gaps, turns int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	noise := a.noise(random)
	for n := range uint32(turns) {
		gap := 1 + random.Uint32N(4)
		for place := uint32(1); place <= 5; place++ {
			at := float64(n)*0.25 + 0.01*float64(place)
			short, events := 1, a.events(at)
			switch place {
			case gap:
				events = 0
			case 5: // the time between turns
				short, at = 8, at+0.1
			}
			for thread := range a.threads {
				slower := 1.0
				for range short {
					slower += noise() / float64(short)
				}
				each := (a.takes(at) + events*a.cost) * slower
				executions := math.Floor(float64(short) * 10e6 / each)
				g.Add(fmt.Sprint(thread), forecast.Stretch{
					Turn: n + 1, Place: place % 5, Gap: place == gap,
					Executions: uint64(executions), Events: uint64(executions * events), Time: time.Duration(executions * each),
				})
			}
		}
	}
}

// normal returns normal noise with the given deviation.
func normal(deviation float64) func(*rand.Rand) func() float64 {
	return func(random *rand.Rand) func() float64 {
		return func() float64 { return deviation * random.NormFloat64() }
	}
}

// seldom returns noise of rare, large disturbances.
func seldom(random *rand.Rand) func() float64 {
	return func() float64 {
		if random.IntN(4) > 0 {
			return 0.01 * random.Float64()
		}
		return 2 * random.ExpFloat64()
	}
}

// lasting returns noise that lasts for many turns, and changes within them.
func lasting(random *rand.Rand) func() float64 {
	level := 0.0
	return func() float64 {
		level = 0.995*level + 0.01*random.NormFloat64()
		return math.Expm1(level)
	}
}

func always(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// The measurement finds the simulated cost within the reported uncertainty: with noise, while the
// program becomes slower, and across a change of phase.
func TestGapsFindCosts(t *testing.T) {
	for name, a := range map[string]alternating{
		"quiet":      {1, always(10e3), always(2), 50, normal(0)},
		"noisy":      {4, always(10e3), always(2), 50, normal(0.03)},
		"slower":     {1, func(at float64) float64 { return 10e3 * (1 + at/30) }, func(at float64) float64 { return 2 * (1 + at/30) }, 50, normal(0.01)},
		"two phases": {2, func(at float64) float64 { return 10e3 + 90e3*math.Round(math.Mod(at, 10)/10) }, func(at float64) float64 { return 2 + 18*math.Round(math.Mod(at, 10)/10) }, 50, normal(0.01)},
	} {
		g := forecast.Gaps{Extra: 35}
		a.play(&g, 240)
		m := g.Measured(0)
		if m.Gaps < 238 || math.Abs(m.Share-0.01) > max(m.Within, 1e-4) || m.Within > 0.008 || !m.Known() {
			t.Errorf("%s: %+v, want 1%%", name, m)
		}
		if math.Abs(m.Computed-0.007) > 0.0005 {
			t.Errorf("%s: counts and costs are %s, want 0.7%%", name, quantity.Share(m.Computed))
		}
	}
}

// If recording costs nothing, few runs report a cost, whatever the noise; and
// if a cost is reported, the true cost is within the uncertainty in most runs.
func TestGapsAreHonest(t *testing.T) {
	for name, noise := range map[string]func(*rand.Rand) func() float64{"normal": normal(0.03), "seldom": seldom, "lasting": lasting} {
		for cost, runs := range map[float64]int{0: 200, 200: 40} {
			found, missed := 0, 0
			for seed := range runs {
				g := forecast.Gaps{Extra: 35}
				alternating{1, always(10e3), always(2), cost, noise}.playWith(&g, 60, uint64(seed))
				m := g.Measured(0)
				if m.Known() {
					found++
				}
				if math.Abs(m.Share-cost*2/10e3) > m.Within {
					missed++
				}
			}
			if missed > runs/20 { // the reported confidence
				t.Errorf("%s noise: in %d of %d runs %.2g%% is farther away than is said", name, missed, runs, cost*2/100)
			}
			if cost == 0 && found > runs/20 {
				t.Errorf("%s noise: in %d of %d runs recording takes something, want at most %v", name, found, runs, runs/20)
			}
			if cost > 0 && found < runs*4/5 {
				t.Errorf("%s noise: 4%% is found in %d of %d runs, want at least %v", name, found, runs, runs*4/5)
			}
		}
	}
}

// If the noise is larger than the cost of recording, or there is nothing to compare, the result says so.
func TestGapsUnknown(t *testing.T) {
	for name, a := range map[string]alternating{
		"nothing recorded": {1, always(10e3), always(0), 50, normal(0.02)},
		"too noisy":        {1, always(10e3), always(1), 20, normal(0.2)},
		"no execution":     {1, always(1e9), always(1), 50, normal(0)},
	} {
		g := forecast.Gaps{Extra: 35}
		a.play(&g, 40)
		if m := g.Measured(0); m.Known() {
			t.Errorf("%s: %+v, want nothing known", name, m)
		}
		if factor, within, sure := g.Factor(); sure {
			t.Errorf("%s: %g ± %g, want it not sure", name, factor, within)
		}
	}
}

// The cost of recording is corrected by measurements, also by earlier ones.
func TestGapsFactor(t *testing.T) {
	for name, test := range map[string]struct{ cost, want float64 }{"dearer": {70, 2}, "cheaper": {17.5, 0.5}, "far dearer": {1050, 30}, "beyond belief": {7000, 64}} {
		g := forecast.Gaps{Extra: 35}
		alternating{2, always(10e3), func(at float64) float64 { return map[bool]float64{true: 20, false: 0.1}[at < 10] }, test.cost, normal(0.01)}.play(&g, 200)
		factor, _, sure := g.Factor()
		if !sure || math.Abs(factor-test.want) > 0.1*test.want {
			t.Errorf("%s: %g, sure: %v, want %g", name, factor, sure, test.want)
		}
	}
	if got := (forecast.Cost{Recorded: 35, Against: 5}).Times(2); got.Recorded != 65 || got.Against != 5 {
		t.Errorf("%+v, want got.Recorded = 65 and got.Against = 5", got)
	}
}

// Measured leaves out turns before the given one, and only a limited number of turns is kept.
func TestGapsSince(t *testing.T) {
	g := forecast.Gaps{Extra: 35}
	alternating{1, always(10e3), func(at float64) float64 { return map[bool]float64{true: 20, false: 0}[at < 25] }, 50, normal(0)}.play(&g, 200)
	if m := g.Measured(101); m.Known() || m.Gaps < 90 {
		t.Errorf("%+v, want nothing known, of at least 90 gaps", m)
	}
	if m := g.Measured(g.Last()); m.Known() || m.Gaps != 0 {
		t.Errorf("behind the last gap: %+v, want nothing known, of no gap", m)
	}
	long := forecast.Gaps{Extra: 35}
	alternating{1, always(10e3), always(1), 50, normal(0)}.play(&long, 3000)
	if m := long.Measured(0); m.Gaps != 2400 || long.Left < 2_900_000 {
		t.Errorf("%+v, %d left", m, long.Left)
	}
}
