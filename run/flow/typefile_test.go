package flow_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
)

func TestReadTypes(t *testing.T) {
	types, err := flow.ReadTypes(strings.NewReader(`[{"type": "blur", "doc": "Softer.",
		"in": [["image", "kwiver:image", "required", "It."]], "out": [["image", "kwiver:image"]],
		"config": [["radius", "double", "1.0", "Pixels.", true], ["algo:type / algo:<impl>:*", "algo", "", "", false]],
		"check": "check_sync", "properties": "_unsync_input"}]`))
	if err != nil {
		t.Fatal(err)
	}
	b := types[0]
	if b.Name != "blur" || b.In[0].Flags != flow.Required || b.Out[0].Type != "kwiver:image" || b.Level != flow.CheckSync || !b.Keys[0].Tunable || b.Keys[1].Name != "algo" || b.Properties[0] != "_unsync_input" {
		t.Errorf("have %+v", b)
	}
	if k, ok := b.KeyFor("algo:ocv:threshold"); !ok || k.Kind != flow.Algo {
		t.Errorf("algo:ocv:threshold is not covered")
	}
	for text, want := range map[string]string{
		`[{"in": []}]`:                                            "number 1 has no name",
		`[{"type": "a", "in": [["x"]]}]`:                          "process type `a`: a port needs at least a name and a type",
		`[{"type": "a", "in": [["x", "y", "requierd"]]}]`:         "`requierd` is not a port flag",
		`[{"type": "a", "config": [["x", "int", 3, "", false]]}]`: "key `x`: place 3 holds `3`",
		`[{"type": "a", "config": [[""]]}]`:                       "a key needs a name",
		`[{`:                                                      "it ends too early",
		`[{"type" 3}]`:                                            "mistake before byte",
		`{"type": "a"}`:                                           "is a object",
	} {
		if _, err := flow.ReadTypes(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: have %v, want %s", text, err, want)
		}
	}
}

// FuzzReadTypes: whatever is read, registering and looking up does not panic.
func FuzzReadTypes(f *testing.F) {
	f.Add(`[{"type": "a", "in": [["x/<t>", "_flow_dependent/<t>", "required"]], "config": [["k", "algo"]]}]`, "x/1")
	f.Add(`[{"type": "a", "out": [["<", "y"], ["<n>", "y"], ["a<b", "c"]]}]`, "a1")
	f.Fuzz(func(t *testing.T, text, name string) {
		types, err := flow.ReadTypes(strings.NewReader(text))
		if err != nil {
			return
		}
		var r flow.Registry
		for _, typ := range types {
			if r.Add(typ) == nil {
				typ.FindIn(name)
				typ.FindOut(name)
				typ.KeyFor(name)
			}
		}
		g := flow.Graph{Processes: []flow.Node{{Name: "p", Type: name}}, Connections: []flow.Connection{{From: flow.PortRef{Process: "p", Port: name}, To: flow.PortRef{Process: "p", Port: name}}}}
		for typ := range r.All() {
			g.Processes[0].Type = typ.Name
			flow.Check(&g, &r)
		}
	})
}
