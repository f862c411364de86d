package trace

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/golden"
)

func TestMain(m *testing.M) { golden.Main(m) }

// fixture is a catalogue of two domains with the events and kinds that tests use.
func fixture(tb testing.TB) *Catalog {
	tb.Helper()
	c, err := NewCatalog(
		Domain{
			Name: "OpenMP",
			Events: []Event{
				{ID: 3, Name: "begin", On: true}, {ID: 4, Name: "end", On: true}, {ID: 5, Name: "task", On: true},
				{ID: 18, Name: "dependence"}, {ID: 20, Name: "work", On: true}, {ID: 200, Name: "far", On: true},
			},
			Kinds: []Kind{{"team", 0, 255}, {"thread", 0, 255}},
		},
		Domain{
			Name:   "MPI",
			Events: []Event{{ID: 0, Name: "send", On: true}, {ID: 1, Name: "recv", On: true}, {ID: 10, Name: "test"}},
			Kinds:  []Kind{{"rank", 0, 127}},
		},
	)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func compile(tb testing.TB, c *Catalog, layers Layers) *Policy {
	tb.Helper()
	p, err := Compile(c, layers)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// The generators draw from the fixture, with few names each, so that layers overlap.

func genEvents(t *rapid.T, c *Catalog, d DomainID) Events {
	events := Events{}
	for _, e := range c.domains[d].Events {
		if rapid.IntRange(0, 3).Draw(t, "named") == 0 {
			events[e.Name] = Toggle{
				On:        rapid.Bool().Draw(t, "on"),
				Inherited: rapid.Bool().Draw(t, "inherited"),
				Place:     at(fmt.Sprintf("t.txt:%d:1", rapid.IntRange(1, 99).Draw(t, "line"))),
			}
		}
	}
	return events
}

func genByDomain(t *rapid.T, c *Catalog) map[string]Events {
	m := map[string]Events{}
	for i, d := range c.domains {
		if rapid.Bool().Draw(t, "has "+d.Name) {
			m[d.Name] = genEvents(t, c, DomainID(i))
		}
	}
	return m
}

// genUnits draws constraints; own limits them to the kinds of a domain.
func genUnits(t *rapid.T, c *Catalog, atLeast int, own string) Constraints {
	var found Constraints
	for _, k := range c.kinds {
		d := c.domains[k.domain].Name
		if own != "" && own != d {
			continue
		}
		if len(found) < atLeast || rapid.IntRange(0, 3).Draw(t, "constrained") == 0 {
			found = append(found, Constraint{Domain: d, Kind: k.kind.Name, Set: NewSet(append(genSpans(t, "set"), Span{0, 2})...)})
		}
	}
	return found
}

func genNumber(t *rapid.T, label string, values ...uint32) Number {
	if rapid.Bool().Draw(t, label+" set") {
		return Number{Value: rapid.SampledFrom(values).Draw(t, label), Set: true}
	}
	return Number{}
}

func genLayer(t *rapid.T, c *Catalog) RegionLayer {
	return RegionLayer{
		Events: genByDomain(t, c),
		Rate:   genRate(t),
	}
}

func genRate(t *rapid.T) RateLayer {
	return RateLayer{
		genNumber(t, "start", 0, 1, 3),
		genNumber(t, "max", 0, 2, Unlimited),
		genNumber(t, "every", 1, 2, 3),
	}
}

func genMatch(t *rapid.T) Match {
	return rapid.SampledFrom([]Match{
		{Address: 0x10}, {Address: 0x20}, {Name: "f"}, {Name: "f", Domain: "MPI"},
		{Name: "f", File: "sol"}, {Name: "g", Domain: "OpenMP"},
	}).Draw(t, "match")
}

func genConfig(t *rapid.T, c *Catalog) *Config {
	cfg := &Config{
		Domains: map[string]DomainLayer{}, PerDomain: map[string]RegionLayer{},
		Default: genLayer(t, c),
	}
	for i, d := range c.domains {
		if rapid.Bool().Draw(t, d.Name+".default") {
			cfg.Domains[d.Name] = DomainLayer{
				Events: genEvents(t, c, DomainID(i)),
				Limits: genUnits(t, c, 0, d.Name),
				Mode:   rapid.SampledFrom([]Mode{NoMode, Tracing, Tracing, Monitoring, Off}).Draw(t, "mode"),
			}
		}
		if rapid.Bool().Draw(t, "Lexgion("+d.Name+").default") {
			l := genLayer(t, c)
			if rapid.Bool().Draw(t, "snapshot") {
				l.Snapshot = &Snapshot{Events: genEvents(t, c, DomainID(i)), Rate: genRate(t)}
			}
			cfg.PerDomain[d.Name] = l
		}
		for range rapid.IntRange(0, 3).Draw(t, "sections") {
			cfg.Units = append(cfg.Units, UnitLayer{
				Domain: d.Name, Target: genUnits(t, c, 1, d.Name), Also: genUnits(t, c, 0, ""),
				Events: genEvents(t, c, DomainID(i)),
			})
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "regions") {
		cfg.Regions = append(cfg.Regions, RegionEntry{
			Match: genMatch(t), RegionLayer: genLayer(t, c), Units: genUnits(t, c, 0, ""),
			Removed: rapid.IntRange(0, 4).Draw(t, "removed") == 0,
		})
	}
	return cfg
}

func genEntry(t *rapid.T, c *Catalog) Entry {
	e := Entry{
		Events: genByDomain(t, c),
		Units:  genUnits(t, c, 0, ""),
		Rate: Rate{
			rapid.SampledFrom([]uint32{0, 1, 3}).Draw(t, "start"),
			rapid.SampledFrom([]uint32{0, 2, Unlimited}).Draw(t, "max"),
			rapid.SampledFrom([]uint32{0, 1, 2}).Draw(t, "every"),
		},
	}
	if rapid.IntRange(0, 3).Draw(t, "window") == 0 {
		e.End = &WindowEnd{Modes: map[string]Mode{"MPI": Standby}, All: rapid.Bool().Draw(t, "all")}
	}
	return e
}

func genInstalled(t *rapid.T, c *Catalog) *Installed {
	n := &Installed{Default: genEntry(t, c), PerDomain: map[string]Entry{}, Modes: map[string]Mode{}}
	for _, d := range c.domains {
		if rapid.Bool().Draw(t, "Lexgion("+d.Name+").default") {
			n.PerDomain[d.Name] = genEntry(t, c)
		}
		n.Modes[d.Name] = rapid.SampledFrom([]Mode{NoMode, Tracing, Monitoring}).Draw(t, "mode")
	}
	if rapid.Bool().Draw(t, "ranged") {
		n.Ranges = []Range{{Domain: "OpenMP", Kind: "thread", Span: Span{1, rapid.Uint32Range(0, 20).Draw(t, "high")}}}
	}
	for range rapid.IntRange(0, 5).Draw(t, "regions") {
		n.Regions = append(n.Regions, InstalledRegion{
			Match: genMatch(t), Entry: genEntry(t, c), Removed: rapid.IntRange(0, 4).Draw(t, "removed") == 0,
		})
	}
	return n
}

func genLayers(t *rapid.T, c *Catalog) Layers {
	if rapid.Bool().Draw(t, "installed") {
		return genInstalled(t, c)
	}
	return genConfig(t, c)
}

func genQuery(t *rapid.T, c *Catalog) Query {
	q := Query{
		Region: Region{
			Domain:  DomainID(rapid.IntRange(0, len(c.domains)-1).Draw(t, "domain")),
			Address: rapid.SampledFrom([]uint64{0, 0x10, 0x20, 0x30}).Draw(t, "address"),
			Name:    rapid.SampledFrom([]string{"", "f", "g"}).Draw(t, "name"),
			File:    rapid.SampledFrom([]string{"", "solver.c", "main.c"}).Draw(t, "file"),
		},
		IDs: rapid.SliceOfN(rapid.Uint32Range(0, smallIDs), c.Kinds(), c.Kinds()).Draw(t, "ids"),
	}
	q.Event = rapid.SampledFrom(c.domains[q.Region.Domain].Events).Draw(t, "event").ID
	return q
}
