package catalog

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestRoles checks that the Python package and the catalogue list the same types for Python algorithms, with the same
// keys and ports.
func TestRoles(t *testing.T) {
	cmd := exec.Command(need.Python(t), "-c", `import json
from pentode.kwiver.roles import ANY, ROLES
print(json.dumps({name: [r.key, [p for p in r.inputs if p != ANY], r.outputs] for name, r in ROLES.items()}))`)
	cmd.Dir = "../../../python"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var roles map[string][3]any
	if err := json.Unmarshal(out, &roles); err != nil {
		t.Fatal(err)
	}
	types, checked := Standard(), 0
	for typ := range types.All() {
		i := slices.IndexFunc(typ.Keys, func(k pipe.Key) bool { return strings.Contains(k.Doc, "an algorithm that a Python module registers") })
		role, ok := roles[typ.Name]
		if i < 0 {
			continue
		}
		if !ok {
			t.Errorf("type `%s` takes algorithms in Python, which have no role there", typ.Name)
			continue
		}
		checked++
		if role[0] != typ.Keys[i].Name {
			t.Errorf("the algorithm of `%s` is chosen by `%s`, and in Python by `%v`; want %v", typ.Name, typ.Keys[i].Name, role[0], typ.Keys[i].Name)
		}
		whole := typ.Runs() // includes the ports that exist in one program's version only
		for side, ports := range [][]pipe.Port{whole.In, whole.Out} {
			for _, name := range role[side+1].([]any) {
				if !slices.ContainsFunc(ports, func(p pipe.Port) bool { return p.Name == name }) {
					t.Errorf("the algorithm of `%s` has a port `%v` in Python, which the type has not", typ.Name, name)
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d types take algorithms in Python", checked)
	}
}
