package target

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestFiles checks the files that are written for build systems.
func TestFiles(t *testing.T) {
	arm := machine("ARM", 64, "CRC", "LSE", "RDM")
	arm.Linker = Linker{OutputFormat: "ELF", Libraries: []string{"libm"}}
	quoted := machine("x86", 64)
	quoted.Preprocessor.Defines = []Define{{"WHO", String, `it's a\b`}}
	micro := machine("ARM", 32, "ARMv7-M")
	small := machine("x86", 64, "AVX2")
	small.Optimization = Optimization{Level: 2, Size: true}
	for _, c := range []struct {
		name  string
		t     Target
		c     Compiler
		want  string // the whole file, or some of its lines if it begins with "…"
		notes string
	}{
		{"meson with a compiler", arm, Compiler{Name: "meson", Program: "/opt/aarch64-linux-gnu-gcc-12", Kind: "gcc", GCC: 12}, `# Meson machine file for CPU ARM and gcc 12, use with --cross-file or --native-file
[binaries]
c = '/opt/aarch64-linux-gnu-gcc-12'
cpp = '/opt/aarch64-linux-gnu-g++-12'

[built-in options]
c_args = ['-mlittle-endian', '-march=armv8.1-a', '-O1']
c_link_args = ['-mlittle-endian', '-march=armv8.1-a', '-lm']
cpp_args = ['-mlittle-endian', '-march=armv8.1-a', '-O1']
cpp_link_args = ['-mlittle-endian', '-march=armv8.1-a', '-lm']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'`, ""},
		{"meson with a clang", arm, Compiler{Name: "meson", Program: "clang", Kind: "clang"}, "…\ncpp = 'clang++'\nc_args = ['--target=aarch64-unknown-linux-gnu', '-march=armv8.1-a', '-O1']", ""},
		{"meson with any", quoted, Compiler{Name: "meson"}, "…\n" + `c_args = ['-m64', '-march=x86-64', '-O1', '-DWHO="it\'s a\\\\b"']`, ""},
		{"meson without a system", micro, Compiler{Name: "meson", Kind: "gcc"}, "…\nsystem = 'none'\ncpu_family = 'arm'\ncpu = 'thumbv7m'", ""},
		{"meson without a family", gpuExample(), Compiler{Name: "meson"}, "", "meson has no family of processors for GPU NVIDIA 64: no file"},
		{"cmake with a compiler", arm, Compiler{Name: "cmake", Program: "aarch64-linux-gnu-gcc", Kind: "gcc", GCC: 12}, "…\nset(CMAKE_C_COMPILER \"aarch64-linux-gnu-gcc\")\nset(CMAKE_CXX_COMPILER \"aarch64-linux-gnu-g++\")\nset(CMAKE_C_FLAGS_INIT \"-mlittle-endian -march=armv8.1-a -O1\")", ""},
		{"cmake with any", machine("ARM", 64, "CRC", "LSE", "RDM", "PMUV3", "FP16"), Compiler{Name: "cmake", GCC: 12, Clang: 14}, "…\nset(CMAKE_C_FLAGS_INIT \"-mlittle-endian -march=armv8.1-a+fp16 -O1\")",
			"gcc has no flag for `PMUV3`; `PMUV3` has a flag but no macro in clang"},
		{"cmake with another word", machine("ARM", 64, "RDM"), Compiler{Name: "cmake", GCC: 12, Clang: 14}, "…\nset(CMAKE_C_FLAGS_INIT \"-mlittle-endian -march=armv8-a -O1\")",
			"`RDM` has a flag but no macro in gcc; gcc and clang have no flag in common for `RDM`: it is not in the file; `RDM` has a flag but no macro in clang"},
		{"cmake without a system", micro, Compiler{Name: "cmake", Kind: "gcc"}, "…\nset(CMAKE_SYSTEM_NAME Generic)\nset(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)", ""},
		{"cargo", small, Compiler{Name: "cargo", Program: "gcc-12", Kind: "gcc"}, `# Cargo configuration for CPU x86, for .cargo/config.toml
[build]
target = "x86_64-unknown-linux-gnu"

[target.x86_64-unknown-linux-gnu]
linker = "gcc-12"
rustflags = ["-Ctarget-cpu=x86-64", "-Ctarget-feature=+avx2"]

[profile.release]
opt-level = "s"`, ""},
		{"cargo with a name in quotes", machine("ARM", 32, "ARMv8-M.Main"), Compiler{Name: "cargo"}, "…\n[target.\"thumbv8m.main-none-eabi\"]\nopt-level = 1", ""},
		{"cargo without a target", machine("x86", 16), Compiler{Name: "cargo"}, "", "rustc has no target for CPU x86 16 like this: no flags"},
	} {
		lines, notes, err := builtIn.Flags(c.t, c.c, Compiling)
		got := strings.Join(lines, "\n")
		if parts, ok := strings.CutPrefix(c.want, "…\n"); ok {
			for line := range strings.SplitSeq(parts, "\n") {
				if !slices.Contains(lines, line) {
					t.Errorf("%s: no line %s in\n%s", c.name, line, got)
				}
			}
		} else if got != c.want || err != nil {
			t.Errorf("%s: %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s: notes\n got %s\nwant %s", c.name, got, c.notes)
		}
	}
}

