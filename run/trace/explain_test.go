package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// executions implements the rate a second time, from its definition.
func executions(r Rate, n uint32) []uint32 {
	var traced []uint32
	since := uint32(0)
	for i := range n {
		since++
		if i >= r.Start && (r.Max == Unlimited || uint32(len(traced)) < r.Max) && since >= r.Every {
			traced = append(traced, i)
			since = 0
		}
	}
	return traced
}

// Explanations agree with decisions, although the two share no code.
func TestExplainAgreesWithDecide(t *testing.T) {
	c := fixture(t)
	rapid.Check(t, func(t *rapid.T) {
		layers, q := genLayers(t, c), genQuery(t, c)
		p, err := Compile(c, layers)
		if err != nil {
			t.Fatal(err)
		}
		// A window end would change modes during the run, but explanations are for the modes at the
		// start.
		for i := range p.ends {
			clear(p.ends[i].modes)
		}
		x, err := p.Explain(q)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint32
		if x.Verdict == Traced {
			want = executions(x.Rate, 12)
		}
		got := slices.Collect(p.Executions(q.Region, q.Event, q.IDs, 12))
		if !slices.Equal(got, want) {
			t.Fatalf("decided %v, explained %v by %+v", got, want, x)
		}
	})
}

// After changes of policies and ids, a unit decides like a new one.
func TestUnitsFollow(t *testing.T) {
	c := fixture(t)
	rapid.Check(t, func(t *rapid.T) {
		var policies []*Policy
		for range 3 {
			p, err := Compile(c, genLayers(t, c))
			if err != nil {
				t.Fatal(err)
			}
			policies = append(policies, p)
		}
		e := NewEngine(policies[0])
		u := e.Unit()
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "swap") {
				if err := e.Swap(rapid.SampledFrom(policies).Draw(t, "policy")); err != nil {
					t.Fatal(err)
				}
			}
			q := genQuery(t, c)
			for k, id := range q.IDs {
				if rapid.Bool().Draw(t, "move") {
					u.SetID(KindID(k), id)
				}
			}
			r, err := e.Region(q.Region)
			if err != nil {
				t.Fatal(err)
			}
			x, err := u.Why(r, q.Event)
			if err != nil {
				t.Fatal(err)
			}
			u.Begin(r) // without End, so no window ends
			if l := &u.lines[r]; l.allowed.Has(q.Event) != (x.Verdict == Traced) || l.rate != x.Rate {
				t.Fatalf("the line is %+v, explained is %+v; want l.allowed.Has(q.Event) = %v and l.rate = %v", *l, x, (x.Verdict == Traced), x.Rate)
			}
		}
	})
}

func TestExplain(t *testing.T) {
	c := fixture(t)
	thread, _ := c.Kind(0, "thread")
	cfg := &Config{
		Domains: map[string]DomainLayer{"OpenMP": {Events: task(off("t.txt:6:5")), Mode: Tracing, ModePlace: at("t.txt:7:5")}},
		Units: []UnitLayer{{
			Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}), Events: task(off("t.txt:22:5")),
		}},
		Regions: []RegionEntry{{
			Match: Match{Address: 0x4010bd},
			RegionLayer: RegionLayer{
				Events: inOpenMP(task(on("t.txt:41:5"))),
				Rate:   RateLayer{Every: Number{10, true, at("t.txt:44:5")}},
			},
			Units: Constraints{{"MPI", "rank", NewSet(Span{0, 0}), at("t.txt:40:58")}},
		}},
	}
	installed := &Installed{
		Default:   Entry{Rate: Rate{0, Unlimited, 1}, Place: at("t.txt:1:1")},
		PerDomain: map[string]Entry{"OpenMP": {Events: inOpenMP(task(off("t.txt:3:1"))), Rate: Rate{0, 7, 1}}},
		Regions: []InstalledRegion{{
			Match: Match{Address: 0x4010bd},
			Entry: Entry{Rate: Rate{0, 5, 2}, Units: units("OpenMP", "thread", Span{0, 9}), Place: at("t.txt:9:1")},
		}},
		Ranges: []Range{{Domain: "OpenMP", Kind: "thread", Span: Span{0, 1}}},
	}
	for _, test := range []struct {
		name   string
		layers Layers
		want   string
	}{
		{"layers", cfg, `
traced true
mode TRACING OpenMP.default t.txt:7:5
event on Lexgion(0x4010bd) t.txt:41:5
event off OpenMP.thread(0-3) t.txt:22:5
event off OpenMP.default t.txt:6:5
event on catalogue
units MPI.rank(0) 0 true Lexgion(0x4010bd) t.txt:40:58
start 0 system default
max -1 system default
every 10 Lexgion(0x4010bd) t.txt:44:5
`},
		{"installed", installed, `
traced false
mode TRACING OpenMP.default
event on Lexgion(0x4010bd) t.txt:9:1
event off Lexgion(OpenMP).default t.txt:3:1
event on Lexgion.default t.txt:1:1
units OpenMP.thread(0-9) 2 true Lexgion(0x4010bd)
units OpenMP.thread(0-1) 2 false range of OpenMP.thread
start 0 Lexgion(0x4010bd) t.txt:9:1
max 5 Lexgion(0x4010bd) t.txt:9:1
every 2 Lexgion(0x4010bd) t.txt:9:1
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := NewEngine(compile(t, c, test.layers))
			r, err := e.Region(Region{Address: 0x4010bd})
			if err != nil {
				t.Fatal(err)
			}
			u := e.Unit()
			u.SetID(thread, 2)
			x, err := u.Why(r, 5)
			if err != nil {
				t.Fatal(err)
			}
			if got := render(x); got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func render(x Explanation) string {
	var b strings.Builder
	line := func(args ...any) { b.WriteString(strings.TrimSpace(fmt.Sprintln(args...)) + "\n") }
	answer := func(what string, a Answer) { line(what, a.Value, a.Layer, a.Place.String()) }
	b.WriteString("\n")
	line("traced", x.Verdict == Traced)
	answer("mode", x.Mode)
	for _, a := range x.Event {
		answer("event", a)
	}
	for _, u := range x.Units {
		line("units", u.Constraint, u.ID, u.Pass, u.Layer, u.Place.String())
	}
	answer("start", x.Start)
	answer("max", x.Max)
	answer("every", x.Every)
	return b.String()
}

func TestExplainUnknown(t *testing.T) {
	c := fixture(t)
	for _, q := range []Query{{Region: Region{Domain: 7}}, {Event: 99}} {
		if _, err := Explain(c, &Config{}, q); err == nil {
			t.Errorf("%v was explained, want one", q)
		}
	}
}

// Why returns an error for a region that the engine does not know.
func TestWhyUnknownRegion(t *testing.T) {
	if _, err := NewEngine(compile(t, fixture(t), &Config{})).Unit().Why(99, 0); err == nil {
		t.Error("region 99 was explained")
	}
}
