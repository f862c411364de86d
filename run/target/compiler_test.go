package target

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/target/table"
	"github.com/pentode-dev/pentode/run/target/table/builtin"
)

// defined caches the macros that compilers define, by compiler and flags.
var defined sync.Map // of string to map[string]bool

// macros compiles an empty file with the flags and returns the macros that the compiler defines.
func macros(t *testing.T, compiler string, flags []string) map[string]bool {
	t.Helper()
	line := compiler + " " + strings.Join(flags, " ")
	if got, ok := defined.Load(line); ok {
		return got.(map[string]bool)
	}
	out, err := exec.Command(compiler, slices.Concat(flags, []string{"-dM", "-E", "-x", "c", os.DevNull})...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	got := map[string]bool{}
	for row := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(row, "#define "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			got[name] = true
		} else if strings.Contains(row, "warning:") || strings.Contains(row, "ignor") {
			t.Errorf("%s does not like its flags: %s", line, row)
		}
	}
	defined.Store(line, got)
	return got
}

// checkMacros compares the features that a target names with the macros that the compiler defines.
func checkMacros(t *testing.T, x Target, c Compiler) {
	t.Helper()
	flags, notes, err := builtIn.Flags(x, c, Compiling)
	if err != nil {
		t.Fatal(err)
	}
	got := macros(t, c.Name, flags)
	isa := builtIn.look(x).isa
	w, brought := newWriter(builtIn.look(x), c), &march{}
	w.nearest(brought, w.wanted())
	for _, n := range slices.Concat(x.Features, x.Extensions.SIMD, x.Extensions.Crypto) {
		f := isa.Feature(n)
		for _, g := range members(isa, f.Feature) {
			o := g.Clang
			if c.Name == "gcc" {
				o = g.GCC
			}
			names := o.Macros()
			if !o.In(c.Major) || len(names) == 0 {
				if !slices.ContainsFunc(messages(notes), func(s string) bool { return strings.Contains(s, "`"+g.Name+"`") }) && !base(isa, builtIn.look(x).mode).Union(brought.given).Has(isa.Feature(g.Key).ID) && o.Macro == "" {
					t.Errorf("`%s` has no macro in %s, and no note says so", g.Name, c.Name)
				}
				continue
			}
			if !slices.ContainsFunc(names, func(m string) bool { return got[m] }) {
				t.Errorf("%s %s: `%s` should define %s", c.Name, strings.Join(flags, " "), n, o.Macro)
			}
		}
	}
}

// checkNoMacro checks with the compiler that a feature listed without a macro has none.
func checkNoMacro(t *testing.T, plain Target, feature string, c Compiler) {
	t.Helper()
	with := plain
	with.Features = []string{feature}
	var got [2]map[string]bool
	for i, x := range []Target{plain, with} {
		flags, _, err := builtIn.Flags(x, c, Compiling)
		if err != nil {
			t.Fatal(err)
		}
		got[i] = macros(t, c.Name, flags)
	}
	for name := range got[1] {
		if !got[0][name] {
			t.Errorf("`%s` has no macro in the table, but %s defines %s", feature, c.Name, name)
		}
	}
}

func members(s *table.ISA, f *table.Feature) []*table.Feature {
	w := writer{view: view{isa: s}}
	return w.members(f)
}

