package coil_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestOracleFeatures writes every feature of the recorded instruction sets
// into a file of its own: none of them is an error.
func TestOracleFeatures(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(golden.Oracle(t), "coil", "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Arch map[string]struct {
			Features   map[string]any
			Implies    map[string][]string
			Extensions []string
			FPU        map[string][]string
			SM         []any
		}
	}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, m := range []struct {
		key, pu, arch string
		mode          int
	}{
		{"CPU/x86", "CPU", "x86", 64}, {"CPU/ARM/32", "CPU", "ARM", 32}, {"CPU/ARM/64", "CPU", "ARM", 64}, {"CPU/RISC-V", "CPU", "RISC-V", 64},
		{"GPU/NVIDIA", "GPU", "NVIDIA", 64},
	} {
		a := recorded.Arch[m.key]
		names := slices.Concat(a.Extensions, slices.Collect(maps.Keys(a.Features)), slices.Collect(maps.Keys(a.Implies)), slices.Collect(maps.Keys(a.FPU)))
		for _, sm := range a.SM {
			names = append(names, fmt.Sprint(sm))
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			cases++
			t.Run(m.key+"/"+name, func(t *testing.T) {
				file := strings.Replace(with("PU = "+m.pu, "Architecture = "+m.arch, fmt.Sprintf("Mode = %d", m.mode)), "\n\n", "\nFeatures = "+name+"\n\n", 1)
				for _, d := range resolved(language, source.Map{"x.coilcfg": file}).Diagnostics() {
					if id := strings.TrimPrefix(d.Code.ID, "coil/"); id != "spelling" && id != "feature-mode" && id != "feature-obsolete" {
						t.Errorf("%s: %s", d.Code.ID, d.Message)
					}
				}
			})
		}
	}
	if cases == 0 {
		t.Fatal("the recorded tables have no features")
	}
}
