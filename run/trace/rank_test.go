package trace

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
)

// at returns a place that prints as `path:line:column`.
func at(place string) source.Span {
	part := strings.Split(place, ":")
	if len(part) != 3 {
		return source.Span{}
	}
	line, _ := strconv.Atoi(part[1])
	column, _ := strconv.Atoi(part[2])
	before := strings.Repeat("\n", line-1) + strings.Repeat(" ", column-1)
	return source.NewFile(part[0], before).Span(len(before), len(before))
}

func on(place string) Toggle  { return Toggle{On: true, Place: at(place)} }
func off(place string) Toggle { return Toggle{Place: at(place)} }

func units(domain, kind string, spans ...Span) Constraints {
	return Constraints{{Domain: domain, Kind: kind, Set: NewSet(spans...)}}
}

func task(t Toggle) Events                     { return Events{"task": t} }
func inOpenMP(events Events) map[string]Events { return map[string]Events{"OpenMP": events} }

// ranked sets `task` in each of the given layers, each time to the opposite of the layer
// below; in the catalogue it is on.
func ranked(layers ...string) *Config {
	has := map[string]bool{}
	for _, l := range layers {
		has[l] = true
	}
	c := &Config{Domains: map[string]DomainLayer{}, PerDomain: map[string]RegionLayer{}}
	state := true
	next := func(layer string) Events {
		if !has[layer] {
			return nil
		}
		state = !state
		return task(Toggle{On: state, Place: at(layer + ":1:1")})
	}
	c.Domains["OpenMP"] = DomainLayer{Events: next("domain")}
	var snapshot *Snapshot
	if e := next("snapshot"); e != nil {
		snapshot = &Snapshot{Events: e}
	}
	for _, name := range []string{"units", "units2"} {
		if e := next(name); e != nil {
			c.Units = append(c.Units, UnitLayer{Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}), Events: e})
		}
	}
	c.Default.Events = inOpenMP(next("default"))
	c.PerDomain["OpenMP"] = RegionLayer{Events: inOpenMP(next("perdomain")), Snapshot: snapshot}
	if e := next("region"); e != nil {
		c.Regions = []RegionEntry{{Match: Match{Address: 0x10}, RegionLayer: RegionLayer{Events: inOpenMP(e)}}}
	}
	return c
}

func TestRank(t *testing.T) {
	all := []string{"domain", "snapshot", "units", "units2", "default", "perdomain", "region"}
	c := fixture(t)
	for n := range len(all) + 1 {
		for skip := range n + 1 {
			// Use all layers up to the n-th except one: the highest of them must decide.
			var layers []string
			for i, l := range all[:n] {
				if i != skip {
					layers = append(layers, l)
				}
			}
			winner, want := "", len(layers)%2 == 0
			if len(layers) > 0 {
				winner = layers[len(layers)-1]
			}
			cfg := ranked(layers...)
			p := compile(t, c, cfg)
			q := Query{Region: Region{Address: 0x10}, Event: 5}
			x, err := p.Explain(q)
			if err != nil {
				t.Fatal(err)
			}
			if place, _, _ := strings.Cut(x.Event[0].Place.String(), ":"); place != winner {
				t.Errorf("%v: `%s` decides, want `%s`", layers, place, winner)
			}
			got := false
			for range p.Executions(q.Region, q.Event, nil, 1) {
				got = true
			}
			if got != want {
				t.Errorf("%v: traced %v, want %v", layers, got, want)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	c := fixture(t)
	thread, _ := c.Kind(0, "thread")
	rank, _ := c.Kind(1, "rank")
	ids := func(threadID, rankID uint32) []uint32 {
		ids := make([]uint32, c.Kinds())
		ids[thread], ids[rank] = threadID, rankID
		return ids
	}
	here := Region{Address: 0x10, Name: "f", File: "solver.c"}
	for _, test := range []struct {
		name   string
		config Config
		region Region
		event  EventID
		ids    []uint32
		want   bool
	}{
		{"catalogue on", Config{}, here, 5, nil, true},
		{"catalogue off", Config{}, here, 18, nil, false},
		{"event above 64", Config{}, here, 200, nil, true},
		{
			"an event a section does not name falls through",
			Config{
				Domains: map[string]DomainLayer{"OpenMP": {Events: Events{"dependence": on("")}}},
				Default: RegionLayer{Events: inOpenMP(task(off("")))},
			}, here, 18, nil, true,
		},
		{
			"an earlier section for the same units still counts for what the later does not name",
			Config{Units: []UnitLayer{
				{Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}), Events: task(off(""))},
				{Domain: "OpenMP", Target: units("OpenMP", "thread", Span{2, 2}), Events: Events{"work": off("")}},
			}}, here, 5, ids(2, 0), false,
		},
		{
			"a section for other units",
			Config{Units: []UnitLayer{{Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}), Events: task(off(""))}}},
			here, 5, ids(4, 0), true,
		},
		{
			"a section with a further constraint that does not hold",
			Config{Units: []UnitLayer{{
				Domain: "OpenMP", Target: units("OpenMP", "thread", Span{0, 3}),
				Also: units("MPI", "rank", Span{1, 1}), Events: task(off("")),
			}}}, here, 5, ids(0, 0), true,
		},
		{
			"a section of another domain",
			Config{Units: []UnitLayer{{Domain: "MPI", Target: units("MPI", "rank", Span{0, 3}), Events: Events{"send": off("")}}}},
			here, 5, nil, true,
		},
		{
			"a range leaves a unit out",
			Config{Domains: map[string]DomainLayer{"OpenMP": {Limits: units("OpenMP", "thread", Span{0, 0}, Span{15, 15})}}},
			here, 5, ids(7, 0), false,
		},
		{
			"a range has the unit",
			Config{Domains: map[string]DomainLayer{"OpenMP": {Limits: units("OpenMP", "thread", Span{0, 0}, Span{15, 15})}}},
			here, 5, ids(15, 0), true,
		},
		{
			"the range of another domain",
			Config{Domains: map[string]DomainLayer{"MPI": {Limits: units("MPI", "rank", Span{0, 3})}}},
			here, 5, ids(0, 9), true,
		},
		{
			"all constraints hold",
			Config{Regions: []RegionEntry{{Match: Match{Address: 0x10}, Units: append(units("MPI", "rank", Span{0, 3}), units("OpenMP", "thread", Span{1, 1})...)}}},
			here, 5, ids(1, 3), true,
		},
		{
			"one of them does not",
			Config{Regions: []RegionEntry{{Match: Match{Address: 0x10}, Units: append(units("MPI", "rank", Span{0, 3}), units("OpenMP", "thread", Span{1, 1})...)}}},
			here, 5, ids(0, 3), false,
		},
		{
			"ids beyond the catalogue's range",
			Config{Regions: []RegionEntry{{Match: Match{Address: 0x10}, Units: units("MPI", "rank", Span{1 << 30, 1<<31 - 1})}}},
			here, 5, ids(0, 1<<31-1), true,
		},
		{"removed", Config{Regions: []RegionEntry{{Match: Match{Address: 0x10}, Removed: true}}}, here, 5, nil, false},
		{
			"by name",
			Config{Regions: []RegionEntry{{Match: Match{Name: "f"}, Removed: true}}}, here, 5, nil, false,
		},
		{
			"by name in another domain",
			Config{Regions: []RegionEntry{{Match: Match{Name: "f", Domain: "MPI"}, Removed: true}}}, here, 5, nil, true,
		},
		{
			"by name in a file that begins so",
			Config{Regions: []RegionEntry{{Match: Match{Name: "f", File: "sol"}, Removed: true}}}, here, 5, nil, false,
		},
		{
			"by name in another file",
			Config{Regions: []RegionEntry{{Match: Match{Name: "f", File: "main"}, Removed: true}}}, here, 5, nil, true,
		},
		{
			"an address comes before a name",
			Config{Regions: []RegionEntry{{Match: Match{Name: "f"}, Removed: true}, {Match: Match{Address: 0x10}}}},
			here, 5, nil, true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := compile(t, c, &test.config)
			got := false
			for range p.Executions(test.region, test.event, test.ids, 1) {
				got = true
			}
			if got != test.want {
				t.Errorf("traced %v, want %v", got, test.want)
			}
		})
	}
}

