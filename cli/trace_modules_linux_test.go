package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestLibrariesAtOneAddress: if a library is unloaded and another one is loaded at its addresses,
// each region gets names from its own library, even after the first library is loaded again.
func TestLibrariesAtOneAddress(t *testing.T) {
	need.Slow(t) // TestRegionNames also loads a library while the program runs
	clang := need.Program(t, "clang", "--version")
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("OMP_NUM_THREADS", "2")
	t.Setenv("OMP_WAIT_POLICY", "passive")
	const library = "void NAME(void)\n{\n\tfor (int i = 0; i < TIMES; i++)\n#pragma omp parallel\n\t\t__asm__ volatile(\"\" : : : \"memory\");\n}\n"
	const program = `#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **v)
{
#pragma omp parallel
	__asm__ volatile("" : : : "memory");
	for (int i = 1; i + 1 < n; i += 2) {
		void *library = dlopen(v[i], RTLD_NOW);
		void (*run)(void) = (void (*)(void))dlsym(library, v[i + 1]);
		if (!run)
			return 1;
		run();
		printf("%p\n", (void *)run);
		dlclose(library);
	}
	return 0;
}
`
	for name, text := range map[string]string{"library.c": library, "program.c": program} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{
		"-g -fopenmp program.c -o program -ldl", "-g -fopenmp -shared -fPIC -DNAME=first -DTIMES=3 library.c -o libone.so", "-g -fopenmp -shared -fPIC -DNAME=other -DTIMES=5 library.c -o libtwo.so",
	} {
		if out, err := exec.Command(clang, strings.Fields(command)...).CombinedOutput(); err != nil {
			need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
		}
	}
	run := "./program ./libone.so first ./libtwo.so other ./libone.so first"
	out, err := exec.Command("sh", "-c", run).Output()
	if lines := strings.Fields(string(out)); err != nil || len(lines) != 3 || lines[0] != lines[1] || lines[0] != lines[2] {
		need.Ability(t, "a loader that uses addresses again", fmt.Errorf("%w: %s", err, out))
	}
	got := map[string]int{}
	for _, r := range traceOnce(t, dir, "[Lexgion(other)]\n    max_num_traces = 4\n", run) {
		got[filepath.Base(r.Module)+" "+r.Function] += r.count
	}
	for name, want := range map[string]int{"program main": 1, "libone.so first": 6, "libtwo.so other": 4} {
		if got[name] != want {
			t.Errorf("`%s` was traced %d times, want %d; all: %v", name, got[name], want, got)
		}
	}
}
