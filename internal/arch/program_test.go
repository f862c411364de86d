//go:build linux

package arch

import (
	"debug/elf"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

func TestMain(m *testing.M) { golden.Main(m) }

// TestNoMethodsByName: the program calls no method by a name that is known
// only when it runs, as text/template does. The linker would have to keep
// every exported method of every type, which is a tenth of the program.
func TestNoMethodsByName(t *testing.T) {
	need.Slow(t) // it builds the program
	f, err := elf.Open(golden.Pentode(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil || len(symbols) < 1000 {
		t.Fatalf("%d symbols, %v", len(symbols), err)
	}
	for _, s := range symbols {
		if s.Name == "reflect.Value.MethodByName" || strings.HasPrefix(s.Name, "text/template.(*state).") {
			t.Errorf("the program contains %s", s.Name)
		}
	}
}
