package coil_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
)

// built are machines with the compiler that builds for them, the emulator that runs their programs here (nil
// if this machine runs them itself), and the macros that the compiler must define.
var built = []struct {
	preset, cc string
	run        []string
	features   string
	systems    []string // the build systems to test; one is enough if a similar machine tests the other
}{
	{"neoverse-n1", "aarch64-linux-gnu-gcc", []string{"qemu-aarch64", "-cpu", "max"}, "defined(__ARM_FEATURE_ATOMICS) && defined(__ARM_FEATURE_DOTPROD)", []string{"cmake", "meson"}},
	{"rva22u64", "riscv64-linux-gnu-gcc", []string{"qemu-riscv64", "-cpu", "rv64"}, "defined(__riscv_zba) && defined(__riscv_zbb) && defined(__riscv_zbs)", []string{"cmake"}},
	{"pwr9", "powerpc64le-linux-gnu-gcc", []string{"qemu-ppc64le", "-cpu", "power9"}, "defined(__POWER9_VECTOR__) && defined(_ARCH_PWR9)", []string{"meson"}},
	{"z14", "s390x-linux-gnu-gcc", []string{"qemu-s390x", "-cpu", "max"}, "defined(__VX__) && __ARCH__ == 12", []string{"cmake"}},
	{"x86-64-v2", "gcc", nil, "defined(__SSE4_2__) && defined(__POPCNT__)", []string{"cmake", "meson"}},
}

// program compiles only for a machine with these features, and its results come from the compiler's code for
// them.
func program(features string) string {
	return fmt.Sprintf(`#include <stdio.h>
#if !(%s)
#error the flags of the target are not here
#endif
int main(void) {
	signed char a[64], b[64];
	int sum = 0, count = 0;
	for (int i = 0; i < 64; i++) a[i] = i, b[i] = 2;
	for (int i = 0; i < 64; i++) sum += a[i] * b[i];
	__atomic_fetch_add(&count, sum + __builtin_popcount(sum), __ATOMIC_SEQ_CST);
	printf("%%d\n", count);
	return 0;
}
`, features)
}

// TestBuildSystems: with the machine file of a target, a build system builds a program using the compiler
// that the file names, and the program runs.
func TestBuildSystems(t *testing.T) {
	need.Slow(t)
	for i, m := range built {
		for _, c := range []struct {
			system, description, project string
			steps                        func(dir, file string, cross bool) [][]string
		}{
			{"cmake", "CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(features C)\nadd_executable(features features.c)\ntarget_link_options(features PRIVATE -static)\n",
				func(dir, file string, _ bool) [][]string {
					return [][]string{{"cmake", "-G", "Ninja", "-S", dir, "-B", filepath.Join(dir, "out"), "-DCMAKE_TOOLCHAIN_FILE=" + file}, {"cmake", "--build", filepath.Join(dir, "out")}}
				}},
			{"meson", "meson.build", "project('features', 'c')\nexecutable('features', 'features.c', link_args: '-static')\n",
				func(dir, file string, cross bool) [][]string {
					kind := map[bool]string{true: "--cross-file", false: "--native-file"}[cross]
					return [][]string{{"meson", "setup", kind, file, filepath.Join(dir, "out"), dir}, {"ninja", "-C", filepath.Join(dir, "out")}}
				}},
		} {
			if !slices.Contains(m.systems, c.system) {
				continue
			}
			t.Run(c.system+" "+m.preset, func(t *testing.T) {
				t.Parallel()
				if i > 0 {
					need.Slow(t)
				}
				need.Program(t, "ninja", "--version") // both build systems call it
				need.Program(t, c.system, "--version")
				if m.run != nil {
					need.Program(t, m.run[0], "--version")
				} else {
					runsHere(t, m.preset)
				}
				dir, lines := machineFile(t, m.preset, c.system, need.Compiler(t, m.cc))
				write(t, dir, map[string]string{"machine": lines, c.description: c.project, "features.c": program(m.features)})
				for _, step := range c.steps(dir, filepath.Join(dir, "machine"), m.run != nil) {
					if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
						t.Fatalf("%s: %v\n%s\n%s", strings.Join(step, " "), err, out, lines)
					}
				}
				command := append(slices.Clone(m.run), filepath.Join(dir, "out", "features"))
				out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
				if err != nil || string(out) != "4038\n" {
					t.Errorf("%q %v", out, err)
				}
			})
		}
	}
}

// TestCargo: Cargo builds a program with the configuration of a target, and the program runs on a machine
// that has what the target needs.
func TestCargo(t *testing.T) {
	need.Slow(t)
	need.Program(t, "cargo", "--version")
	runsHere(t, "x86-64-v2")
	dir, lines := machineFile(t, "x86-64-v2", "cargo", need.Compiler(t, "gcc"))
	write(t, dir, map[string]string{".cargo/config.toml": lines, "Cargo.toml": "[package]\nname = \"features\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/main.rs": "#[cfg(not(all(target_feature = \"sse4.2\", target_feature = \"popcnt\")))]\ncompile_error!(\"the flags of the target are not here\");\n\nfn main() {\n    println!(\"{}\", std::env::args().count() as u32 * 1008u32.count_ones());\n}\n"})
	cmd := exec.Command("cargo", "build", "--release", "--offline")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CARGO_HOME="+filepath.Join(dir, "home"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, lines)
	}
	out, err := exec.Command(filepath.Join(dir, "target", "x86_64-unknown-linux-gnu", "release", "features")).CombinedOutput()
	if err != nil || string(out) != "6\n" {
		t.Errorf("%q %v", out, err)
	}
}

// runsHere skips a test if its program cannot run on this machine.
func runsHere(t *testing.T, name string) {
	t.Helper()
	host, err := target.Machines{}.Detect(target.ThisHost())
	if err != nil {
		t.Skip(err)
	}
	f, _ := preset.File(name)
	if v := (target.Machines{}).Satisfies(host, read(t, f)); !v.OK() {
		t.Skipf("its programs do not run here: %s", v)
	}
}

// machineFile writes a preset's file for a build system and a compiler into a new folder.
func machineFile(t *testing.T, name, system, cc string) (dir, lines string) {
	t.Helper()
	f, ok := preset.File(name)
	if !ok {
		t.Fatalf("there is no preset %s", name)
	}
	compiler, err := target.ThisHost().Using(system, cc)
	if err != nil {
		t.Fatal(err)
	}
	flags, _, err := target.Machines{}.Flags(read(t, f), compiler, target.Compiling)
	if err != nil {
		t.Fatal(err)
	}
	return t.TempDir(), strings.Join(flags, "\n") + "\n"
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
