package forecast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// governed is a program under a governor, whose threads have a number of events of each section per second.
type governed struct {
	forecast.Governor
	configured, now map[string]uint64
	log             []string
}

func govern(share float64, configured map[string]uint64) *governed {
	g := &governed{Governor: forecast.Governor{Share: share, Cost: forecast.Typical()}, configured: configured, now: map[string]uint64{}}
	for section, rate := range configured {
		g.now[section] = rate
	}
	return g
}

// play simulates a number of windows, and returns the number of changes.
func (g *governed) play(windows int, threads ...map[string]float64) (made int) {
	for range windows {
		w := forecast.Window{Length: time.Second, Rates: map[string]forecast.Rates{}}
		for i, happened := range threads {
			t := forecast.Spent{Thread: fmt.Sprint("thread ", i), Recorded: map[string]float64{}}
			for section, n := range happened {
				if section != "" {
					n = float64(uint64(n) / g.now[section])
				}
				t.Recorded[section] = n
			}
			w.Threads = append(w.Threads, t)
		}
		for section, rate := range g.configured {
			w.Rates[section] = forecast.Rates{Configured: rate, Now: g.now[section]}
		}
		list := g.Next(w)
		g.Made(list)
		for _, a := range list {
			g.log = append(g.log, fmt.Sprintf("%s %d -> %d: %s", a.Section, a.From, a.To, a.Why))
			g.now[a.Section] = a.To
		}
		made += len(list)
	}
	return made
}

// took returns the share of a thread's time that tracing takes.
func (g *governed) took(happened map[string]float64) float64 {
	cost := 0.0
	for section, n := range happened {
		recorded := n / float64(g.now[section])
		cost += recorded*g.Cost.Recorded + (n-recorded)*g.Cost.Against
	}
	return cost / (1e9 - cost)
}

// The rate of the costliest region is raised once, and then nothing changes.
func TestGovernRaises(t *testing.T) {
	busy := map[string]float64{"busy": 1e6, "rare": 1e3}
	g := govern(0.01, map[string]uint64{"busy": 1, "rare": 1})
	g.play(1, busy, map[string]float64{"rare": 10})
	want := []string{"busy 1 -> 8: tracing took about 3.6 % of thread 0, more than 1 %"}
	if !slices.Equal(g.log, want) {
		t.Errorf("%q, want %q", g.log, want)
	}
	if took := g.took(busy); took > 0.01 || took < 0.004 {
		t.Errorf("tracing takes %s; want took at most 0.01 and took at least 0.004", quantity.Share(took))
	}
	if made := g.play(200, busy); made > 0 {
		t.Errorf("in a run that does not change, rates swing: %q", g.log)
	}
	if got := g.Kept(); got != (forecast.Kept{Windows: 200, Over: 1}) {
		t.Errorf("%+v, want %v", got, (forecast.Kept{Windows: 200, Over: 1}))
	}
	if got := g.Settings(); !slices.Equal(got, []forecast.Setting{{Key: "busy.tracing_rate", Value: "8"}}) {
		t.Errorf("%v, want %v", got, []forecast.Setting{{Key: "busy.tracing_rate", Value: "8"}})
	}
}

// Every thread keeps the share, not only the one with the largest load.
func TestGovernThreads(t *testing.T) {
	one, other := map[string]float64{"one": 2e6}, map[string]float64{"other": 1e6}
	g := govern(0.01, map[string]uint64{"one": 1, "other": 1})
	if g.play(1, one, other); g.took(one) > 0.01 || g.took(other) > 0.01 {
		t.Errorf("%s and %s: %q, want g.took(one) at most 0.01 and g.took(other) at most 0.01", quantity.Share(g.took(one)), quantity.Share(g.took(other)), g.log)
	}
}

// After a change of phase a rate returns to the configured one, and not below it.
func TestGovernPhase(t *testing.T) {
	busy, calm := map[string]float64{"work": 1e7, "step": 100}, map[string]float64{"work": 0, "step": 100}
	g := govern(0.05, map[string]uint64{"work": 5, "step": 1})
	g.play(20, busy)
	high := g.now["work"]
	if high <= 5 || high%5 != 0 || g.took(busy) > 0.05 {
		t.Fatalf("a rate of %d takes %s: %q, want high more than 5, high %% 5 = 0 and g.took(busy) at most 0.05", high, quantity.Share(g.took(busy)), g.log)
	}
	if made := g.play(2, calm); made > 0 {
		t.Errorf("two windows are no phase: %q", g.log)
	}
	g.play(18, calm)
	if g.now["work"] != 5 || g.now["step"] != 1 {
		t.Errorf("there is room, and the rates are %v: %q; want g.now[\"work\"] = 5 and g.now[\"step\"] = 1", g.now, g.log)
	}
	if last := g.log[len(g.log)-1]; !strings.Contains(last, "there has been room within 5 %") {
		t.Errorf("the reason is %q, want %q in it", last, "there has been room within 5 %")
	}
	g.play(20, busy)
	if g.now["work"] != high || g.took(busy) > 0.05 {
		t.Errorf("the first phase again has a rate of %d: %q", g.now["work"], g.log)
	}
	if got := g.Settings(); !slices.Equal(got, []forecast.Setting{{Key: "work.tracing_rate", Value: fmt.Sprint(high)}}) {
		t.Errorf("%v, want %v", got, []forecast.Setting{{Key: "work.tracing_rate", Value: fmt.Sprint(high)}})
	}
}

