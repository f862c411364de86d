//go:build linux

package arch

import (
	"debug/elf"
	"debug/gosym"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestNoMethodsByName checks that the program calls no method by a name that is only
// known at run time, as text/template does. Otherwise the linker would have to keep every
// exported method of every type, and the program would be a tenth larger.
func TestNoMethodsByName(t *testing.T) {
	need.Slow(t) // it builds the program
	f, err := elf.Open(golden.Pentode(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := f.Section(".gopclntab").Data() // the program is stripped of symbols; Go's line table still has the names of functions
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(lines, f.Section(".text").Addr))
	if err != nil || len(table.Funcs) < 1000 {
		t.Fatalf("%d functions, %v", len(table.Funcs), err)
	}
	for _, s := range table.Funcs {
		if s.Name == "reflect.Value.MethodByName" || strings.HasPrefix(s.Name, "text/template.(*state).") {
			t.Errorf("the program contains %s, want it without", s.Name)
		}
	}
}
