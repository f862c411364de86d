package catalog

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestOracleProcessTypes compares every declaration with what was extracted from upstream.
func TestOracleProcessTypes(t *testing.T) {
	golden.Oracle(t, "sprokit", oracleProcessTypes)
}

type recordedType struct {
	Type       string
	In, Out    [][3]string
	Config     [][5]any
	Check      string
	Properties string
}

func oracleProcessTypes(t *testing.T, set golden.Set) {
	reg := Standard()
	for _, want := range golden.List[recordedType](t, set, "process_types.json") {
		t.Run(want.Type, func(t *testing.T) {
			have, ok := reg.Lookup(want.Type)
			if !ok {
				t.Fatal("not declared")
			}
			if have.Doc == "" {
				t.Error("no documentation")
			}
			samePorts(t, "input", have.In, want.In)
			samePorts(t, "output", have.Out, want.Out)
			for _, c := range want.Config {
				name, _, _ := strings.Cut(c[0].(string), " / ")
				k, ok := have.KeyFor(name)
				if !ok {
					t.Errorf("key %s is not declared", name)
					continue
				}
				if string(k.Kind) != c[1] || k.Default != c[2] || k.Tunable != c[4] {
					t.Errorf("key %s is %s %q tunable %v, want %v %q %v", name, k.Kind, k.Default, k.Tunable, c[1], c[2], c[4])
				}
			}
			if level := have.Level.String(); want.Check != "" && !strings.Contains(want.Check, level) {
				t.Errorf("level is %s, want %s", level, want.Check)
			}
			if props := strings.Join(have.Properties, ","); props != want.Properties {
				t.Errorf("properties are %q, want %q", props, want.Properties)
			}
		})
	}
}

func samePorts(t *testing.T, side string, have []pipe.Port, want [][3]string) {
	t.Helper()
	if len(have) != len(want) {
		t.Fatalf("%d %s ports, want %d", len(have), side, len(want))
	}
	for i, w := range want {
		flags, err := pipe.ParseFlags(w[2])
		if err != nil {
			t.Fatal(err)
		}
		if h := have[i]; h.Name != w[0] || h.Type != w[1] || h.Flags != flags {
			t.Errorf("%s port %d is %s %s (%s), want %s %s (%s)", side, i, h.Name, h.Type, h.Flags, w[0], w[1], w[2])
		}
		if have[i].Doc == "" {
			t.Errorf("%s port %s has no documentation", side, w[0])
		}
	}
}

// TestDocumented checks that every type has what a reader of the reference needs.
func TestDocumented(t *testing.T) {
	for typ := range Standard().All() {
		if typ.Doc == "" || typ.New == nil && typ.Cluster == nil && typ.Needs == "" {
			t.Errorf("%s cannot run and does not say why", typ.Name)
		}
		for _, k := range typ.Keys {
			if k.Doc == "" {
				t.Errorf("key %s of %s has no documentation", k.Name, typ.Name)
			}
		}
	}
}