// Each key of a rate is looked up separately.
func TestRateRank(t *testing.T) {
	n := func(v uint32, place string) Number { return Number{v, true, at(place + ":1:1")} }
	cfg := &Config{
		Default:   RegionLayer{Rate: RateLayer{n(1, "default"), n(2, "default"), n(3, "default")}},
		PerDomain: map[string]RegionLayer{"OpenMP": {Rate: RateLayer{Max: n(20, "perdomain"), Every: n(30, "perdomain")}}},
		Regions:   []RegionEntry{{Match: Match{Address: 0x10}, RegionLayer: RegionLayer{Rate: RateLayer{Every: n(300, "region")}}}},
	}
	p := compile(t, fixture(t), cfg)
	for _, c := range []struct {
		region Region
		want   Rate
		place  [3]string
	}{
		{Region{Address: 0x10}, Rate{1, 20, 300}, [3]string{"default", "perdomain", "region"}},
		{Region{Address: 0x20}, Rate{1, 20, 30}, [3]string{"default", "perdomain", "perdomain"}},
		{Region{Address: 0x10, Domain: 1}, Rate{1, 2, 300}, [3]string{"default", "default", "region"}},
		{Region{Domain: 1}, Rate{1, 2, 3}, [3]string{"default", "default", "default"}},
	} {
		x, err := p.Explain(Query{Region: c.region, Event: [...]EventID{5, 0}[c.region.Domain]})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.rule(&c.region).rate; got != c.want || x.Rate != c.want {
			t.Errorf("%v: rate %v, explained %v, want %v", c.region, got, x.Rate, c.want)
		}
		if got := [3]string{x.Start.Place.File.Path(), x.Max.Place.File.Path(), x.Every.Place.File.Path()}; got != c.place {
			t.Errorf("%v: from %v, want %v", c.region, got, c.place)
		}
	}
}

// The values that Lexgion(D).default was filled with replace Lexgion.default.
func TestRateSnapshot(t *testing.T) {
	set := func(v uint32) Number { return Number{Value: v, Set: true} }
	p := compile(t, fixture(t), &Config{
		Default: RegionLayer{Rate: RateLayer{set(1), set(2), set(3)}},
		PerDomain: map[string]RegionLayer{
			"OpenMP": {Rate: RateLayer{Max: set(20)}, Snapshot: &Snapshot{Rate: RateLayer{Every: set(7)}}},
		},
	})
	want := Rate{0, 20, 7}
	x, err := p.Explain(Query{Region: Region{Address: 0x10}, Event: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.rule(&Region{Address: 0x10}).rate; got != want || x.Rate != want {
		t.Errorf("rate %v, explained %v, want %v", got, x.Rate, want)
	}
	if want := "Lexgion(OpenMP).default as it found Lexgion.default"; x.Every.Layer != want {
		t.Errorf("from %q, want %q", x.Every.Layer, want)
	}
}
