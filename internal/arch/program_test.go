//go:build linux

package arch

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestNoMethodsByName: the program calls no method by a name that is known
// only when it runs, as text/template does. The linker would have to keep
// every exported method of every type, which is a tenth of the program.
func TestNoMethodsByName(t *testing.T) {
	need.Slow(t) // it builds the program
	program := filepath.Join(t.TempDir(), "pentode")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "github.com/pentode-dev/pentode/cmd/pentode").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := elf.Open(program)
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
