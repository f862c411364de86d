package trace

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSwapKeepsCounters(t *testing.T) {
	c := fixture(t)
	e := NewEngine(compile(t, c, &Config{Default: RegionLayer{Rate: every(10)}}))
	r := register(t, e, 1)[0]
	u := e.Unit()
	run := func(n int) (traced []uint32) {
		for range n {
			u.Begin(r)
			if u.Decide(r, 5) {
				traced = append(traced, u.Count(r).Begun-1)
			}
			u.End(r)
		}
		return traced
	}
	traced := run(15) // 9; six since then
	if err := e.Swap(compile(t, c, &Config{Default: RegionLayer{Rate: every(7)}})); err != nil {
		t.Fatal(err)
	}
	traced = append(traced, run(10)...)
	e.SetMode(0, Standby)
	traced = append(traced, run(100)...)
	e.SetMode(0, Tracing)
	traced = append(traced, run(6)...)
	if want := []uint32{9, 16, 23, 30}; !slices.Equal(traced, want) {
		t.Errorf("traced %v, want %v", traced, want)
	}
	if got, want := u.Count(r), (Count{Begun: 31, Traced: 4}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

func TestSwapRefusesAnotherCatalogue(t *testing.T) {
	other, err := NewCatalog(Domain{Name: "Mine", Events: []Event{{Name: "tick", On: true}}})
	if err != nil {
		t.Fatal(err)
	}
	e := NewEngine(compile(t, fixture(t), &Config{}))
	if err := e.Swap(compile(t, other, &Config{})); err == nil {
		t.Error("a policy of another catalogue was taken")
	}
	if err := e.Swap(compile(t, fixture(t), &Config{})); err != nil {
		t.Errorf("an equal catalogue was refused: %v", err)
	}
}

func TestIDs(t *testing.T) {
	c := fixture(t)
	thread, _ := c.Kind(0, "thread")
	team, _ := c.Kind(0, "team")
	e := NewEngine(compile(t, c, oneInTen(1, units("OpenMP", "thread", Span{2, 3})...)))
	if err := e.Swap(compile(t, c, &Config{Regions: []RegionEntry{{
		Match: Match{Address: 0x400000}, Units: units("OpenMP", "thread", Span{2, 3}),
	}}})); err != nil {
		t.Fatal(err)
	}
	r := register(t, e, 1)[0]
	u := e.Unit()
	for _, step := range []struct {
		kind KindID
		id   uint32
		want bool
	}{{thread, 0, false}, {thread, 2, true}, {team, 9, true}, {thread, 4, false}, {thread, 3, true}} {
		u.SetID(step.kind, step.id)
		u.Begin(r)
		if got := u.Decide(r, 5); got != step.want {
			t.Errorf("ids %v: %v, want %v", u.IDs(), got, step.want)
		}
		u.End(r)
	}
	// When the stamp wraps around, an old line must not look new.
	u.stamp = ^uint32(0)
	u.Begin(r)
	u.SetID(thread, 9)
	if u.Decide(r, 5) {
		t.Error("the ids changed and the decision did not")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	c := fixture(t)
	thread, _ := c.Kind(0, "thread")
	e := NewEngine(compile(t, c, oneInTen(4, units("OpenMP", "thread", Span{0, 3})...)))
	ids := register(t, e, 4)
	u := e.Unit()
	i := uint32(0)
	allocs := testing.AllocsPerRun(100, func() {
		u.SetID(thread, i%8) // every line is renewed
		i++
		for _, r := range ids {
			u.Begin(r)
			u.Decide(r, 5)
			u.End(r)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

func TestRegionsComeLater(t *testing.T) {
	e := NewEngine(compile(t, fixture(t), &Config{}))
	u := e.Unit()
	for i, r := range register(t, e, 100) {
		u.Begin(r)
		if int(r) != i || !u.Decide(r, 5) {
			t.Fatalf("region %d is not traced", r)
		}
		u.End(r)
	}
	if again := register(t, e, 100); again[99] != 99 {
		t.Errorf("the same region got a second number %d, want 99", again[99])
	}
}

func TestWindowEnd(t *testing.T) {
	c := fixture(t)
	limited := func(most uint32, all bool, modes map[string]Mode) Entry {
		return Entry{Rate: Rate{0, most, 1}, End: &WindowEnd{Modes: modes, All: all}}
	}
	run := func(u *Unit, r RegionID, n int) string {
		var b strings.Builder
		for range n {
			u.Begin(r)
			b.WriteByte("01"[bit(u.Decide(r, 5))])
			u.End(r)
		}
		return b.String()
	}
	for _, test := range []struct {
		name  string
		entry Entry
		want  []string // 2 of a, 6 of b, 6 of a
		mode  Mode
	}{
		{"first", limited(3, false, map[string]Mode{"OpenMP": Monitoring}), []string{"11", "111000", "000000"}, Monitoring},
		{"all", limited(3, true, map[string]Mode{"OpenMP": Monitoring}), []string{"11", "111000", "100000"}, Monitoring},
		{"max 0 never ends", limited(0, false, map[string]Mode{"OpenMP": Off}), []string{"00", "000000", "000000"}, Tracing},
		{"unlimited never ends", limited(Unlimited, false, map[string]Mode{"OpenMP": Off}), []string{"11", "111111", "111111"}, Tracing},
		{"another domain", limited(3, false, map[string]Mode{"MPI": Off}), []string{"11", "111000", "100000"}, Tracing},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := NewEngine(compile(t, c, &Installed{Default: test.entry}))
			ids := register(t, e, 3) // the first never runs, so no end waits for it
			u := e.Unit()
			got := []string{run(u, ids[1], 2), run(u, ids[2], 6), run(u, ids[1], 6)}
			if !slices.Equal(got, test.want) || e.Mode(0) != test.mode {
				t.Errorf("traced %v and then %v, want %v and %v", got, e.Mode(0), test.want, test.mode)
			}
		})
	}
	t.Run("once", func(t *testing.T) {
		e := NewEngine(compile(t, c, &Installed{Default: limited(1, false, map[string]Mode{"OpenMP": Monitoring})}))
		ids := register(t, e, 2)
		u := e.Unit()
		run(u, ids[0], 1)
		e.SetMode(0, Tracing)
		if got := run(u, ids[1], 2); got != "10" || e.Mode(0) != Tracing {
			t.Errorf("the second end of the same window did %v, %v; want got = %q and e.Mode(0) = %v", got, e.Mode(0), "10", Tracing)
		}
	})
	t.Run("an end that changes nothing leaves the next one free", func(t *testing.T) {
		per := func(m Mode) Entry { return limited(1, false, map[string]Mode{"OpenMP": m}) }
		e := NewEngine(compile(t, c, &Installed{Default: per(Monitoring), Regions: []InstalledRegion{{Match: Match{Address: 1}, Entry: per(Tracing)}}}))
		u := e.Unit()
		for i, want := range []Mode{Tracing, Monitoring} {
			r, err := e.Region(Region{Address: uint64(i + 1)})
			if err != nil {
				t.Fatal(err)
			}
			if run(u, r, 2); e.Mode(0) != want {
				t.Errorf("after the end of region %d the mode is %v, want %v", i+1, e.Mode(0), want)
			}
		}
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSwapWhileDeciding changes policies while sixteen goroutines decide. Policy k starts
// at k and allows the events of the binary digits of k, so a line that mixes two policies
// is noticed. Every execution must be counted.
func TestSwapWhileDeciding(t *testing.T) {
	const (
		goroutines = 16
		regions    = 8
		versions   = 32
		cycles     = 10000
	)
	domain := Domain{Name: "D", Kinds: []Kind{{"unit", 0, goroutines}}}
	for i := range 5 {
		domain.Events = append(domain.Events, Event{ID: EventID(i), Name: string(rune('a' + i))})
	}
	c, err := NewCatalog(domain)
	if err != nil {
		t.Fatal(err)
	}
	policies := make([]*Policy, versions)
	for k := range policies {
		events := Events{}
		for i := range 5 {
			events[string(rune('a'+i))] = Toggle{On: k>>i&1 != 0}
		}
		cfg := oneInTen(regions, units("D", "unit", Span{0, goroutines})...)
		for i := range cfg.Regions {
			cfg.Regions[i].RegionLayer = RegionLayer{
				Events: map[string]Events{"D": events},
				Rate:   numbers(uint32(k), Unlimited, 1),
			}
		}
		policies[k] = compile(t, c, cfg)
	}
	e := NewEngine(policies[0])
	ids := register(t, e, regions)

	stop := make(chan struct{})
	var swapping, deciding sync.WaitGroup
	swapping.Go(func() {
		tick := time.NewTicker(100 * time.Microsecond)
		defer tick.Stop()
		for k := 0; ; k = (k + 1) % versions {
			select {
			case <-stop:
				return
			case <-tick.C:
				if err := e.Swap(policies[k]); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for g := range goroutines {
		deciding.Go(func() {
			u := e.Unit()
			u.SetID(0, uint32(g))
			var traced [regions]uint32
			for i := range regions * cycles {
				r := ids[i%regions]
				u.Begin(r)
				u.Decide(r, EventID(i%5))
				l := u.lines[r]
				if l.allowed[0] != uint64(l.rate.Start) {
					t.Errorf("events %b of one policy with the start %d of another, want %v", l.allowed[0], l.rate.Start, uint64(l.rate.Start))
					return
				}
				traced[i%regions] += uint32(bit(l.chosen))
				u.End(r)
			}
			for i, r := range ids {
				if got := u.Count(r); got.Begun != cycles || got.Traced != traced[i] {
					t.Errorf("region %d: counted %+v, want %d and %d", r, got, cycles, traced[i])
				}
			}
		})
	}
	deciding.Wait()
	close(stop)
	swapping.Wait()
}
