package target

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestTune checks that the flags build code that runs on the target and is optimised for another
// processor.
func TestTune(t *testing.T) {
	for _, c := range []struct {
		t     Target
		c     Compiler
		want  string // "" for no flag
		notes string
	}{
		{machine("x86", 64), Compiler{Name: "gcc", Major: 13, Tune: "znver4"}, "-mtune=znver4", ""},
		{machine("x86", 64), Compiler{Name: "gcc", Major: 12, Tune: "ZNVER4"}, "", "gcc 12 has no -mtune for `znver4`: it came with version 13"},
		{machine("ARM", 64), Compiler{Name: "clang", Major: 16, Tune: "neoverse-n1"}, "-mtune=neoverse-n1", ""},
		{machine("ARM", 64), Compiler{Name: "gcc", Major: 12, Tune: "neoverse-n2"}, "-mtune=neoverse-n2", ""},
		{machine("ARM", 64), Compiler{Name: "gcc", Major: 12, Tune: "neoverse-v2"}, "", "gcc 12 has no -mtune for `neoverse-v2`: it came with version 13"},
		{machine("ARM", 64), Compiler{Name: "gcc", Major: 12, Tune: "graviton3"}, "-mtune=neoverse-v1", ""},
		{machine("ARM", 64), Compiler{Name: "clang", Major: 16, Tune: "grace"}, "-mtune=neoverse-v2", ""},
		{machine("ARM", 32, "ARMv7E-M"), Compiler{Name: "gcc", Major: 12, Tune: "cortex-m4"}, "-mtune=cortex-m4", ""},
		{machine("RISC-V", 64, "RV64GC"), Compiler{Name: "gcc", Major: 12, Tune: "sifive-u74"}, "-mtune=sifive-u74", ""},
		{machine("PowerPC", 64), Compiler{Name: "gcc", Major: 12, Tune: "pwr10"}, "-mtune=power10", ""},
		{machine("PowerPC", 64), Compiler{Name: "gcc", Major: 12, Tune: "pwr11"}, "", "the tables have no name that gcc uses for `pwr11`: no -mtune"},
		{machine("ARM", 64), Compiler{Name: "zig", Tune: "neoverse-n1"}, "", "zig can tune only for the processor that it builds for: no flag for `neoverse-n1`; zig has one level for speed: ReleaseFast"},
		{machine("x86", 64), Compiler{Name: "clang", Tune: "x86-64-v3"}, "", "the tables have no name that clang uses for `x86-64-v3`: no -mtune"},
		{machine("x86", 64), Compiler{Name: "nvcc", Major: 13, GCC: 13, Tune: "znver4"}, "-Xcompiler=-mtune=znver4", ""},
	} {
		flags, notes, err := builtIn.Flags(c.t, c.c, Compiling)
		has := slices.ContainsFunc(flags, func(f string) bool { return strings.Contains(f, "-mtune") })
		if err != nil || has != (c.want != "") || has && !slices.Contains(flags, c.want) {
			t.Errorf("%+v: %q %v, want %s", c.c, flags, err, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%+v: %s, want %s", c.c, got, c.notes)
		}
	}
	_, _, err := builtIn.Flags(machine("x86", 64), Compiler{Name: "gcc", Tune: "znver"}, Compiling)
	var p *problem.Problem
	if !errors.As(err, &p) || p.Message != "there is no processor `znver` of x86 to tune for" || !strings.HasPrefix(p.Suggestion, "znver") {
		t.Errorf("%v", err)
	}
}

// TestTuneNames: a gcc accepts exactly the processor names that the tables have for its version.
func TestTuneNames(t *testing.T) {
	for _, c := range []struct {
		program, arch string
		bits          int
	}{
		{"gcc-12", "x86", 64}, {"aarch64-linux-gnu-gcc", "ARM", 64}, {"arm-none-eabi-gcc", "ARM", 32}, {"powerpc64le-linux-gnu-gcc", "PowerPC", 64},
		{"riscv64-linux-gnu-gcc", "RISC-V", 64}, {"s390x-linux-gnu-gcc", "S390X", 64},
	} {
		t.Run(c.program, func(t *testing.T) {
			gcc := need.Program(t, c.program, "--version")
			takes := func(name string) (bool, string) {
				out, err := exec.Command(gcc, "-mtune="+name, "-S", "-x", "c", os.DevNull, "-o", os.DevNull).CombinedOutput()
				return err == nil, string(out)
			}
			// For an unknown name, most compilers list the names they know.
			_, said := takes("none-such")
			_, list, listed := strings.Cut(said, "valid arguments")
			known, isa := strings.Fields(list), builtIn.look(machine(c.arch, c.bits)).isa
			for i := range isa.Processors {
				p := &isa.Processors[i]
				o := p.Tune(false)
				if o.Flag == "" || p.GCCTune.Flag == "" {
					continue // the -march flag of the same name is tested elsewhere
				}
				took := slices.Contains(known, o.Flag)
				if !listed {
					took, _ = takes(o.Flag)
				}
				if took != o.In(12) {
					t.Errorf("%s takes -mtune=%s for `%s`: %v; the tables have it since %d; want it taken exactly where they have it in 12", c.program, o.Flag, p.Name, took, o.Since)
				}
			}
		})
	}
}

// TestBothWishes: if both size and speed are asked for, a note says which one the flags follow.
func TestBothWishes(t *testing.T) {
	for level, want := range map[int]string{0: "-O0 ", 1: "-Os `SizeOptimization` and `SpeedOptimization` are both on: at level 1 size wins", 2: "-O2 `SizeOptimization` and `SpeedOptimization` are both on: at level 2 speed wins"} {
		x := machine("x86", 64)
		x.Optimization = Optimization{Level: level, Size: true, Speed: true}
		flags, notes, err := builtIn.Flags(x, Compiler{Name: "gcc", Major: 12}, Compiling)
		if err != nil {
			t.Fatal(err)
		}
		notes = slices.DeleteFunc(notes, func(p *problem.Problem) bool { return strings.HasPrefix(p.Message, "level 0") })
		if got := flags[len(flags)-1] + " " + strings.Join(messages(notes), "; "); got != want {
			t.Errorf("level %d: %s; want %v", level, got, want)
		}
	}
}
