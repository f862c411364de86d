package trace

import (
	"math"
	"slices"
	"testing"
)

func numbers(start, most, every uint32) RateLayer {
	return RateLayer{Number{Value: start, Set: true}, Number{Value: most, Set: true}, Number{Value: every, Set: true}}
}

func minus(n uint32) uint32 { return -n }

func TestRate(t *testing.T) {
	all := func(n uint32) (s []uint32) {
		for i := range n {
			s = append(s, i)
		}
		return s
	}
	for _, c := range []struct {
		name               string
		start, most, every uint32
		want               []uint32 // among the first 40
	}{
		{"system default", 0, Unlimited, 1, all(40)},
		{"one in ten is the tenth", 0, Unlimited, 10, []uint32{9, 19, 29, 39}},
		{"a start before the tenth changes nothing", 5, Unlimited, 10, []uint32{9, 19, 29, 39}},
		{"a start after the tenth is the first", 12, Unlimited, 10, []uint32{12, 22, 32}},
		{"max", 0, 3, 1, []uint32{0, 1, 2}},
		{"all three", 2, 3, 4, []uint32{3, 7, 11}},
		{"max 0", 0, 0, 1, nil},
		{"every 0th", 0, Unlimited, 0, all(40)},
		{"negative rate", 0, Unlimited, minus(5), nil},
		{"negative start", minus(1), Unlimited, 1, nil},
		{"negative max", 0, minus(7), 1, all(40)},
		{"start 19, twice", 19, 2, 10, []uint32{19, 29}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compile(t, fixture(t), &Config{Default: RegionLayer{Rate: numbers(c.start, c.most, c.every)}})
			got := slices.Collect(p.Executions(Region{Address: 0x10}, 5, nil, 40))
			if !slices.Equal(got, c.want) {
				t.Errorf("traced %v, want %v", got, c.want)
			}
		})
	}
}

func TestCountersWrap(t *testing.T) {
	p := compile(t, fixture(t), &Config{})
	e := NewEngine(p)
	r := register(t, e, 1)[0]
	u := e.Unit()
	u.Begin(r)
	u.lines[r].counter, u.lines[r].traced = math.MaxUint32, math.MaxUint32
	u.Begin(r)
	if !u.Decide(r, 5) {
		t.Error("an unlimited region stopped when its counters were full")
	}
	u.End(r)
	if got, want := u.Count(r), (Count{Begun: 0, Traced: 0, Since: 0}); got != want {
		t.Errorf("counted %v, want %v", got, want)
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		want Count
	}{
		{Off, Count{}},
		{Standby, Count{}},
		{Monitoring, Count{Begun: 7, Since: 7}},
		{Tracing, Count{Begun: 7, Traced: 3, Since: 1}},
		{NoMode, Count{Begun: 7, Traced: 3, Since: 1}},
	} {
		t.Run(c.mode.String(), func(t *testing.T) {
			p := compile(t, fixture(t), &Config{
				Domains: map[string]DomainLayer{"OpenMP": {Mode: c.mode}},
				Default: RegionLayer{Rate: every(2)},
			})
			e := NewEngine(p)
			r := register(t, e, 1)[0]
			u := e.Unit()
			for range 7 {
				u.Begin(r)
				if u.Decide(r, 5) && c.mode < Tracing && c.mode != NoMode {
					t.Errorf("an execution is traced in mode %v, want none", c.mode)
				}
				u.End(r)
			}
			if got := u.Count(r); got != c.want {
				t.Errorf("counted %+v, want %+v", got, c.want)
			}
		})
	}
}

// An execution counts once even if several events of it are decided.
func TestSeveralEvents(t *testing.T) {
	e := NewEngine(compile(t, fixture(t), &Config{Default: RegionLayer{Rate: every(2)}}))
	r := register(t, e, 1)[0]
	u := e.Unit()
	for i := range 4 {
		u.Begin(r)
		for _, event := range []EventID{3, 18, 4} {
			if got, want := u.Decide(r, event), i%2 == 1 && event != 18; got != want {
				t.Errorf("execution %d, event %d: %v, want %v", i, event, got, want)
			}
		}
		u.End(r)
	}
	if got, want := u.Count(r), (Count{Begun: 4, Traced: 2}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// A caller may ask once whether an execution is due, and then for each event whether it is allowed.
func TestDueAndAllows(t *testing.T) {
	c := fixture(t)
	e := NewEngine(compile(t, c, &Config{Default: RegionLayer{Rate: numbers(0, 2, 2)}}))
	r := register(t, e, 1)[0]
	u := e.Unit()
	run := func(n int) (due []bool) {
		for range n {
			u.Begin(r)
			due = append(due, u.Due(r))
			u.End(r)
		}
		return due
	}
	if got, want := run(6), []bool{false, true, false, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("due %v, want %v", got, want)
	}
	if got, want := u.Count(r), (Count{Begun: 6, Traced: 2, Since: 2}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	for event, want := range map[EventID]bool{5: true, 18: false, 200: true} {
		if got := u.Allows(r, event); got != want {
			t.Errorf("event %d is allowed: %v, want %v", event, got, want)
		}
	}
	e.SetMode(0, Monitoring)
	if got := run(2); slices.Contains(got, true) || u.Allows(r, 5) {
		t.Errorf("due %v while monitoring, and events are allowed: %v; want none due, and none allowed", got, u.Allows(r, 5))
	}
	if u.Due(7) || u.Allows(7, 5) || u.Count(7) != (Count{}) {
		t.Error("a region that was never registered is traced")
	}
}

// A caller of Executions may stop early or ask about unknown regions.
func TestExecutionsInPart(t *testing.T) {
	p := compile(t, fixture(t), &Config{Default: RegionLayer{Rate: every(2)}, Regions: []RegionEntry{{
		Match: Match{Address: 0x10}, Units: units("OpenMP", "thread", Span{2, 3}),
	}}})
	for n := range p.Executions(Region{Address: 0x20}, 5, nil, 100) {
		if n != 1 {
			t.Errorf("the first is %d, want 1", n)
		}
		break
	}
	for ids, want := range map[[2]uint32]int{{0, 0}: 0, {0, 2}: 5, {2, 0}: 0, {2, 3}: 5} {
		if got := slices.Collect(p.Executions(Region{Address: 0x10}, 5, ids[:], 10)); len(got) != want {
			t.Errorf("ids %v: %v, want %v", ids, got, want)
		}
	}
	if got := slices.Collect(p.Executions(Region{Domain: 9}, 5, nil, 10)); got != nil {
		t.Errorf("domain 9 is traced: %v, want none", got)
	}
}

func TestUnknownRegion(t *testing.T) {
	e := NewEngine(compile(t, fixture(t), &Config{}))
	u := e.Unit()
	u.Begin(7)
	if u.Decide(7, 5) {
		t.Error("a region that was never registered is traced")
	}
	u.End(7)
	if _, err := e.Region(Region{Domain: 9}); err == nil {
		t.Error("a region of a domain that does not exist was registered")
	}
}

func TestParseMode(t *testing.T) {
	for name, want := range map[string]Mode{"OFF": Off, "standby": Standby, "Monitoring": Monitoring, "monitor": Monitoring, "TRACING": Tracing} {
		if got, known := ParseMode(name); got != want || !known {
			t.Errorf("%s is %v, known: %v, want %v, known", name, got, known, want)
		}
	}
	for _, name := range []string{"", "NONE", "TRACE"} {
		if got, known := ParseMode(name); got != Tracing || known {
			t.Errorf("%q is %v, known: %v, want %v, not known", name, got, known, Tracing)
		}
	}
}
