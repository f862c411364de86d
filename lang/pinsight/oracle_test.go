package pinsight

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/run/trace"
)

// oracleCase is a recorded case: some files, and what the original program made of them.
type oracleCase struct {
	ID, Desc string
	Input    []*string // nil: the file does not exist
	Env      map[string]string
	Args     []string
	RC       any
	Changed  map[string]any `json:"changed_vs_baseline"`
}

// TestOracleState reads every recorded file as an installed PInsight does
// and compares the resulting tables with those that the original program printed.
func TestOracleState(t *testing.T) {
	golden.Oracle(t, "pinsight", func(t *testing.T, set golden.Set) {
		for _, c := range golden.List[oracleCase](t, set, "cases.json") {
			t.Run(c.ID, func(t *testing.T) { c.state(t, set) })
		}
	})
}

func (c *oracleCase) state(t *testing.T, set golden.Set) {
	if fmt.Sprint(c.RC) != "0" {
		c.crashed(t)
		return
	}
	baseline := "baseline_no_file.json"
	if slices.ContainsFunc(c.Input, func(text *string) bool { return text != nil }) {
		baseline = "baseline_empty_file.json"
	}
	want := map[string]any{}
	set.Fact(t, baseline, &want)
	merge(want, c.Changed)
	c.compare(t, want)
}

// compare compares our state after the files of a case with the original's.
func (c *oracleCase) compare(t *testing.T, want map[string]any) {
	n := c.load()
	if execs, ok := want["exec"].([]any); ok {
		modes, _ := want["modes_after_exec"].(map[string]any)
		c.execute(t, n, execs, modes)
	}
	got := map[string]any{}
	roundTrip(t, stateTable(n), &got)
	prune(want, Upstream())
	prune(got, Upstream())
	if diff := cmp.Diff(want, got, cmp.Comparer(sameDouble)); diff != "" {
		t.Errorf("%s (-original +ours):\n%s\nwant nothing", c.Desc, diff)
	}
}

// crashed handles a case in which the original program crashed: our reader must end normally, and check must report a finding.
func (c *oracleCase) crashed(t *testing.T) {
	findings := 0
	for _, text := range c.Input {
		if text != nil {
			findings += len(New(Options{}).Parse(source.NewFile("x.pinsight", *text)).Resolve(&load.Env{Dialect: load.Upstream}).Diagnostics())
		}
	}
	if findings == 0 {
		t.Errorf("%s: the original crashed, and we say nothing", c.Desc)
	}
}

// load starts with the first file and reloads with the others. A missing file leaves the state unchanged.
func (c *oracleCase) load() *installed.State {
	n := installed.New(Upstream().Catalog, Upstream().policies)
	env := &load.Env{Lookup: func(name string) (string, bool) {
		v, ok := c.Env[name]
		return v, ok
	}}
	for i, text := range append(c.Input, nil)[:max(1, len(c.Input))] {
		if text != nil {
			n.Load(source.NewFile("trace_config.txt", *text))
		}
		if i == 0 {
			n.Start(env)
		}
	}
	return n
}

// execute runs the recorded executions through the engine.
func (c *oracleCase) execute(t *testing.T, n *installed.State, execs []any, modesAfter map[string]any) {
	policy, err := n.Policy()
	if err != nil {
		t.Fatal(err)
	}
	engine := trace.NewEngine(policy)
	for i := range n.Domains {
		engine.SetMode(trace.DomainID(i), n.Domains[i].Mode) // no launcher set Python's mode
	}
	unit := engine.Unit()
	for i := 0; i+1 < len(c.Args); i += 2 {
		domain, kind, _ := strings.Cut(strings.TrimPrefix(c.Args[i], "--"), "-")
		d, known := Upstream().Domain(map[string]string{"mpi": "MPI", "omp": "OpenMP", "cuda": "CUDA", "hip": "HIP", "python": "Python"}[domain])
		k, ok := Upstream().Kind(d, kind)
		id, err := strconv.Atoi(c.Args[i+1])
		if !known || !ok || err != nil {
			t.Fatalf("unit %s %s, want a known domain and kind, and a number", c.Args[i], c.Args[i+1])
		}
		unit.SetID(k, uint32(id))
	}
	for _, x := range execs {
		what := x.(map[string]any)
		part := append(strings.Split(what["exec"].(string), "@"), "")
		d, _ := Upstream().Domain(part[0])
		event, ok := Upstream().Event(d, part[1])
		if !ok {
			t.Fatalf("no event %s", part[1])
		}
		region := trace.Region{Domain: d, Part: part[1], File: part[4]}
		if address, ok := parseAddress(part[2]); ok {
			region.Address = address
		} else {
			region.Name = part[2]
		}
		id, err := engine.Region(region)
		if err != nil {
			t.Fatal(err)
		}
		count, _ := strconv.Atoi(part[3])
		var bits strings.Builder
		for range count {
			unit.Begin(id)
			bit := byte('0')
			if unit.Decide(id, event) {
				bit = '1'
			}
			bits.WriteByte(bit)
			unit.End(id)
		}
		if bits.String() != what["bits"] {
			t.Errorf("%s: traced %s, the original %s; want %v", what["exec"], bits.String(), what["bits"], what["bits"])
		}
	}
	for name, mode := range modesAfter {
		d, _ := Upstream().Domain(name)
		if got := engine.Mode(d).String(); got != mode {
			t.Errorf("mode of %s afterwards: %s, the original %s; want %v", name, got, mode, mode)
		}
	}
}

