package target

import (
	"os"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// TestNVCCTable: for every device of the tables that nvcc 13 accepted, it gets the flag that made a cubin for that
// device; for other devices it gets no flag.
func TestNVCCTable(t *testing.T) {
	text, err := os.ReadFile("testdata/nvcc13.tsv")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, answer, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			made[name] = answer
		}
	}
	arch, _ := builtin.Tables().Arch("GPU", "NVIDIA")
	isa, _ := arch.Mode(64)
	asked := 0
	for i := range isa.Features {
		f := &isa.Features[i]
		if !strings.HasPrefix(f.Key, "sm_") {
			continue
		}
		x := builtIn.Default("GPU", "NVIDIA", 64)
		x.Features = []string{f.Name}
		flags, _, err := builtIn.Flags(x, Compiler{Name: "nvcc", Major: 13}, Compiling)
		if err != nil {
			t.Fatal(err)
		}
		device := ""
		for _, flag := range flags {
			if name, ok := strings.CutPrefix(flag, "-arch="); ok {
				device = name
			}
		}
		if made[f.Key] == "" {
			t.Errorf("nvcc 13 was not asked for %s", f.Name)
		}
		if takes := made[f.Key] == f.Key; takes != (device == f.Key) || device != "" && device != f.Key {
			t.Errorf("%s: nvcc 13 made %q of it, and gets %q; want -arch exactly where nvcc takes the name", f.Name, made[f.Key], flags)
		} else if takes {
			asked++
		}
	}
	if asked != 23 {
		t.Errorf("%d devices are in both lists, want 23", asked)
	}
}
