package forecast_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// alternating is a program with gaps: what an execution takes, how many events it has recorded, and what each of them costs.
type alternating struct {
	threads int
	takes   func(at float64) float64 // nanoseconds, at a time in seconds
	events  func(at float64) float64
	cost    float64
	noise   float64 // of a stretch
}

// play lets so many gaps go by: 10 ms in 250 ms.
func (a alternating) play(g *forecast.Gaps, gaps int) {
	random := rand.New(rand.NewPCG(7, 0))
	for n := range uint32(2 * gaps) {
		at := float64(n/2)*0.25 + 0.24*float64(n&1)
		length, events := 240e6, a.events(at)
		if n&1 == 1 {
			length, events = 10e6, 0
		}
		for thread := range a.threads {
			each := a.takes(at) * (1 + a.noise*random.NormFloat64())
			executions := math.Floor(length / (each + events*a.cost))
			g.Add(fmt.Sprint(thread), forecast.Stretch{
				Number: n + 2, Executions: uint64(executions), Events: uint64(executions * events), Time: time.Duration(executions * (each + events*a.cost)),
			})
		}
	}
}

func always(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// What was planted is found, as near as is said: with noise, while the program becomes slower, and over its change of phase.
func TestGapsFindCosts(t *testing.T) {
	for name, a := range map[string]alternating{
		"quiet":      {1, always(10e3), always(2), 50, 0},
		"noisy":      {4, always(10e3), always(2), 50, 0.03},
		"slower":     {1, func(at float64) float64 { return 10e3 * (1 + at/30) }, func(at float64) float64 { return 2 * (1 + at/30) }, 50, 0.01},
		"two phases": {2, func(at float64) float64 { return 10e3 + 90e3*math.Round(math.Mod(at, 10)/10) }, func(at float64) float64 { return 2 + 18*math.Round(math.Mod(at, 10)/10) }, 50, 0.01},
	} {
		g := forecast.Gaps{Extra: 35}
		a.play(&g, 240)
		m := g.Measured(0)
		if m.Gaps < 238 || math.Abs(m.Share-0.01) > max(m.Within, 1e-4) || m.Within > 0.008 || !m.Known() {
			t.Errorf("%s: %+v, want 1%%", name, m)
		}
		if math.Abs(m.Computed-0.007) > 0.0005 {
			t.Errorf("%s: counts and costs are %s, want 0.7%%", name, forecast.Percent(m.Computed))
		}
	}
}

// Where the noise is larger than what recording takes, that is said; and so it is where there is nothing to compare.
func TestGapsUnknown(t *testing.T) {
	for name, a := range map[string]alternating{
		"nothing recorded": {1, always(10e3), always(0), 50, 0.02},
		"too noisy":        {1, always(10e3), always(1), 20, 0.2},
		"no execution":     {1, always(1e9), always(1), 50, 0},
	} {
		g := forecast.Gaps{Extra: 35}
		a.play(&g, 40)
		if m := g.Measured(0); m.Known() {
			t.Errorf("%s: %+v", name, m)
		}
		if factor, within, sure := g.Factor(); sure {
			t.Errorf("%s: %g ± %g", name, factor, within)
		}
	}
}

// What recording costs is corrected by what was measured, also of a time that is over.
func TestGapsFactor(t *testing.T) {
	for name, test := range map[string]struct{ cost, want float64 }{"dearer": {70, 2}, "cheaper": {17.5, 0.5}, "far dearer": {2000, 8}} {
		g := forecast.Gaps{Extra: 35}
		alternating{2, always(10e3), func(at float64) float64 { return map[bool]float64{true: 20, false: 0.1}[at < 10] }, test.cost, 0.01}.play(&g, 200)
		factor, _, sure := g.Factor()
		if !sure || math.Abs(factor-test.want) > 0.1*test.want {
			t.Errorf("%s: %g, sure: %v, want %g", name, factor, sure, test.want)
		}
	}
	if got := (forecast.Cost{Recorded: 35, Against: 5}).Times(2); got.Recorded != 65 || got.Against != 5 {
		t.Errorf("%+v", got)
	}
}

// A question about what came later does not hear of what was before, and what is kept has an end.
func TestGapsSince(t *testing.T) {
	g := forecast.Gaps{Extra: 35}
	alternating{1, always(10e3), func(at float64) float64 { return map[bool]float64{true: 20, false: 0}[at < 25] }, 50, 0}.play(&g, 200)
	if m := g.Measured(202); m.Known() || m.Gaps < 90 {
		t.Errorf("%+v", m)
	}
	if m := g.Measured(g.Last()); m.Known() || m.Gaps != 0 {
		t.Errorf("behind the last gap: %+v", m)
	}
	long := forecast.Gaps{Extra: 35}
	alternating{1, always(10e3), always(1), 50, 0}.play(&long, 3000)
	if m := long.Measured(0); m.Gaps != 2400 || long.Left < 2_900_000 {
		t.Errorf("%+v, %d left", m, long.Left)
	}
}