// clangTargets are machines that any clang can compile for.
func clangTargets() map[string]Target {
	le := func(x Target) Target { x.Memory.Endianness = "Little"; return x }
	abi := func(x Target, name string) Target { x.ABI = &ABI{Name: name}; return x }
	wasm := builtIn.Default("CPU", "WASM", 32)
	wasm.Features = []string{"SIMD128", "ATOMICS", "BULK-MEMORY", "SIGN-EXT"}
	hexagon := builtIn.Default("DSP", "Hexagon", 32)
	hexagon.Features = []string{"V66", "HVX", "HVX-LENGTH128B"}
	amd := builtIn.Default("GPU", "AMD", 64)
	amd.Features = []string{"gfx90a"}
	return map[string]Target{
		"arm32":     armExample(),
		"armhf":     abi(machine("ARM", 32, "NEON", "VFPv4", "CRC"), "AAPCS-VFP"),
		"mve":       machine("ARM", 32, "DSP", "CDECP0"),
		"aarch64":   machine("ARM", 64, "CRC", "LSE", "RDM", "FP16", "DOTPROD", "AES", "SHA2", "SHA3", "SM4", "BF16", "I8MM", "MEMTAG", "RNG", "TME"),
		"sve":       machine("ARM", 64, "SVE2", "SVE2-AES", "SVE2-BITPERM", "F32MM", "F64MM"),
		"riscv64gc": abi(machine("RISC-V", 64, "RV64GC", "Zba", "Zbb", "Zkn"), "LP64D"),
		"rv64gcv":   machine("RISC-V", 64, "RV64GC", "V", "Zfh"),
		"rv32imac":  abi(machine("RISC-V", 32, "RV32IMAC"), "ILP32"),
		"ppc64le":   abi(le(machine("PowerPC", 64, "ALTIVEC", "VSX", "POWER8-VECTOR", "CRYPTO", "HTM")), "ELFv2"),
		"s390x":     machine("S390X", 64, "TRANSACTIONAL-EXECUTION"),
		"mips64":    machine("MIPS", 64, "MSA", "DSPR2"),
		"wasm32":    wasm,
		"hexagon":   hexagon,
		"gfx90a":    amd,
		"i686":      machine("x86", 32, "SSE2", "POPCNT"),
		"x86-16":    machine("x86", 16),
	}
}

func TestCompilerMacros(t *testing.T) {
	need.Slow(t)
	host, err := builtIn.Detect(ThisHost())
	if err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"gcc", "clang"} {
		t.Run(name, func(t *testing.T) {
			need.Assembler(t, name)
			c := ThisHost().Compiler(name)
			if host.Architecture == "x86" || name == "clang" {
				t.Run("x86-64 example", func(t *testing.T) { checkMacros(t, x86Example(), c) })
			}
			t.Run("this host", func(t *testing.T) { checkMacros(t, host, c) })
			if name != "clang" {
				return
			}
			for id, x := range clangTargets() {
				t.Run(id, func(t *testing.T) { checkMacros(t, x, c) })
			}
		})
	}
}

// stride is the step between the features that a compiler is tested with: 1 tests every feature.
func stride(t *testing.T) int {
	t.Helper()
	if need.FullSize() {
		return 1
	}
	if !need.Full() {
		return 81
	}
	return 27
}

// TestEveryFlag tests each feature alone, so that no other feature defines its macro.
func TestEveryFlag(t *testing.T) {
	need.Slow(t)
	step := stride(t)
	for _, name := range []string{"gcc", "clang"} {
		for _, m := range []struct {
			arch  string
			modes []int // tried in this order
		}{{"x86", []int{32, 64}}, {"ARM", []int{32}}, {"ARM", []int{64}}, {"RISC-V", []int{32, 64}}} {
			t.Run(name+" "+m.arch, func(t *testing.T) {
				need.Assembler(t, name)
				if name == "gcc" && (m.arch != "x86" || ThisHost().Arch != "amd64") {
					t.Skip("gcc serves its own architecture")
				}
				c := ThisHost().Compiler(name)
				isa := builtIn.look(machine(m.arch, m.modes[0])).isa
				for i := 0; i < len(isa.Features); i += step {
					f := &isa.Features[i]
					o := f.Clang
					if name == "gcc" {
						o = f.GCC
					}
					if f.Obsolete || !o.In(c.Major) {
						continue // accepted with a warning, or without a macro to check
					}
					for _, mode := range m.modes {
						if f.Works(mode) {
							t.Run(f.Name, func(t *testing.T) {
								checkMacros(t, machine(m.arch, mode, f.Name), c)
								if m.arch == "x86" && o.Macro == "" {
									checkNoMacro(t, machine(m.arch, mode), f.Name, c)
								}
							})
							break
						}
					}
				}
			})
		}
	}
}

