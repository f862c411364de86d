package coil_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
)

// features is a program that is only built for a machine with atomics in its instructions and dot
// products, and that computes with the compiler's code for them.
const features = `#include <stdio.h>
#if !defined(__ARM_FEATURE_ATOMICS) || !defined(__ARM_FEATURE_DOTPROD)
#error the flags of the target are not here
#endif
int main(void) {
	signed char a[64], b[64];
	int sum = 0, count = 0;
	for (int i = 0; i < 64; i++) a[i] = i, b[i] = 2;
	for (int i = 0; i < 64; i++) sum += a[i] * b[i];
	__atomic_fetch_add(&count, sum, __ATOMIC_SEQ_CST);
	printf("%d\n", count);
	return 0;
}
`

// TestBuildSystems: a build system that gets the file of a target, with the compiler that it
// names, builds a program for it, and the program runs.
func TestBuildSystems(t *testing.T) {
	cc := need.Compiler(t, "aarch64-linux-gnu-gcc")
	qemu := need.Program(t, "qemu-aarch64", "--version")
	need.Program(t, "ninja", "--version") // which both of them call
	f, _ := preset.File("neoverse-n1")
	x := read(t, f)
	for _, c := range []struct {
		system, description, project string
		steps                        func(dir, file string) [][]string
	}{
		{"cmake", "CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(features C)\nadd_executable(features features.c)\ntarget_link_options(features PRIVATE -static)\n",
			func(dir, file string) [][]string {
				return [][]string{{"cmake", "-G", "Ninja", "-S", dir, "-B", filepath.Join(dir, "out"), "-DCMAKE_TOOLCHAIN_FILE=" + file}, {"cmake", "--build", filepath.Join(dir, "out")}}
			}},
		{"meson", "meson.build", "project('features', 'c')\nexecutable('features', 'features.c', link_args: '-static')\n",
			func(dir, file string) [][]string {
				return [][]string{{"meson", "setup", "--cross-file", file, filepath.Join(dir, "out"), dir}, {"ninja", "-C", filepath.Join(dir, "out")}}
			}},
	} {
		t.Run(c.system, func(t *testing.T) {
			t.Parallel()
			need.Program(t, c.system, "--version")
			compiler, err := target.ThisHost().Using(c.system, cc)
			if err != nil {
				t.Fatal(err)
			}
			lines, _, err := target.Machines{}.Flags(x, compiler, target.Compiling)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "machine")
			for name, text := range map[string]string{file: strings.Join(lines, "\n") + "\n", filepath.Join(dir, c.description): c.project, filepath.Join(dir, "features.c"): features} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, step := range c.steps(dir, file) {
				if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s\n%s", strings.Join(step, " "), err, out, strings.Join(lines, "\n"))
				}
			}
			out, err := exec.Command(qemu, "-cpu", "max", filepath.Join(dir, "out", "features")).CombinedOutput()
			if err != nil || string(out) != "4032\n" {
				t.Errorf("%q %v", out, err)
			}
		})
	}
}
