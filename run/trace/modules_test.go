package trace

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

func TestModulePatterns(t *testing.T) {
	for _, c := range []struct {
		pattern  string
		yes, not []string
	}{
		{"solver", []string{"solver"}, []string{"solver.core", "my.solver", "solve", "solvers"}},
		{"solver.*", []string{"solver.core", "solver.core.inner"}, []string{"solver", "solvers.a"}},
		{"*", []string{"a", "a.b", "__main__"}, nil},
		{"*.test_?", []string{"a.test_1", "a.b.test_x"}, []string{"test_1", "a.test_", "a.test_12"}},
		{"a*b*c", []string{"abc", "a.b.b.c", "aXbXc"}, []string{"ab", "acb", "abcd"}},
		{"?", []string{"a"}, []string{"ab"}},
		{"a**", []string{"a", "ab"}, []string{"b"}},
	} {
		if p, bad, ok := ParseModules(c.pattern); !ok || !slices.Equal(p, []string{c.pattern}) {
			t.Errorf("%s is read as %q, without %q", c.pattern, p, bad)
		}
		for _, name := range c.yes {
			if !matches(c.pattern, name) {
				t.Errorf("%s does not match %s", c.pattern, name)
			}
		}
		for _, name := range c.not {
			if matches(c.pattern, name) {
				t.Errorf("%s matches %s, want it not to", c.pattern, name)
			}
		}
	}
	for text, want := range map[string]string{"": "", "a,,b": "", "a b": "a b", "a, b-c": "b-c", "a..b": "a..b", "x.1a": "x.1a", ".a": ".a", "a/b": "a/b"} {
		if p, bad, ok := ParseModules(text); ok || bad != want {
			t.Errorf("`%s` is read as %q, and what is wrong with it is %q, not %q", text, p, bad, want)
		}
	}
	// The number of attempts grows with the length of the name, not with the number of stars.
	if matches(strings.Repeat("a*", 50)+"b", strings.Repeat("a", 10000)) {
		t.Error("a name without a b matches")
	}
}

// By default, the program itself and the functions named by sections are traced.
func TestModules(t *testing.T) {
	cat, err := NewCatalog(Domain{Name: "OpenMP", Events: []Event{{Name: "omp_work", On: true}}}, Domain{Name: Python, Events: []Event{{Name: "py_start", On: true}}})
	if err != nil {
		t.Fatal(err)
	}
	set := func(patterns ...string) DomainLayer {
		return DomainLayer{Modules: Modules{Patterns: patterns, Set: true}}
	}
	named := []RegionEntry{{Match: Match{Name: "step"}}}
	for _, c := range []struct {
		layer        DomainLayer
		name, module string
		regions      []RegionEntry
		want         bool
	}{
		{DomainLayer{}, "f", "__main__", nil, true},
		{DomainLayer{}, "f", "json.decoder", nil, false},
		{DomainLayer{}, "f", "", nil, true},
		{set("json.*"), "f", "json.decoder", nil, true},
		{set("json.*"), "f", "__main__", nil, false},
		{set("a", "*"), "f", "re", nil, true},
		{set("a"), "step", "re", named, true},
		{set("a"), "f", "re", named, false},
	} {
		p, err := Compile(cat, &Config{Domains: map[string]DomainLayer{Python: c.layer}, Regions: c.regions})
		if err != nil {
			t.Fatal(err)
		}
		region := Region{Domain: 1, Name: c.name, Module: c.module}
		traced := slices.Collect(p.Executions(region, 0, nil, 2))
		if got := len(traced) == 2; got != c.want {
			t.Errorf("%s of %q with %v: executions %v are traced, want all: %v", c.name, c.module, c.layer.Modules, traced, c.want)
		}
		x, err := p.Explain(Query{Region: region})
		if err != nil || (x.Verdict == Traced) != c.want || !c.want && x.Verdict != OutsideModule {
			t.Errorf("%s of %q with %v: the verdict is %d, want all traced: %v, and otherwise outside of the module", c.name, c.module, c.layer.Modules, x.Verdict, c.want)
		}
		if asked := c.name == "f"; (x.Modules != nil) != asked {
			t.Errorf("%s of %q: modules are explained: %v, want %v", c.name, c.module, x.Modules, asked)
		}
	}
	p, err := Compile(cat, &Config{})
	if err != nil {
		t.Fatal(err)
	}
	if traced := slices.Collect(p.Executions(Region{Domain: 0, Module: "other"}, 0, nil, 1)); len(traced) != 1 {
		t.Error("a domain without modules asks for them")
	}
}

// A reload keeps the modules unless the new file sets them; both cases are reported as changes.
func TestModulesReload(t *testing.T) {
	cat, err := NewCatalog(Domain{Name: Python, Events: []Event{{Name: "py_start", On: true}}})
	if err != nil {
		t.Fatal(err)
	}
	layer := func(l DomainLayer) *Config { return &Config{Domains: map[string]DomainLayer{Python: l}} }
	p, err := Compile(cat, layer(DomainLayer{Modules: Modules{Patterns: []string{"a"}, Set: true}}))
	if err != nil {
		t.Fatal(err)
	}
	e := NewEngine(p)
	if changes, err := e.Reload(layer(DomainLayer{Mode: Tracing}), Merge); err != nil || len(changes) != 1 {
		t.Errorf("a mode changes %v, %v", changes, err)
	}
	changes, err := e.Reload(layer(DomainLayer{Modules: Modules{Patterns: []string{"a", "b.*"}, Set: true}}), Merge)
	if err != nil || len(changes) != 1 || changes[0].String() != "`Python.default` modules: a → a, b.*" {
		t.Errorf("new modules change %v, %v", changes, err)
	}
}

// Agents have the patterns as zero-terminated texts.
func TestFlatModules(t *testing.T) {
	cat, err := NewCatalog(Domain{Name: "OpenMP", Events: []Event{{Name: "omp_work"}}}, Domain{Name: Python, Events: []Event{{Name: "py_start"}}})
	if err != nil {
		t.Fatal(err)
	}
	set := DomainLayer{Modules: Modules{Patterns: []string{"a.*", "b"}, Set: true}}
	for want, layers := range map[string]Layers{
		"a.*\x00b\x00":      &Config{Domains: map[string]DomainLayer{Python: set}},
		mainModule + "\x00": &Config{},
		"":                  &Installed{},
	} {
		p, err := Compile(cat, layers)
		if err != nil {
			t.Fatal(err)
		}
		table, err := (&Flat{Domains: AgentDomains(cat)}).Table(p)
		if err != nil {
			t.Fatal(err)
		}
		var head layout.Policy
		if _, err := binary.Decode(table, binary.LittleEndian, &head); err != nil {
			t.Fatal(err)
		}
		if got := string(table[head.Modules.At : head.Modules.At+head.Modules.Count]); got != want {
			t.Errorf("the patterns are %q, want %q", got, want)
		}
	}
}
