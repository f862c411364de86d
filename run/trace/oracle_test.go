package trace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// For each case, the oracle has the state of the original program after it read its files, and the executions it then
// traced. This test takes the state as given and checks only the decisions.

type oracleRegion struct {
	Codeptr     string                       `json:"codeptr"`
	Name        string                       `json:"name"`
	File        string                       `json:"file"`
	DomainIndex int                          `json:"domain_index"`
	Removed     int                          `json:"removed"`
	Start       int64                        `json:"trace_starts_at"`
	Max         int64                        `json:"max_num_traces"`
	Every       int64                        `json:"tracing_rate"`
	Constrained int                          `json:"punit_set_set"`
	Units       map[string]map[string]string `json:"punits"`
	Events      map[string]struct {
		On []string `json:"on"`
	} `json:"events"`
	End struct {
		Modes      map[string]string `json:"modes"`
		Introspect int               `json:"introspect"`
		Trigger    int               `json:"trigger"`
	} `json:"end_action"`
}

type oracleState struct {
	Domains map[string]struct {
		Mode   string               `json:"mode"`
		Ranges map[string][2]uint32 `json:"ranges"`
	} `json:"domains"`
	Default   oracleRegion            `json:"lexgion_default"`
	PerDomain map[string]oracleRegion `json:"lexgion_domain_default"`
	Regions   []oracleRegion          `json:"lexgions"`
	Exec      []struct {
		Exec string `json:"exec"`
		Bits string `json:"bits"`
	} `json:"exec"`
	ModesAfter map[string]string `json:"modes_after_exec"`
}

type oracleCase struct {
	ID      string         `json:"id"`
	Input   []*string      `json:"input"` // nil: there is no such file
	Args    []string       `json:"args"`
	RC      any            `json:"rc"`
	Changed map[string]any `json:"changed_vs_baseline"`
}

func TestOracleDecisions(t *testing.T) {
	golden.Oracle(t, "pinsight", func(t *testing.T, set golden.Set) {
		c := oracleCatalog(t, set)
		decided := 0
		for _, test := range golden.List[oracleCase](t, set, "cases.json") {
			if fmt.Sprint(test.RC) != "0" || test.Changed["exec"] == nil {
				continue
			}
			decided++
			t.Run(test.ID, func(t *testing.T) { test.decide(t, set, c) })
		}
		if decided == 0 {
			t.Skip("no case of this set has an execution")
		}
	})
}

func (test *oracleCase) decide(t *testing.T, set golden.Set, c *Catalog) {
	baseline := "baseline_no_file.json"
	if slices.ContainsFunc(test.Input, func(text *string) bool { return text != nil }) {
		baseline = "baseline_empty_file.json"
	}
	var whole map[string]any
	set.Fact(t, baseline, &whole)
	text, err := json.Marshal(overlay(whole, test.Changed))
	if err != nil {
		t.Fatal(err)
	}
	var state oracleState
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	e := NewEngine(compile(t, c, state.installed(t, c)))
	u := e.Unit()
	oracleUnits(t, c, u, test.Args)
	for _, x := range state.Exec {
		if got := execute(t, c, e, u, x.Exec); got != x.Bits {
			t.Errorf("%s: traced %s, want %s", x.Exec, got, x.Bits)
		}
	}
	for d, mode := range state.ModesAfter {
		if id, _ := c.Domain(d); e.Mode(id).String() != mode {
			t.Errorf("%s is then in %v, want %s", d, e.Mode(id), mode)
		}
	}
}

// execute runs `Domain@event@0xADDR|name@count[@file]`.
func execute(t *testing.T, c *Catalog, e *Engine, u *Unit, exec string) string {
	part := append(strings.Split(exec, "@"), "")
	count, err := strconv.Atoi(part[3])
	if err != nil {
		t.Fatal(err)
	}
	d, ok := c.Domain(part[0])
	event, found := c.Event(d, part[1])
	if !ok || !found {
		t.Fatalf("%s is not in the catalogue", exec)
	}
	region := Region{Domain: d, Part: part[1], File: part[4]}
	if region.Address, err = strconv.ParseUint(part[2], 0, 64); err != nil {
		region.Name = part[2]
	}
	r, err := e.Region(region)
	if err != nil {
		t.Fatal(err)
	}
	var bits strings.Builder
	for range count {
		u.Begin(r)
		bits.WriteByte("01"[bit(u.Decide(r, event))])
		u.End(r)
	}
	return bits.String()
}