// The compiler accepts every machine, without features and with each feature alone: clang
// for all architectures, a gcc for its own, if it is installed.
func TestEveryMachineCompiles(t *testing.T) {
	need.Slow(t)
	step := stride(t)
	need.Assembler(t, "clang")
	for _, a := range builtin.Tables().Archs {
		for _, bits := range a.Bits() {
			if a.Name == "SPIR-V" {
				continue // clang leaves the work to another program
			}
			programs := map[string]Compiler{"clang": ThisHost().Compiler("clang")}
			for _, m := range crossGCC {
				if a.PU != "CPU" || a.Name != m.arch || bits != m.bits {
					continue
				}
				if version, err := exec.Command(m.program, "-dumpversion").Output(); err == nil {
					major, _ := strconv.Atoi(strings.TrimSpace(string(version)))
					programs[m.program] = Compiler{Name: "gcc", Major: major}
				}
			}
			for program, c := range programs {
				t.Run(strings.Join([]string{program, a.PU, a.Name, strconv.Itoa(bits)}, " "), func(t *testing.T) {
					t.Parallel()
					everyFeature(t, a, bits, c, program, step)
				})
			}
		}
	}
}

// crossGCC lists cross compilers under Debian's names.
var crossGCC = []struct {
	program, arch string
	bits          int
}{
	{"aarch64-linux-gnu-gcc", "ARM", 64}, {"arm-linux-gnueabihf-gcc", "ARM", 32}, {"riscv64-linux-gnu-gcc", "RISC-V", 64}, {"riscv64-linux-gnu-gcc", "RISC-V", 32},
	{"powerpc64le-linux-gnu-gcc", "PowerPC", 64}, {"s390x-linux-gnu-gcc", "S390X", 64}, {"sparc64-linux-gnu-gcc", "SPARC", 64}, {"mips64el-linux-gnuabi64-gcc", "MIPS", 64},
}

func everyFeature(t *testing.T, a *table.Arch, bits int, c Compiler, program string, step int) {
	isa, mode := a.Mode(bits)
	for _, endian := range mode.Endianness {
		for i := -1; i < len(isa.Features); i += step {
			x := builtIn.Default(a.PU, a.Name, bits)
			x.Memory.Endianness = endian
			if i >= 0 {
				f := &isa.Features[i]
				o := f.Clang
				if c.Name == "gcc" {
					o = f.GCC
				}
				if program == "clang" && a.PU == "CPU" && (a.Name == "x86" || a.Name == "ARM" || a.Name == "RISC-V" && !f.Group) {
					continue // TestEveryFlag covers them
				}
				if a.PU == "GPU" && bits < 64 {
					continue // the same devices
				}
				if f.Obsolete || !f.Group && !o.In(c.Major) || endian != mode.Endianness[0] {
					continue
				}
				x.Features = []string{f.Name}
			}
			flags, _, err := builtIn.Flags(x, c, Compiling)
			if err != nil {
				t.Fatal(err)
			}
			if len(flags) == 0 {
				return // it has no such target
			}
			args := slices.Concat(flags, []string{"-S", "-o", os.DevNull, "-x", "c", os.DevNull})
			if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
				t.Errorf("%s %s: %v\n%s", program, strings.Join(flags, " "), err, out)
			}
		}
	}
}

