package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
)

func TestInstalledDiff(t *testing.T) {
	all := Rate{0, Unlimited, 1}
	before := &Installed{
		Default: Entry{Rate: all},
		Regions: []InstalledRegion{
			{Match: Match{Address: 0x10}, Entry: Entry{Rate: all}},
			{Match: Match{Address: 0x10}, Entry: Entry{Rate: all, Place: at("a.txt:4:1")}},
		},
	}
	after := &Installed{
		Modes:     map[string]Mode{"MPI": Standby},
		Ranges:    []Range{{"OpenMP", "thread", Span{0, 3}, at("b.txt:2:1")}},
		Default:   Entry{Rate: Rate{0, 5, 1}, End: &WindowEnd{Modes: map[string]Mode{"MPI": Off, "OpenMP": Monitoring}, All: true}, Timeout: 9, Units: units("MPI", "rank", Span{1, 2}), Place: at("b.txt:3:1")},
		PerDomain: map[string]Entry{"OpenMP": {Rate: all, Events: inOpenMP(task(on("b.txt:5:1")))}},
		Regions:   []InstalledRegion{{Match: Match{Address: 0x10}, Entry: Entry{Rate: all}}, {Match: Match{Name: "f"}, Removed: true}},
	}
	want := []string{
		"`MPI.default` trace_mode: now STANDBY",
		"`OpenMP.default` OpenMP.thread: now (0-3) (b.txt:2:1)",
		"`Lexgion.default` MPI.rank: now (1-2)",
		"`Lexgion.default` max_num_traces: -1 → 5 (b.txt:3:1)",
		"`Lexgion.default` window end: now MPI:OFF, OpenMP:MONITORING when all have ended (b.txt:3:1)",
		"`Lexgion.default` window timeout: now 9 (b.txt:3:1)",
		"`Lexgion(OpenMP).default`: now set",
		"`Lexgion(OpenMP).default` OpenMP events: now only those named",
		"`Lexgion(OpenMP).default` OpenMP.task: now on (b.txt:5:1)",
		"`Lexgion(OpenMP).default` trace_starts_at: now 0",
		"`Lexgion(OpenMP).default` max_num_traces: now -1",
		"`Lexgion(OpenMP).default` tracing_rate: now 1",
		"`Lexgion(0x10), no. 2`: no longer set (a.txt:4:1)",
		"`Lexgion(0x10), no. 2` trace_starts_at: no longer 0 (a.txt:4:1)",
		"`Lexgion(0x10), no. 2` max_num_traces: no longer -1 (a.txt:4:1)",
		"`Lexgion(0x10), no. 2` tracing_rate: no longer 1 (a.txt:4:1)",
	}
	e := NewEngine(compile(t, fixture(t), before))
	changes, err := e.Reload(after, Replace)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(changes); !slices.Equal(got, want) {
		t.Errorf("changes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := e.Reload(before, Merge); err == nil {
		t.Error("installed states were merged")
	}
	if got := e.Policy().Mode(1); got != Standby || e.Mode(1) != Standby {
		t.Errorf("MPI starts in %v, want %v", got, Standby)
	}
}

func TestInstalledRefuses(t *testing.T) {
	_, err := Compile(fixture(t), &Installed{
		Modes:   map[string]Mode{"OpenPM": Off, "MPI": 9},
		Ranges:  []Range{{"MPI", "rnak", Span{}, at("a.txt:1:1")}},
		Default: Entry{Events: inOpenMP(task(on(""))), End: &WindowEnd{Modes: map[string]Mode{"MIP": Off}}, Place: at("a.txt:2:1")},
		Regions: []InstalledRegion{{Entry: Entry{Units: units("MPI", "rang", Span{}), Place: at("a.txt:3:1")}}},
	})
	var got []string
	var list problem.List
	if !errors.As(err, &list) {
		t.Fatalf("the error is %v", err)
	}
	for _, p := range list {
		got = append(got, fmt.Sprintf("%s %s.%s: %v", p.Kind, p.Subject.Name, p.Subject.Key, p))
	}
	want := []string{
		"unknown-domain OpenPM.: the catalogue has no domain `OpenPM`: did you mean `OpenMP`?",
		"unknown-unit MPI.rnak: a.txt:1:1: `rnak` is not a unit kind of `MPI`: did you mean `rank`?",
		"unknown-domain MIP.: a.txt:2:1: the catalogue has no domain `MIP`: did you mean `MPI`?",
		"unknown-mode MPI.: `MPI` has no mode 9",
		"unknown-unit MPI.rang: `rang` is not a unit kind of `MPI`: did you mean `rank`?",
		"no-region .: a.txt:3:1: a region needs an address or a name",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRateOnly checks that an event that only the rate decides is traced whatever the settings for
// events and units.
func TestRateOnly(t *testing.T) {
	layers := &Installed{
		RateOnly: map[string]Events{"OpenMP": {"begin": {On: true}}},
		Default: Entry{
			Rate: Rate{0, Unlimited, 2}, Events: inOpenMP(Events{}), Units: units("OpenMP", "thread", Span{5, 5}),
		},
	}
	p := compile(t, fixture(t), layers)
	for event, want := range map[EventID]string{3: "[1 3]", 4: "[]"} {
		if got := fmt.Sprint(slices.Collect(p.Executions(Region{Address: 0x10}, event, nil, 4))); got != want {
			t.Errorf("event %d: %s traced, want %s", event, got, want)
		}
	}
	for event, want := range map[EventID]Verdict{3: Traced, 4: EventOff} {
		x, err := p.Explain(Query{Region: Region{Address: 0x10}, Event: event})
		if err != nil {
			t.Fatal(err)
		}
		if x.Verdict != want {
			t.Errorf("event %d: verdict %d, want %d", event, x.Verdict, want)
		}
	}
}