func (s *oracleState) installed(t *testing.T, c *Catalog) *Installed {
	n := &Installed{Modes: map[string]Mode{}, PerDomain: map[string]Entry{}, Default: s.Default.entry(t)}
	for name, d := range s.Domains {
		n.Modes[name] = oracleMode(t, d.Mode)
		for kind, r := range d.Ranges {
			n.Ranges = append(n.Ranges, Range{Domain: name, Kind: kind, Span: Span{r[0], r[1]}})
		}
	}
	for name, r := range s.PerDomain {
		if r.Codeptr != "(nil)" {
			n.PerDomain[name] = r.entry(t)
		}
	}
	for _, r := range s.Regions {
		m := Match{Name: r.Name, File: r.File}
		if r.Codeptr != "(nil)" {
			address, err := strconv.ParseUint(r.Codeptr, 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			m = Match{Address: address}
		} else if r.DomainIndex >= 0 {
			m.Domain = c.Domains()[r.DomainIndex].Name
		}
		if m.Address == 0 && m.Name == "" {
			continue // entries of address 0, where there is no code
		}
		n.Regions = append(n.Regions, InstalledRegion{Match: m, Entry: r.entry(t), Removed: r.Removed != 0})
	}
	return n
}

func (r oracleRegion) entry(t *testing.T) Entry {
	e := Entry{
		Rate:   Rate{uint32(r.Start), uint32(r.Max), uint32(r.Every)},
		Events: map[string]Events{},
	}
	for domain, events := range r.Events {
		e.Events[domain] = Events{}
		for _, name := range events.On {
			e.Events[domain][name] = Toggle{On: true}
		}
	}
	for domain, kinds := range r.Units {
		for kind, set := range kinds {
			if r.Constrained != 0 {
				e.Units = append(e.Units, Constraint{Domain: domain, Kind: kind, Set: oracleSet(t, set)})
			}
		}
	}
	if r.Constrained != 0 && len(e.Units) == 0 { // limited to units that it did not know: none passes
		e.Units = Constraints{{Domain: "OpenMP", Kind: "team"}}
	}
	if r.End.Introspect == 0 {
		e.End = &WindowEnd{Modes: map[string]Mode{}, All: r.End.Trigger != 0}
		for domain, mode := range r.End.Modes {
			e.End.Modes[domain] = oracleMode(t, mode)
		}
	}
	return e
}

func oracleMode(t *testing.T, name string) Mode {
	i := slices.Index(layout.ModeNames[:], name)
	if i < 0 {
		t.Fatalf("no mode is called %s", name)
	}
	return Mode(i)
}

func oracleSet(t *testing.T, text string) Set {
	var spans []Span
	for item := range strings.SplitSeq(text, ",") {
		var s Span
		if n, _ := fmt.Sscanf(item, "%d-%d", &s.Lo, &s.Hi); n == 1 {
			s.Hi = s.Lo
		} else if n == 0 && item != "" {
			t.Fatalf("%q is not a set of units", text)
		}
		if item != "" {
			spans = append(spans, s)
		}
	}
	return NewSet(spans...)
}

// oracleUnits reads pairs like `--omp-thread 3`.
func oracleUnits(t *testing.T, c *Catalog, u *Unit, args []string) {
	for pair := range slices.Chunk(args, 2) {
		domain, kind, _ := strings.Cut(strings.TrimPrefix(pair[0], "--"), "-")
		if domain == "omp" {
			domain = "OpenMP"
		}
		i := slices.IndexFunc(c.Domains(), func(d Domain) bool { return strings.EqualFold(d.Name, domain) })
		k, ok := c.Kind(DomainID(max(i, 0)), kind)
		id, err := strconv.ParseUint(pair[len(pair)-1], 10, 32)
		if i < 0 || !ok || err != nil {
			t.Fatalf("%v names no unit", pair)
		}
		u.SetID(k, uint32(id))
	}
}

func oracleCatalog(t *testing.T, set golden.Set) *Catalog {
	var data map[string]struct {
		Index      int    `json:"index"`
		Kinds      []Kind `json:"punits"`
		Subdomains []struct {
			Name   string `json:"name"`
			Events []struct {
				ID      EventID `json:"id"`
				Name    string  `json:"name"`
				Default int     `json:"default"`
			} `json:"events"`
		} `json:"subdomains"`
	}
	set.Fact(t, "catalog.json", &data)
	domains := make([]Domain, len(data))
	for name, d := range data {
		domains[d.Index] = Domain{Name: name, Kinds: d.Kinds}
		for _, s := range d.Subdomains {
			for _, e := range s.Events {
				domains[d.Index].Events = append(domains[d.Index].Events, Event{e.ID, e.Name, s.Name, e.Default != 0})
			}
		}
	}
	c, err := NewCatalog(domains...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// overlay merges objects and replaces everything else; null changes nothing.
func overlay(base, top any) any {
	b, isObject := base.(map[string]any)
	t, alsoObject := top.(map[string]any)
	if top == nil {
		return base
	}
	if !isObject || !alsoObject {
		return top
	}
	for key, value := range t {
		b[key] = overlay(b[key], value)
	}
	return b
}