// The flags of both stages build a real program, which runs here.
func TestCompileAndRun(t *testing.T) {
	need.Slow(t)
	if ThisHost().Arch != "amd64" {
		t.Skip("the example is an x86-64 program")
	}
	host, err := builtIn.Detect(ThisHost())
	if err != nil {
		t.Fatal(err)
	}
	host.Linker = Linker{Libraries: []string{"libc", "libm"}, EntryPoint: "main", OutputFormat: "ELF"}
	src := filepath.Join(t.TempDir(), "sum.c")
	text := "#include <math.h>\n#include <stdio.h>\nint main(int n, char **v) { double s = 0; for (int i = 0; i < 1000; i++) s += sqrt(i * n); printf(\"%.3f\\n\", s); return 0; }\n"
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gcc", "clang"} {
		for id, x := range map[string]Target{"example": x86Example(), "host": host} {
			t.Run(name+" "+id, func(t *testing.T) {
				need.Compiler(t, name)
				c := ThisHost().Compiler(name)
				compile, _, err := builtIn.Flags(x, c, Compiling)
				if err != nil {
					t.Fatal(err)
				}
				link, _, err := builtIn.Flags(x, c, Linking)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				obj, exe := filepath.Join(dir, "sum.o"), filepath.Join(dir, "sum")
				for _, args := range [][]string{slices.Concat(compile, []string{"-Werror", "-c", src, "-o", obj}), slices.Concat([]string{obj}, link, []string{"-o", exe})} {
					if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
						t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
					}
				}
				if v := builtIn.Satisfies(host, x); !v.OK() {
					t.Skipf("cannot run it here: %s", v)
				}
				out, err := exec.Command(exe).CombinedOutput()
				if err != nil || string(out) != "21065.833\n" {
					t.Errorf("%q %v", out, err)
				}
			})
		}
	}
}

// TestRustTargets checks that rustc knows every target that Flags gives it, in every output format.
func TestRustTargets(t *testing.T) {
	need.Slow(t)
	need.Program(t, "rustc", "--version")
	out, err := exec.Command("rustc", "--print", "target-list").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(string(out))
	if !slices.Contains(known, "amdgcn-amd-amdhsa") {
		t.Skip("this rustc is older than the table")
	}
	for _, a := range builtin.Tables().Archs {
		for _, bits := range a.Bits() {
			_, mode := a.Mode(bits)
			for _, endian := range mode.Endianness {
				for _, format := range []string{"", "ELF", "PE", "Mach-O", "Raw"} {
					x := builtIn.Default(a.PU, a.Name, bits)
					x.Memory.Endianness, x.Linker.OutputFormat = endian, format
					flags, notes, err := builtIn.Flags(x, Compiler{Name: "rustc"}, Compiling)
					if err != nil {
						t.Fatal(err)
					}
					if len(flags) == 0 {
						if len(notes) == 0 {
							t.Errorf("%s %s %d: neither flags nor a note", a.PU, a.Name, bits)
						}
						continue
					}
					if target, ok := strings.CutPrefix(flags[0], "--target="); !ok || !slices.Contains(known, target) {
						t.Errorf("%s %s %d %s %s: rustc does not have %s", a.PU, a.Name, bits, endian, format, flags[0])
					}
				}
			}
		}
	}
}

// TestRustFeatures checks that the features given to rustc appear in the configuration that it
// prints.
func TestRustFeatures(t *testing.T) {
	need.Program(t, "rustc", "--version")
	for _, x := range []Target{x86Example(), machine("ARM", 64, "CRC", "LSE", "DOTPROD", "SVE2", "PAUTH"), machine("RISC-V", 64, "RV64GC", "Zba", "Zbb")} {
		t.Run(x.Architecture, func(t *testing.T) {
			flags, _, err := builtIn.Flags(x, Compiler{Name: "rustc"}, Compiling)
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("rustc", append(flags, "--print", "cfg")...).CombinedOutput()
			if err != nil {
				t.Fatalf("rustc %s: %v\n%s", strings.Join(flags, " "), err, out)
			}
			if !strings.Contains(string(out), "target_feature=") {
				t.Skip("this rustc does not show the features of the architecture")
			}
			isa := builtIn.look(x).isa
			for _, n := range x.Features {
				for _, f := range members(isa, isa.Feature(n).Feature) {
					if f.Unstable {
						continue // which newer ones do not show
					}
					for name := range strings.SplitSeq(f.Rust, "+") {
						if name != "" && !strings.Contains(string(out), `target_feature="`+name+`"`) && !strings.Contains(string(out), "`"+name+"`") {
							t.Errorf("`%s` is not on in\n%s", name, out)
						}
					}
				}
			}
		})
	}
}
