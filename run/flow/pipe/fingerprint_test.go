package pipe

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/fingerprint"
)

// TestFingerprintFields: the fingerprint lists the fields of a pipeline's parts one by one, so a
// new field must be added there.
func TestFingerprintFields(t *testing.T) {
	for _, c := range []struct {
		of    reflect.Type
		known []string
	}{
		{reflect.TypeFor[Graph](), []string{"Processes", "Connections", "Edges"}},
		{reflect.TypeFor[Node](), []string{"Name", "Type", "Config", "Span"}},
		{reflect.TypeFor[Setting](), []string{"Value", "Span", "ReadOnly", "Tunable", "Symbolic"}},
		{reflect.TypeFor[Cluster](), []string{"Processes", "Connections", "In", "Out", "Keys"}},
	} {
		var fields []string
		for i := range c.of.NumField() {
			fields = append(fields, c.of.Field(i).Name)
		}
		if !slices.Equal(fields, c.known) {
			t.Errorf("%s has the fields %v, and its fingerprint knows %v; want %v", c.of, fields, c.known, c.known)
		}
	}
	if found := fingerprint.Neutral(reflect.TypeFor[graphForm](), reflect.TypeFor[EdgeRules]()); len(found) > 0 {
		t.Errorf("%v do not count", found)
	}
}

// TestFingerprint: edges and their configuration.
func TestFingerprint(t *testing.T) {
	counter := &Type{Name: "count", Out: []Port{{Name: "n", Type: "integer"}}, Keys: []Key{{Name: "to", Kind: Int}, {Name: "by", Kind: Double}, {Name: "loud", Kind: Bool}}, New: func() Process { return nil }}
	declared := &Type{Name: "theirs", Keys: counter.Keys, Version: "KWIVER 1.8"}
	read := &Type{Name: "read", Keys: counter.Keys, Origin: "module.py", New: counter.New}
	sum := func(change func(*Graph)) fingerprint.Sum {
		g := &Graph{}
		g.AddProcess("a", "count", Set("to", "10", "by", "0.5", "loud", "yes"))
		g.AddProcess("b", "theirs", Set("to", "10"))
		g.AddProcess("c", "read", Set("to", "10"))
		g.Connect("a.n", "b.n")
		g.Connect("a.n", "c.n")
		change(g)
		return g.Fingerprint(NewRegistry(counter, declared, read), "", 0)
	}
	set := func(i int, key, value string) func(*Graph) {
		return func(g *Graph) { g.Processes[i].Config[key] = Setting{Value: value} }
	}
	edges := func(key, value string) func(*Graph) {
		return func(g *Graph) {
			if problem := g.Edges.Set(key, value, g.Processes[0].Span); problem != nil {
				t.Fatalf("%v; want none", problem)
			}
		}
	}
	base := sum(func(*Graph) {})
	for name, c := range map[string]struct {
		change func(*Graph)
		same   bool
	}{
		"spelling of an integer": {set(0, "to", " +010 "), true},
		"spelling of a number":   {set(0, "by", "5e-1"), true},
		"spelling of a truth":    {set(0, "loud", "TRUE"), true},
		"key without a type":     {set(0, "other", "1"), false},
		"what is not our type":   {set(1, "to", "010"), false},
		"what Python reads":      {set(2, "to", "010"), false},
		"order of processes":     {func(g *Graph) { slices.Reverse(g.Processes) }, true},
		"edge":                   {func(g *Graph) { g.Connections[0].To.Port = "m" }, false},
		"capacity of an edge":    {func(g *Graph) { g.Connections[0].Edge = Capacity(1) }, false},
		"capacity of none":       {func(g *Graph) { g.Connections[0].Edge = Capacity(0) }, false},
		"capacity of all":        {edges("_edge:capacity", "3"), false},
		"capacity at an end":     {edges("_edge_by_conn:a:up:n:capacity", "3"), false},
		"symbols": {func(g *Graph) {
			g.Processes[0].Config["to"] = Setting{Value: "10", Symbolic: []Piece{{Symbol: "10"}}}
		}, false},
		"tunable": {func(g *Graph) { g.Processes[0].Config["to"] = Setting{Value: "10", Tunable: true} }, false},
	} {
		if same := sum(c.change) == base; same != c.same {
			t.Errorf("%s: the same %v, want %v", name, same, c.same)
		}
	}
	// A port chosen by the pipeline is identified by its position among the chosen ports; the order
	// of connections to declared ports does not matter.
	order := func(names ...string) fingerprint.Sum {
		fan := &Type{Name: "fan", Out: []Port{{Name: "out/<any>"}, {Name: "all"}}}
		g := &Graph{}
		g.AddProcess("f", "fan", nil)
		for _, n := range names {
			g.Connect("f."+n, n+".x")
		}
		return g.Fingerprint(NewRegistry(fan), "", 0)
	}
	if order("out/a", "out/b", "all") == order("out/b", "out/a", "all") || order("out/a", "all") != order("all", "out/a") {
		t.Error("the order of ports that the pipeline chose counts, and no other")
	}
}
