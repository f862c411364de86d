package coil_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestOracleFeatures writes every feature of the recorded instruction sets into
// a file of its own. None of them is an error.
func TestOracleFeatures(t *testing.T) {
	golden.Oracle(t, "coil", oracleFeatures)
}

func oracleFeatures(t *testing.T, set golden.Set) {
	var recorded struct {
		Arch map[string]struct {
			Features   map[string]any
			Implies    map[string][]string
			Extensions []string
			FPU        map[string][]string
			SM         []any
			Variants   []string
			Aliases    map[string]any
			CPUs       []string
		}
	}
	set.Read(t, "tables.json", &recorded)
	if recorded.Arch == nil {
		t.Skip("the tables have no architectures")
	}
	cases := 0
	for _, m := range []struct {
		key, pu, arch string
		mode          int
	}{
		{"CPU/x86", "CPU", "x86", 64}, {"CPU/ARM/32", "CPU", "ARM", 32}, {"CPU/ARM/64", "CPU", "ARM", 64}, {"CPU/RISC-V", "CPU", "RISC-V", 64},
		{"GPU/NVIDIA", "GPU", "NVIDIA", 64}, {"GPU/AMD", "GPU", "AMD", 64},
	} {
		a := recorded.Arch[m.key]
		names := slices.Concat(a.Extensions, slices.Collect(maps.Keys(a.Features)), slices.Collect(maps.Keys(a.Implies)), slices.Collect(maps.Keys(a.FPU)), a.Variants, slices.Collect(maps.Keys(a.Aliases)))
		for _, sm := range a.SM {
			names = append(names, fmt.Sprint(sm))
		}
		if m.arch == "AMD" { // COIL calls these features devices; LLVM has others too
			names = slices.DeleteFunc(slices.Clone(a.CPUs), func(n string) bool { return strings.HasPrefix(n, "generic") })
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			cases++
			t.Run(m.key+"/"+name, func(t *testing.T) {
				file := strings.Replace(with("PU = "+m.pu, "Architecture = "+m.arch, fmt.Sprintf("Mode = %d", m.mode)), "\n\n", "\nFeatures = "+name+"\n\n", 1)
				for _, d := range resolved(language, source.Map{"x.coilcfg": file}).Diagnostics() {
					if d.Severity == diag.Error {
						t.Errorf("%s: %s; want other than %v", d.Code.ID, d.Message, diag.Error)
					}
				}
			})
		}
	}
	if cases == 0 {
		t.Fatal("the recorded tables have no features")
	}
}