// TestGoSettings: Go gets the level of an architecture; one note lists the features that no level has.
func TestGoSettings(t *testing.T) {
	le := func(x Target) Target { x.Memory.Endianness = "Little"; return x }
	format := func(x Target, f string) Target { x.Linker.OutputFormat = f; return x }
	with := func(x Target, f func(*Target)) Target { f(&x); return x }
	for _, c := range []struct {
		t           Target
		major       int
		want, notes string
	}{
		{machine("x86", 64), 0, "GOOS=linux GOARCH=amd64 GOAMD64=v1", ""},
		{machine("x86", 64, "CX16", "SAHF", "SSE4.2", "SHA"), 0, "GOOS=linux GOARCH=amd64 GOAMD64=v2", "go has no setting for `SHA`"},
		{format(machine("x86", 64), "PE"), 0, "GOOS=windows GOARCH=amd64 GOAMD64=v1", ""},
		{format(machine("ARM", 64), "Mach-O"), 0, "GOOS=darwin GOARCH=arm64 GOARM64=v8.0", ""},
		{machine("ARM", 64, "LSE", "AES", "SHA2"), 0, "GOOS=linux GOARCH=arm64 GOARM64=v8.0,lse,crypto", ""},
		{machine("ARM", 64, "CRC", "LSE", "RDM"), 22, "GOOS=linux GOARCH=arm64", "go 1.22 has no GOARM64: it came with 1.23; go has no setting for `CRC`, `LSE`, `RDM`"},
		{machine("ARM", 32, "NEON"), 0, "GOOS=linux GOARCH=arm GOARM=7,hardfloat", ""},
		{machine("ARM", 32, "ARMv6K"), 0, "GOOS=linux GOARCH=arm GOARM=6,softfloat", ""},
		{machine("ARM", 32, "ARMv5TE"), 0, "GOOS=linux GOARCH=arm GOARM=5,softfloat", ""},
		{machine("ARM", 32, "ARMv7-M"), 0, "", "go has no target for CPU ARM 32 like this: no settings"},
		{machine("x86", 32), 0, "GOOS=linux GOARCH=386 GO386=softfloat", ""},
		{machine("x86", 32, "SSE2"), 0, "GOOS=linux GOARCH=386 GO386=sse2", "go has no setting for `SSE2`"},
		{machine("RISC-V", 64, "RVA22U64"), 0, "GOOS=linux GOARCH=riscv64 GORISCV64=rva22u64", ""},
		{le(machine("PowerPC", 64)), 0, "GOOS=linux GOARCH=ppc64le", ""},
		{machine("S390X", 64, "VECTOR"), 0, "GOOS=linux GOARCH=s390x", "go has no setting for `VECTOR`"},
		{machine("MIPS", 64), 0, "GOOS=linux GOARCH=mips64", ""},
		{machine("WASM", 32), 0, "GOOS=wasip1 GOARCH=wasm", ""},
		{format(machine("x86", 64), "Raw"), 0, "", "go has no target for CPU x86 64 like this: no settings"},
		{gpuExample(), 0, "", "go has no target for GPU NVIDIA 64 like this: no settings"},
		{with(machine("x86", 64), func(x *Target) { x.Preprocessor.Includes = []string{"/x"} }), 0, "GOOS=linux GOARCH=amd64 GOAMD64=v1", "go has no preprocessor: Define and Include have no settings"},
	} {
		flags, notes, err := builtIn.Flags(c.t, Compiler{Name: "go", Major: c.major}, Compiling)
		if got := strings.Join(flags, " "); err != nil || got != c.want {
			t.Errorf("%s %v: %v\n got %s\nwant %s", c.t.Architecture, c.t.Features, err, got, c.want)
		}
		if got := strings.Join(messages(notes), "; "); got != c.notes {
			t.Errorf("%s %v: notes\n got %s\nwant %s", c.t.Architecture, c.t.Features, got, c.notes)
		}
	}
}

// TestGoTakes: the installed go knows every system and architecture that it is given, and accepts the levels.
func TestGoTakes(t *testing.T) {
	golang := need.Program(t, "go", "version")
	out, err := exec.Command(golang, "tool", "dist", "list").Output()
	if err != nil {
		t.Skip("this go has no list of its systems")
	}
	known, cache := strings.Fields(string(out)), t.TempDir()
	source := filepath.Join(cache, "p.go")
	if err := os.WriteFile(source, []byte("package p\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []Target{machine("x86", 64, "CX16", "SAHF", "SSE4.2"), machine("x86", 32), machine("ARM", 64, "LSE"), machine("ARM", 32, "NEON"), machine("RISC-V", 64, "RVA22U64"),
		machine("PowerPC", 64), machine("S390X", 64), machine("LoongArch", 64), machine("MIPS", 32), machine("WASM", 32)} {
		settings, _, err := builtIn.Flags(x, ThisHost().Compiler("go"), Compiling)
		if err != nil || len(settings) < 2 {
			t.Fatal(settings, err)
		}
		pair := strings.TrimPrefix(settings[0], "GOOS=") + "/" + strings.TrimPrefix(settings[1], "GOARCH=")
		if !slices.Contains(known, pair) {
			t.Errorf("go does not list %s", pair)
		}
		cmd := exec.Command(golang, "tool", "compile", "-o", filepath.Join(cache, "p.o"), source)
		cmd.Env = append(append(os.Environ(), "GOCACHE="+cache, "GOPATH="+cache), settings...) // the user may have no home directory
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", settings, err, out)
		}
	}
}
