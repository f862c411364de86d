package trace

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func firstConfig() *Config {
	return &Config{
		Domains: map[string]DomainLayer{"OpenMP": {
			Events: Events{"task": off("a.txt:2:1"), "work": off("a.txt:3:1")},
			Limits: units("OpenMP", "thread", Span{0, 9}),
		}},
		Units: []UnitLayer{{
			Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}),
			Events: Events{"begin": off("a.txt:5:1")}, Place: at("a.txt:4:1"),
		}, {
			Domain: "OpenMP", Target: units("OpenMP", "thread", Span{7, 7}), Removed: true,
		}},
		Regions: []RegionEntry{
			{Match: Match{Address: 0x10}, RegionLayer: RegionLayer{Rate: every(10), Place: at("a.txt:6:1")}, Units: units("MPI", "rank", Span{0, 3})},
			{Match: Match{Address: 0x20}, Removed: true},
		},
	}
}

func TestReload(t *testing.T) {
	for _, test := range []struct {
		name string
		how  How
		next *Config
		want []string
	}{
		{"merge nothing", Merge, &Config{}, nil},
		{
			"merge an event", Merge,
			&Config{Domains: map[string]DomainLayer{"OpenMP": {Events: Events{"work": on("b.txt:2:1")}}}},
			[]string{"`OpenMP.default` work: off → on (b.txt:2:1)"},
		},
		{
			"merge a reset", Merge,
			&Config{Domains: map[string]DomainLayer{"OpenMP": {Reset: true, Mode: Monitoring, ModePlace: at("b.txt:3:1")}}},
			[]string{
				"`OpenMP.default` trace_mode: now MONITORING (b.txt:3:1)",
				"`OpenMP.default` task: no longer off (a.txt:2:1)",
				"`OpenMP.default` work: no longer off (a.txt:3:1)",
				"`OpenMP.default` OpenMP.thread: no longer (0-9)",
			},
		},
		{
			"merge a removed section", Merge,
			&Config{Units: []UnitLayer{{Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}), Removed: true}}},
			[]string{
				"`OpenMP.thread(0-3)`: no longer set (a.txt:4:1)",
				"`OpenMP.thread(0-3)` begin: no longer off (a.txt:5:1)",
			},
		},
		{
			"merge a removed section with another set", Merge,
			&Config{Units: []UnitLayer{{Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 2}), Removed: true}}},
			nil,
		},
		{
			"merge into a section that was removed before", Merge,
			&Config{Units: []UnitLayer{{
				Domain: "OpenMP", Target: units("OpenMP", "thread", Span{7, 7}), Events: Events{"end": off("b.txt:3:1")}, Place: at("b.txt:2:1"),
			}}},
			[]string{
				"`OpenMP.thread(7)`: now set (b.txt:2:1)",
				"`OpenMP.thread(7)` end: now off (b.txt:3:1)",
				"`OpenMP` order of sections for units: now OpenMP.thread(0-3) OpenMP.thread(7)",
			},
		},
		{
			"merge a region made anew", Merge,
			&Config{Regions: []RegionEntry{{Match: Match{Address: 0x10}, RegionLayer: RegionLayer{Reset: true, Place: at("b.txt:6:1")}}}},
			[]string{"`Lexgion(0x10)` MPI.rank: no longer (0-3)", "`Lexgion(0x10)` tracing_rate: no longer 10"},
		},
		{
			"merge a wildcard", Merge,
			&Config{Units: []UnitLayer{{
				Domain: "OpenMP", Target: Constraints{{Domain: "OpenMP", Kind: "thread", Set: AllUnits()}}, Removed: true,
			}}},
			[]string{
				"`OpenMP.thread(0-3)`: no longer set (a.txt:4:1)",
				"`OpenMP.thread(0-3)` begin: no longer off (a.txt:5:1)",
			},
		},
		{
			"merge into a section", Merge,
			&Config{Units: []UnitLayer{{
				Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}),
				Also: units("MPI", "rank", Span{1, 1}), Events: Events{"end": off("")},
			}}},
			[]string{"`OpenMP.thread(0-3)` MPI.rank: now (1)", "`OpenMP.thread(0-3)` end: now off"},
		},
		{
			"merge a second section", Merge,
			&Config{Units: []UnitLayer{{Domain: "OpenMP", Target: units("OpenMP", "team", Span{0, 0})}}},
			[]string{
				"`OpenMP.team(0)`: now set",
				"`OpenMP` order of sections for units: now OpenMP.thread(0-3) OpenMP.team(0)",
			},
		},
		{
			"merge regions", Merge,
			&Config{Regions: []RegionEntry{
				{Match: Match{Address: 0x10}, RegionLayer: RegionLayer{Rate: RateLayer{Max: Number{Unlimited, true, at("b.txt:4:1")}}}},
				{Match: Match{Address: 0x20}, RegionLayer: RegionLayer{Place: at("b.txt:5:1")}},
			}},
			[]string{
				"`Lexgion(0x10)` max_num_traces: now -1 (b.txt:4:1)",
				"`Lexgion(0x20)`: removed → set (b.txt:5:1)",
			},
		},
		{
			"merge a removed region", Merge,
			&Config{Regions: []RegionEntry{{Match: Match{Address: 0x10}, Removed: true, RegionLayer: RegionLayer{Place: at("b.txt:1:1")}}}},
			[]string{
				"`Lexgion(0x10)`: set → removed (b.txt:1:1)",
				"`Lexgion(0x10)` MPI.rank: no longer (0-3)", "`Lexgion(0x10)` tracing_rate: no longer 10",
			},
		},
		{
			"merge what holds for all regions", Merge,
			&Config{
				Default: RegionLayer{
					Rate: RateLayer{Start: Number{4, true, at("b.txt:2:1")}}, Timeout: Number{60, true, at("b.txt:3:1")},
					End:   &WindowEnd{Modes: map[string]Mode{"MPI": Off}, Introspect: &Introspection{Script: "look.sh", Pause: -1}},
					Place: at("b.txt:1:1"),
				},
				PerDomain: map[string]RegionLayer{
					"OpenMP": {
						Events: inOpenMP(task(on("b.txt:6:1"))), Place: at("b.txt:5:1"),
						Snapshot: &Snapshot{Events: Events{"work": off("b.txt:7:1")}, Rate: every(2)},
					},
					"MPI": {End: &WindowEnd{Introspect: &Introspection{Script: "-"}}},
				},
			},
			[]string{
				"`Lexgion.default` trace_starts_at: now 4 (b.txt:2:1)",
				"`Lexgion.default` window end: now INTROSPECT:-1:look.sh MPI:OFF (b.txt:1:1)",
				"`Lexgion.default` window timeout: now 60 (b.txt:3:1)",
				"`Lexgion(MPI).default` window end: now INTROSPECT:0:-",
				"`Lexgion(OpenMP).default` OpenMP.task: now on (b.txt:6:1)",
				"`Lexgion(OpenMP).default` snapshot: now taken (b.txt:5:1)",
				"`Lexgion(OpenMP).default` snapshot of work: now off (b.txt:7:1)",
				"`Lexgion(OpenMP).default` snapshot of tracing_rate: now 2",
			},
		},
		{
			"replace", Replace,
			&Config{
				Domains: map[string]DomainLayer{"OpenMP": {Events: Events{"task": off("b.txt:2:1")}}},
				Default: RegionLayer{Rate: every(3)},
			},
			[]string{
				"`Lexgion.default` tracing_rate: now 3",
				"`OpenMP.default` work: no longer off (a.txt:3:1)",
				"`OpenMP.default` OpenMP.thread: no longer (0-9)",
				"`OpenMP.thread(0-3)`: no longer set (a.txt:4:1)",
				"`OpenMP.thread(0-3)` begin: no longer off (a.txt:5:1)",
				"`Lexgion(0x10)`: no longer set (a.txt:6:1)",
				"`Lexgion(0x10)` MPI.rank: no longer (0-3)",
				"`Lexgion(0x10)` tracing_rate: no longer 10",
				"`Lexgion(0x20)`: no longer removed",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := NewEngine(compile(t, fixture(t), firstConfig()))
			changes, err := e.Reload(test.next, test.how)
			if err != nil {
				t.Fatal(err)
			}
			if got := texts(changes); !slices.Equal(got, test.want) {
				t.Errorf("changes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestReloadThatFails(t *testing.T) {
	c := fixture(t)
	e := NewEngine(compile(t, c, firstConfig()))
	before := e.Policy()
	for _, test := range []struct {
		name   string
		layers Layers
		how    How
		want   string
	}{
		{
			"unknown names", &Config{
				Domains: map[string]DomainLayer{
					"OpenPM": {ModePlace: at("b.txt:1:1")},
					"OpenMP": {Events: Events{"taks": on("b.txt:2:5")}},
				},
				Regions: []RegionEntry{{Match: Match{Address: 1}, Units: Constraints{{"MPI", "rnak", Set{}, at("b.txt:3:5")}}}},
			}, Replace,
			"the current policy stays: b.txt:1:1: the catalogue has no domain `OpenPM`: did you mean `OpenMP`? (and 2 more)",
		},
		{
			"units of another domain", &Config{
				Units: []UnitLayer{{Domain: "OpenMP", Target: Constraints{{"MPI", "rank", Set{}, at("b.txt:1:2")}}}},
			}, Merge,
			"the current policy stays: b.txt:1:2: `OpenMP` does not count units of `MPI`: name a unit kind of `OpenMP`",
		},
		{
			"a region without a name", &Config{Regions: []RegionEntry{{}}}, Replace,
			"the current policy stays: a region needs an address or a name",
		},
		{
			"merge of an installed state", &Installed{}, Merge,
			"the state of an installed PInsight cannot be merged into layers; replace them",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := e.Reload(test.layers, test.how)
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v\nwant %s", err, test.want)
			}
			if e.Policy() != before {
				t.Error("the policy has changed")
			}
		})
	}
}

func TestMergeLaws(t *testing.T) {
	c := fixture(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b, q := genConfig(t, c), genConfig(t, c), genQuery(t, c)
		same, err := a.merge(&Config{})
		if err != nil {
			t.Fatal(err)
		}
		if d := Diff(a, same); d != nil {
			t.Fatalf("merging nothing changed %v", texts(d))
		}
		merged, err := a.merge(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := Diff(a, a); d != nil {
			t.Fatalf("a configuration differs from itself: %v", texts(d))
		}
		p, err := Compile(c, merged)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Explain(q); err != nil {
			t.Fatal(err)
		}
		// At the lowest rank, the value of the new layer wins over the old one, unless the new layer only inherited it.
		for _, d := range c.domains {
			for name, next := range b.Domains[d.Name].Events {
				want := next
				if old, ok := a.Domains[d.Name].Events[name]; ok && next.Inherited && !old.Inherited {
					want = old
				}
				if got := merged.(*Config).Domains[d.Name].Events[name]; got != want {
					t.Fatalf("%s %s is %v, want %v", d.Name, name, got, want)
				}
			}
		}
	})
}

// Replacing a merged configuration by its own layers reports no changes, because the merged state
// is complete.
func TestReplaceAfterMerge(t *testing.T) {
	c := fixture(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := genConfig(t, c), genConfig(t, c)
		p, err := Compile(c, a)
		if err != nil {
			t.Fatal(err)
		}
		e := NewEngine(p)
		if _, err := e.Reload(b, Merge); err != nil {
			t.Fatal(err)
		}
		merged, err := a.merge(b)
		if err != nil {
			t.Fatal(err)
		}
		changes, err := e.Reload(merged, Replace)
		if err != nil || changes != nil {
			t.Fatalf("%v, %v", texts(changes), err)
		}
		if changes, err = e.Reload(a, Replace); err != nil {
			t.Fatal(err)
		}
		if back := Diff(a, merged); len(back) != len(changes) {
			t.Fatalf("one way %v, the other way %v", texts(changes), texts(back))
		}
	})
}

func texts(changes []Change) []string {
	var s []string
	for _, c := range changes {
		s = append(s, c.String())
	}
	return s
}
