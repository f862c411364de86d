package target

import (
	"slices"
	"strings"
	"testing"
)

// TestRustProcessors: rustc gets the largest processor that its LLVM knows and the features that it
// calls stable; it gets other features only if asked.
func TestRustProcessors(t *testing.T) {
	of := func(arch, name string) Target {
		x := machine(arch, 64)
		set, ok := builtIn.look(x).isa.Processor(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		x.Features = builtIn.look(x).isa.Reduce(set).Names(builtIn.look(x).isa)
		return x
	}
	le := func(x Target) Target { x.Memory.Endianness = "Little"; return x }
	amx := machine("x86", 64, "AVX2", "AMX-INT8")
	for _, c := range []struct {
		t     Target
		c     Compiler
		want  string // the flags without the target and the level
		notes string
	}{
		{of("x86", "znver4"), Compiler{}, "-Ctarget-cpu=znver4", ""},
		{of("S390X", "z16"), Compiler{}, "-Ctarget-cpu=z16", ""},
		{of("S390X", "z16"), Compiler{Major: 63}, "-Ctarget-cpu=z15", "rustc warns of `NNP-ASSIST` as unstable: left out unless asked for"},
		{of("S390X", "z16"), Compiler{Major: 63, Unstable: true}, "-Ctarget-cpu=z15 -Ctarget-feature=+nnp-assist", ""},
		{le(of("PowerPC", "pwr10")), Compiler{}, "-Ctarget-cpu=pwr10", ""},
		{of("ARM", "neoverse-n2"), Compiler{}, "-Ctarget-cpu=neoverse-n2", ""},
		{amx, Compiler{}, "-Ctarget-cpu=x86-64 -Ctarget-feature=+avx2", "rustc warns of `AMX-INT8` as unstable: left out unless asked for"},
		{amx, Compiler{Unstable: true}, "-Ctarget-cpu=x86-64 -Ctarget-feature=+avx2,+amx-int8", ""},
		{machine("x86", 64, "AVXIFMA"), Compiler{Major: 63}, "-Ctarget-cpu=x86-64", "rustc 1.63 has no feature `AVXIFMA`: it came with LLVM 16"},
		{machine("RISC-V", 64, "RV64GC", "Zba"), Compiler{}, "-Ctarget-feature=+zba", ""},
		{le(machine("PowerPC", 64, "VSX")), Compiler{Unstable: true}, "-Ctarget-feature=+vsx", ""},
	} {
		c.c.Name = "rustc"
		flags, notes, err := builtIn.Flags(c.t, c.c, Linking)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(flags[1:], " "); got != c.want {
			t.Errorf("%s %v:\n got %s\nwant %s", c.t.Architecture, c.t.Features, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s %v: notes\n got %s\nwant %s", c.t.Architecture, c.t.Features, got, c.notes)
		}
	}
	if old, _, _ := builtIn.Flags(of("x86", "znver4"), Compiler{Name: "rustc", Major: 63}, Linking); slices.Contains(old, "-Ctarget-cpu=znver4") {
		t.Errorf("LLVM 14 has no znver4: %v", old)
	}
}