// Even if events that are decided against take most of the share, recorded events get room.
func TestGovernRoomBeside(t *testing.T) {
	usual := map[string]float64{"work": 2e6}
	g := govern(0.01, map[string]uint64{"work": 1})
	g.play(20, usual)
	want := g.now["work"]
	g.play(1, map[string]float64{"work": 3e6})
	if g.now["work"] <= want {
		t.Fatalf("a rate of %d is enough: %q, want more than %v", g.now["work"], g.log, want)
	}
	if g.play(100, usual); g.now["work"] != want || g.took(usual) > 0.01 {
		t.Errorf("the rate is %d, was %d: %q", g.now["work"], want, g.log)
	}
}

// Each time lowering rates proves wrong, the governor waits longer before it tries again.
func TestGovernDoesNotSwing(t *testing.T) {
	g := govern(0.01, map[string]uint64{"work": 1})
	for range 100 {
		g.play(5, map[string]float64{"work": 1e6})
		g.play(5, map[string]float64{"work": 0})
	}
	if len(g.log) > 20 {
		t.Errorf("%d changes in 100 phases: %q, want at most 20", len(g.log), g.log)
	}
}

// The governor distinguishes two kinds of costs that no rate can reduce: events decided against,
// and events without a rate.
func TestGovernImpossible(t *testing.T) {
	for _, test := range []struct {
		name             string
		happened         map[string]float64
		against, without bool
	}{
		{"decided against", map[string]float64{"work": 2e7}, true, false},
		{"without a rate", map[string]float64{"work": 1e3, "": 1e6}, false, true},
	} {
		g := govern(0.01, map[string]uint64{"work": 1})
		g.play(10, test.happened)
		if made := g.play(100, test.happened); made > 0 {
			t.Errorf("%s: rates go on changing: %q, want at most 0", test.name, g.log)
		}
		if g.now["work"] > 1024 {
			t.Errorf("%s: a rate of %d saves no more than less would", test.name, g.now["work"])
		}
		kept := g.Kept()
		if kept.Stuck < 100 || kept.Over < kept.Stuck || kept.Worst.Share <= 0.01 || (kept.Worst.Against > 0.01) != test.against || (kept.Worst.Fixed > 0.01) != test.without {
			t.Errorf("%s: %+v, want Stuck at least 100, Over at least as many, and in the worst a share above 0.01, Against above 0.01: %v, Fixed above 0.01: %v", test.name, kept, test.against, test.without)
		}
	}
}

// The window after a change contains events from before it, and is ignored.
func TestGovernSettles(t *testing.T) {
	g := govern(0.01, map[string]uint64{"work": 1})
	g.play(1, map[string]float64{"work": 1e6})
	if made := g.play(1, map[string]float64{"work": 1e9}); made > 0 || g.Kept().Windows != 1 {
		t.Errorf("%+v: %q, want made at most 0 and g.Kept().Windows = 1", g.Kept(), g.log)
	}
	if made := g.play(1, map[string]float64{"work": 1e9}); made != 1 {
		t.Errorf("%q, want 1", g.log)
	}
}

// Lost events cost as much as others, and are assumed to be distributed like them.
func TestGovernLost(t *testing.T) {
	next := func(lost uint64) []forecast.Adjustment {
		g := forecast.Governor{Share: 0.01, Cost: forecast.Typical()}
		return g.Next(forecast.Window{Length: time.Second, Rates: map[string]forecast.Rates{"work": {Configured: 1, Now: 1}},
			Threads: []forecast.Spent{{Thread: "thread 0", Recorded: map[string]float64{"work": 1e5}, Lost: lost}}})
	}
	if list := next(0); len(list) > 0 {
		t.Errorf("%v, want at most 0", list)
	}
	if list := next(9e5); len(list) != 1 || list[0].To != 8 {
		t.Errorf("%v, want len(list) = 1 and list[0].To = 8", list)
	}
}

