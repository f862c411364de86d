package coil_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// compilers are the compilers of Debian 12, each with the machines that it is built for; nil means all machines. In
// a test of full size, each compiler is asked about all presets. A compiler with a neighbour, which is asked as
// well, is asked about the presets for which its flags differ, and about every fourth of the others unless
// PENTODE_ROUNDS is set.
var compilers = []struct {
	program string
	target.Compiler
	machines  []string
	neighbour int
}{
	{"gcc-12", target.Compiler{Name: "gcc", Major: 12}, []string{"CPU x86 16", "CPU x86 32", "CPU x86 64"}, 0},
	{"aarch64-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, []string{"CPU ARM 64"}, 0},
	{"arm-none-eabi-gcc", target.Compiler{Name: "gcc", Major: 12}, []string{"CPU ARM 32"}, 0},
	{"avr-gcc", target.Compiler{Name: "gcc", Major: 5}, []string{"CPU AVR 8"}, 0},
	{"powerpc64le-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, []string{"CPU PowerPC 64"}, 0},
	{"riscv64-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, []string{"CPU RISC-V 64"}, 0},
	{"s390x-linux-gnu-gcc", target.Compiler{Name: "gcc", Major: 12}, []string{"CPU S390X 64"}, 0},
	{"clang-13", target.Compiler{Name: "clang", Major: 13}, nil, 14},
	{"clang-14", target.Compiler{Name: "clang", Major: 14}, nil, 0},
	{"clang-15", target.Compiler{Name: "clang", Major: 15}, nil, 14},
	{"clang-16", target.Compiler{Name: "clang", Major: 16}, nil, 14},
	{"clang-19", target.Compiler{Name: "clang", Major: 19}, nil, 0},
}

// sampled returns every how many presets a compiler is asked. Each compiler begins at a different preset, so that
// together they cover more.
func sampled(t *testing.T) int {
	t.Helper()
	if need.FullSize() {
		return 1
	}
	if !need.Full() {
		return 16
	}
	return 8
}

// TestPresetCompilers: the compilers accept the flags of every preset, or a note says beforehand that they do not
// know it. The macros that they then define match the preset's features, and a note names what the flags cannot
// express. Each preset has a compiler, nvcc's table, or a source that it names.
func TestPresetCompilers(t *testing.T) {
	need.Slow(t)
	taken := &sync.Map{} // names of presets that some compiler accepts
	step := sampled(t)
	t.Run("compilers", func(t *testing.T) {
		for index, c := range compilers {
			t.Run(c.program, func(t *testing.T) {
				t.Parallel()
				program := need.Program(t, c.program, "--version")
				asked := map[string]map[string]string{}
				all := c.neighbour == 0 || os.Getenv("PENTODE_ROUNDS") != ""
				asks := slices.DeleteFunc(slices.Clone(presets(t)), func(p presetTarget) bool {
					return c.machines != nil && !slices.Contains(c.machines, p.PU+" "+p.Architecture+" "+strconv.Itoa(p.Mode))
				})
				for i := index % step; i < len(asks); i += step {
					name, x := asks[i].name, asks[i].Target
					flags, notes, err := target.Machines{}.Flags(x, c.Compiler, target.Compiling)
					if err != nil {
						t.Fatal(err)
					}
					if !all && i%4 != 0 {
						there, _, _ := target.Machines{}.Flags(x, target.Compiler{Name: c.Name, Major: c.neighbour}, target.Compiling)
						if slices.Equal(flags, there) {
							continue
						}
					}
					if slices.ContainsFunc(notes, refusal) {
						checkRefusal(t, name, program, x, c.Name)
						continue
					}
					taken.Store(name, true)
					checkPreset(t, name, program, flags, notes, x, c.Compiler, asked)
				}
			})
		}
	})
	for _, p := range presets(t) {
		if _, ok := taken.Load(p.name); !ok && step == 1 && !strings.HasPrefix(p.name, "sm_") && !strings.Contains(p.file.Text(), "\n# Source: ") {
			t.Errorf("no compiler takes the preset %s, and it names no source", p.name)
		}
	}
}

// refusal reports whether a note says that a compiler does not know the machine, or the device that is its only
// feature.
func refusal(p *problem.Problem) bool {
	return p.Kind == target.NoTarget || strings.Contains(p.Message, "has no flag for `SM_") || strings.Contains(p.Message, "has no flag for `gfx")
}

// checkRefusal: if a note says that a compiler does not know a machine, the compiler refuses the flags that the
// newest one takes.
func checkRefusal(t *testing.T, name, program string, x target.Target, compiler string) {
	t.Helper()
	flags, notes, err := target.Machines{}.Flags(x, target.Compiler{Name: compiler}, target.Compiling)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(notes, refusal) {
		return // no version of the compiler knows the machine
	}
	if exec.Command(program, append(flags, "-E", "-x", "c", os.DevNull)...).Run() == nil {
		t.Errorf("%s: we say that %s does not know it, and it takes %s", name, program, strings.Join(flags, " "))
	}
}

func checkPreset(t *testing.T, name, program string, flags []string, notes problem.List, x target.Target, c target.Compiler, asked map[string]map[string]string) {
	t.Helper()
	line := strings.Join(flags, " ")
	got := asked[line]
	if got == nil {
		out, err := exec.Command(program, append(flags, "-Wno-avr-rtlib-linking-quirks", "-dM", "-E", "-x", "c", os.DevNull)...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "warning") {
			t.Errorf("%s: %s %s: %v\n%.400s", name, program, line, err, out)
			return
		}
		got = map[string]string{}
		for row := range strings.Lines(string(out)) {
			if rest, ok := strings.CutPrefix(row, "#define "); ok {
				macro, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
				got[macro] = value
			}
		}
		asked[line] = got
	}
	arch, _ := builtin.Tables().Arch(x.PU, x.Architecture)
	isa, mode := arch.Mode(x.Mode)
	if size := got["__SIZEOF_POINTER__"]; size != strconv.Itoa(mode.Pointer/8) {
		t.Errorf("%s: %s has pointers of %s bytes, the table of %d bits; want %v", name, program, size, mode.Pointer, strconv.Itoa(mode.Pointer/8))
	}
	if order := got["__BYTE_ORDER__"]; order != "" && (order == "__ORDER_BIG_ENDIAN__") != (x.Memory.Endianness == "Big") {
		t.Errorf("%s: %s has %s, the table %s; want the same order", name, program, order, x.Memory.Endianness)
	}
	checkFeatures(t, name+": "+program+" "+line, got, notes, x, isa, mode, c)
}

// checkFeatures: the macros of a compiler match the features of the machine, and a note names each missing one.
func checkFeatures(t *testing.T, what string, got map[string]string, notes problem.List, x target.Target, isa *table.ISA, mode *table.Mode, c target.Compiler) {
	t.Helper()
	has, _ := isa.Meaning(slices.Concat(x.Features, x.Extensions.SIMD, x.Extensions.Crypto))
	has = has.Union(isa.Always(mode, has))
	if own := isa.Feature(mode.March); own.Feature != nil && has.Intersect(isa.Closure(own.ID)) == (table.Set{}) {
		has = has.Union(isa.Closure(own.ID)) // no architecture is named, so the feature belongs to the mode
	}
	noted := func(name string) bool {
		return slices.ContainsFunc(notes, func(p *problem.Problem) bool { return strings.Contains(p.Message, "`"+name+"`") })
	}
	owners := map[string][]table.ID{}
	for i := range isa.Features {
		f := &isa.Features[i]
		id := table.ID(i)
		for _, macro := range f.For(c.Name == "clang").Macros() {
			owners[macro] = append(owners[macro], id)
		}
		defined := slices.ContainsFunc(f.For(c.Name == "clang").Macros(), func(m string) bool { _, ok := got[m]; return ok })
		if len(f.For(c.Name == "clang").Macros()) > 0 && !f.Group && has.Has(id) && !defined && !noted(f.Name) && c.Major >= f.For(c.Name == "clang").Since && !quiet[f.Key] {
			t.Errorf("%s loses `%s` without a note", what, f.Name)
		}
	}
	for macro, ids := range owners {
		if _, defined := got[macro]; !defined {
			continue
		}
		if !slices.ContainsFunc(ids, func(id table.ID) bool {
			all := isa.Features[id].Implies.Set()
			return has.Has(id) || quiet[isa.Features[id].Key] || all != table.Set{} && all.Within(has)
		}) {
			t.Errorf("%s defines %s, and the machine has no %v", what, macro, table.Features(ids).Names(isa))
		}
	}
}

// quiet are features for which compilers have no separate macro: crc32 comes with SSE4.2, 32-bit x86 has SAHF, no
// compiler uses SGX or HTM by default, and a compiler that could write Thumb code need not.
var quiet = map[string]bool{"sgx": true, "htm": true, "crc32": true, "sahf": true, "thumb": true}

// TestPresetRustc: rustc takes the flags of every preset that it has a target for, without a warning.
func TestPresetRustc(t *testing.T) {
	need.Slow(t)
	rustc := need.Program(t, "rustc", "--version")
	c := target.ThisHost().Compiler("rustc")
	out, err := exec.Command(rustc, "--print", "target-list").Output()
	if err != nil {
		t.Fatal(err)
	}
	known, asked, step := strings.Fields(string(out)), map[string]bool{}, sampled(t)
	for i := 0; i < len(presets(t)); i += step {
		name, x := presets(t)[i].name, presets(t)[i].Target
		x.Preprocessor = target.Preprocessor{}
		flags, _, err := target.Machines{}.Flags(x, c, target.Compiling)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Join(flags, " ")
		if x.PU != "CPU" || len(flags) == 0 || asked[line] || !slices.Contains(known, strings.TrimPrefix(flags[0], "--target=")) {
			continue // rustc has no such target, or was asked with these flags already
		}
		asked[line] = true
		out, err := exec.Command(rustc, append(flags, "--print", "cfg")...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "warning") || strings.Contains(string(out), "not a recognized") {
			t.Errorf("%s: rustc %s: %v\n%.600s", name, line, err, out)
		}
	}
	if len(asked) < 24/step {
		t.Errorf("only %d were asked", len(asked))
	}
}