// stateTable returns the state in the form of the recordings.
func stateTable(n *installed.State) map[string]any {
	domains, per := map[string]any{}, map[string]any{}
	for i, d := range Upstream().Domains() {
		dom := &n.Domains[i]
		ranges, policy, units := map[string]any{}, map[string]any{}, []any{}
		for _, k := range d.Kinds {
			ranges[k.Name] = []int32{dom.Ranges[k.Name].Low, dom.Ranges[k.Name].High}
		}
		for _, key := range Upstream().policies[i] {
			policy[key] = fmt.Sprintf("%s/%d", dom.Policy.Name, dom.Policy.MS)
		}
		for _, u := range dom.Units {
			units = append(units, map[string]any{"punits": unitTable(u.Sets), "events": maskTable(u.Events)})
		}
		domains[d.Name] = map[string]any{
			"mode": dom.Mode.String(), "last_mode": dom.LastMode.String(), "ranges": ranges, "nodepolicy": policy,
			"default_events": maskTable(dom.Events), "punit_configs": units,
		}
		per[d.Name] = entryTable(&n.PerDomain[i])
	}
	regions, knobs := []any{}, map[string]any{}
	for _, e := range n.Regions {
		regions = append(regions, entryTable(e))
	}
	for _, k := range n.Knobs {
		knobs[k.Name] = k.Value
		if f, ok := k.Value.(float64); ok {
			knobs[k.Name] = double{strconv.FormatFloat(f, 'g', -1, 64)}
		}
	}
	return map[string]any{
		"domains": domains, "lexgion_default": entryTable(&n.Default), "lexgion_domain_default": per, "lexgions": regions,
		"knobs": knobs, "energy_measure": n.Energy.Name, "manifest_interval": n.Interval,
	}
}

// double is a knob with a floating-point number.
type double struct {
	Text string `json:"double"`
}

// sameDouble compares the values of two such knobs.
func sameDouble(a, b double) bool {
	x, err := strconv.ParseFloat(a.Text, 64)
	y, alsoErr := strconv.ParseFloat(b.Text, 64)
	return err == nil && alsoErr == nil && (x == y || math.IsNaN(x) && math.IsNaN(y))
}

func maskTable(m trace.Mask) map[string]any {
	return map[string]any{"hex": fmt.Sprintf("0x%x", m[0])}
}

func unitTable(sets trace.Constraints) map[string]any {
	out := map[string]any{}
	for _, s := range sets {
		if out[s.Domain] == nil {
			out[s.Domain] = map[string]any{}
		}
		out[s.Domain].(map[string]any)[s.Kind] = s.Set.String()
	}
	return out
}