// The time that Python's interpreter needs to call the tracer is the same at every rate.
func TestGovernCalls(t *testing.T) {
	g := forecast.Governor{Share: 0.01, Cost: forecast.Typical()}
	w := forecast.Window{Length: time.Second, Rates: map[string]forecast.Rates{"work": {Configured: 1, Now: 1, Call: forecast.CallOf("Python")}},
		Threads: []forecast.Spent{{Thread: "thread 0", Recorded: map[string]float64{"work": 1e6}}}}
	list := g.Next(w)
	if len(list) != 1 || list[0].To > 32 {
		t.Fatalf("%v, want len(list) = 1 and list[0].To at most 32", list)
	}
	w.Rates["work"] = forecast.Rates{Configured: 1, Now: list[0].To, Call: forecast.CallOf("Python")}
	w.Threads[0].Recorded["work"] /= float64(list[0].To)
	if list = g.Next(w); len(list) > 0 || g.Kept().Worst.Against < 0.05 || forecast.CallOf("OpenMP") != 0 {
		t.Errorf("%v, %+v; want len(list) at most 0, g.Kept().Worst.Against at least 0.05 and forecast.CallOf(\"OpenMP\") = 0", list, g.Kept())
	}
}

// The time that a thread waits while other programs have the processors does not count as its time.
func TestGovernQueued(t *testing.T) {
	next := func(queued time.Duration) []forecast.Adjustment {
		g := forecast.Governor{Share: 0.01, Cost: forecast.Typical()}
		return g.Next(forecast.Window{Length: time.Second, Rates: map[string]forecast.Rates{"work": {Configured: 1, Now: 1}},
			Threads: []forecast.Spent{{Thread: "thread 0", Recorded: map[string]float64{"work": 1e5}, Queued: queued}}})
	}
	if list := next(0); len(list) > 0 {
		t.Errorf("%v, want at most 0", list)
	}
	if a, b := next(time.Second), next(900*time.Millisecond); !slices.Equal(a, b) {
		t.Errorf("%v and %v, want %v", a, b, b)
	}
	if list := next(900 * time.Millisecond); len(list) != 1 || list[0].To != 8 || !strings.Contains(list[0].Why, "about 3.6 %") {
		t.Errorf("%v, want len(list) = 1, list[0].To = 8 and %q in list[0].Why", list, "about 3.6 %")
	}
}

// Section returns the section that the configuration has for a region. For a region of a library,
// the section is valid in every run.
func TestSection(t *testing.T) {
	p := compile(t, &trace.Config{Regions: []trace.RegionEntry{{Match: trace.Match{Name: "relax"}}}})
	d, _ := p.Catalog().Domain("OpenMP")
	for _, test := range []struct {
		address uint64
		where   *recorded.Region
		want    string
	}{
		{0, nil, ""},
		{0x4011d6, nil, "Lexgion(0x4011d6)"},
		{0x4011d6, &recorded.Region{Function: "relax"}, "Lexgion(relax)"},
		{1<<48 + 0x1159, &recorded.Region{Function: "sum", Region: "libsum.so+0x1159"}, "Lexgion(libsum.so+0x1159)"},
	} {
		if got := forecast.Section(p, forecast.Placed(p, d, test.address, test.where), test.where); got != test.want {
			t.Errorf("%#x is %q, want %q", test.address, got, test.want)
		}
	}
	// Python functions get the file of an existing entry, or else their own.
	p = compile(t, &trace.Config{Regions: []trace.RegionEntry{{Match: trace.Match{Name: "step", Domain: "Python"}}, {Match: trace.Match{Name: "run", File: "sol", Domain: "Python"}}}})
	d, _ = p.Catalog().Domain("Python")
	for name, want := range map[string]string{"step": "Lexgion(Python:step)", "run": "Lexgion(Python:sol:run)", "Model.load": "Lexgion(Python:solver.py:Model.load)"} {
		if got := forecast.Section(p, forecast.Function(p, d, name, "/home/x/solver.py"), nil); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	// A kernel has several names. Only if an entry uses one of them is it certain that this name
	// belongs to the kernel.
	for entry, want := range map[string]bool{"app::scale<float>": false, "scale": true, "scale<float>": true, "_Z5scalef": true, "other": false} {
		p = compile(t, &trace.Config{Regions: []trace.RegionEntry{{Match: trace.Match{Name: entry}}}})
		if got := forecast.OtherName(p, "app::scale<float>"); got != want {
			t.Errorf("%s may be another name: %v, want %v", entry, got, want)
		}
	}
}