func entryTable(e *installed.Entry) map[string]any {
	masks, modes, policies := map[string]any{}, map[string]any{}, map[string]any{}
	for d, m := range e.Events {
		masks[Upstream().Name(d)] = maskTable(*m)
	}
	for d, m := range e.End.Modes {
		modes[Upstream().Name(d)] = m.String()
	}
	for d, p := range e.End.Policies {
		policies[Upstream().Name(d)] = fmt.Sprintf("%s/%d", p.Name, p.MS)
	}
	flag := map[bool]int{true: 1}
	address := "(nil)"
	if e.Address != 0 {
		address = fmt.Sprintf("0x%x", e.Address)
	}
	return map[string]any{
		"codeptr": address, "name": e.Name, "file": e.File, "domain_index": e.Domain, "removed": flag[e.Removed],
		"trace_starts_at": int32(e.Start), "max_num_traces": int32(e.Max), "tracing_rate": int32(e.Every),
		"punit_set_set": flag[e.Constrained], "punits": unitTable(e.Units), "events": masks,
		"end_action": map[string]any{
			"modes": modes, "introspect": flag[e.End.Introspect], "pause": e.End.Pause, "script": e.End.Script,
			"trigger": flag[e.End.All], "window_timeout": e.End.Timeout, "device_activity": policies,
		},
	}
}

// prune removes the parts that are not compared.
func prune(state map[string]any, c *Catalog) {
	for _, key := range []string{"config_hash", "wakeup", "exec", "modes_after_exec", "stderr"} {
		delete(state, key)
	}
	for name := range state["lexgion_domain_default"].(map[string]any) {
		e := state["lexgion_domain_default"].(map[string]any)[name].(map[string]any)
		delete(e, "codeptr")
		delete(e, "domain_index")
	}
	delete(state["lexgion_default"].(map[string]any), "domain_index")
	for name, d := range state["domains"].(map[string]any) {
		if events := d.(map[string]any); events["default_events"] == "install" {
			id, _ := c.Domain(name)
			events["default_events"] = map[string]any{"hex": fmt.Sprintf("0x%x", c.Defaults(id)[0])}
		}
	}
	knobs, _ := state["knobs"].(map[string]any)
	for name, value := range knobs {
		if number, ok := value.(map[string]any); ok {
			knobs[name] = double{fmt.Sprint(number["double"])}
		}
	}
	pruneAll(state)
}

// pruneAll removes the written-out masks and empty sets of units, at any depth.
func pruneAll(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "on")
		if punits, ok := v["punits"].(map[string]any); ok {
			for d, kinds := range punits {
				if len(kinds.(map[string]any)) == 0 {
					delete(punits, d)
				}
			}
		}
		for _, x := range v {
			pruneAll(x)
		}
	case []any:
		for _, x := range v {
			pruneAll(x)
		}
	}
}

// merge applies changes to a baseline: objects key by key, everything else as a whole.
func merge(base, changes map[string]any) {
	for key, value := range changes {
		if value == nil {
			continue
		}
		inner, ok := value.(map[string]any)
		have, both := base[key].(map[string]any)
		if ok && both {
			merge(have, inner)
			continue
		}
		base[key] = value
	}
}

func roundTrip(t *testing.T, in any, out any) {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // as the set is read
	if err := d.Decode(out); err != nil {
		t.Fatal(err)
	}
}

// recordedDomain is a domain of the recorded catalogue.
type recordedDomain struct {
	Index  int
	Punits []struct {
		Name      string
		Low, High uint32
	}
	Subdomains []struct {
		Name   string
		Events []struct {
			ID      int
			Name    string
			Default int
		}
	}
}

// TestOracleCatalogue compares our table with the recorded one.
func TestOracleCatalogue(t *testing.T) {
	golden.Oracle(t, "pinsight", func(t *testing.T, set golden.Set) {
		var recorded map[string]recordedDomain
		set.Read(t, "catalog.json", &recorded)
		for name, want := range recorded {
			t.Run(name, func(t *testing.T) { want.compare(t, name) })
		}
	})
}

func (want *recordedDomain) compare(t *testing.T, name string) {
	id, ok := Upstream().Domain(name)
	if !ok || int(id) != want.Index {
		t.Fatalf("domain number %d, found %v, want %d", id, ok, want.Index)
	}
	got := Upstream().Domains()[id]
	domain := trace.Domain{Name: name}
	for _, k := range want.Punits {
		domain.Kinds = append(domain.Kinds, trace.Kind{Name: k.Name, Low: k.Low, High: k.High})
	}
	for _, s := range want.Subdomains {
		for _, e := range s.Events {
			domain.Events = append(domain.Events, trace.Event{ID: trace.EventID(e.ID), Name: e.Name, Subdomain: s.Name, On: e.Default != 0})
		}
	}
	if diff := cmp.Diff(domain, got); diff != "" {
		t.Errorf("ours differs:\n%s", diff)
	}
}
