//go:build linux

package collect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// openMPLibrary builds a library with a parallel loop.
func openMPLibrary(t *testing.T) string {
	t.Helper()
	clang := need.Program(t, "clang", "--version")
	dir := t.TempDir()
	source, library := filepath.Join(dir, "part.c"), filepath.Join(dir, "part.so")
	const text = "void twice(double *a, int n) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] *= 2;\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := output([]string{clang, "-fopenmp", "-shared", "-fPIC", source, "-o", library}); err != nil {
		need.Ability(t, "`clang` with its libraries", fmt.Errorf("%w: %s", err, out))
	}
	return library
}

// regionsWithin counts the parallel regions that begin within a function, the other ones, and the
// threads that work in any of them.
func regionsWithin(function string, streams [][]ctf.Occurrence) (within, without, threads int) {
	events := Schema().Events
	for _, stream := range streams {
		depth := 0
		for _, o := range stream {
			_, name, _ := strings.Cut(events[o.Event].Name, ":")
			switch {
			case name == "function_begin" && o.Fields[0].Text == function:
				depth++
			case name == "function_end" && o.Fields[0].Text == function:
				depth--
			case name == "parallel_begin" && depth > 0:
				within++
			case name == "parallel_begin":
				without++
			case name == "work_begin":
				threads++
			}
		}
	}
	return within, without, threads
}

// The parallel regions of a library are nested in the Python function that calls the library.
func TestPythonOpenMP(t *testing.T) {
	need.Slow(t)
	library := openMPLibrary(t)
	b, interpreters := newPython(t)
	script := pythonScript(t, `
import ctypes, sys
twice = ctypes.CDLL(sys.argv[1]).twice

def solve(values):
    twice(values, len(values))
    return list(values)

values = (ctypes.c_double * 4)(1, 2, 3, 4)
for _ in range(3):
    solve(values)
print(solve(values))
`)
	for _, interpreter := range interpreters {
		dir, out, _ := b.python(pythonConfig(), nil, interpreter, script, library)
		if within, without, threads := regionsWithin("solve", b.read(dir)); within != 4 || without != 0 || threads != 4*3 || out != "[16.0, 32.0, 48.0, 64.0]\n" {
			t.Errorf("%s: %d parallel regions in the function that meets them, %d elsewhere, with %d threads; it prints %s; want within = 4, without = 0, threads = %v and out = %q", interpreter, within, without, threads, out, 4*3, "[16.0, 32.0, 48.0, 64.0]\n")
		}
	}
}

// For a program that uses numpy, the trace has its functions, the functions of numpy that they call in C
// and in Python, and the OpenMP regions of the library that works on its arrays.
func TestPythonNumpy(t *testing.T) {
	need.Slow(t)
	own := need.Python(t, "numpy")
	library := openMPLibrary(t)
	b, interpreters := newPython(t)
	script := pythonScript(t, `
import ctypes, sys
import numpy as np

twice = ctypes.CDLL(sys.argv[1]).twice
twice.argtypes = [ctypes.c_void_p, ctypes.c_int]

class Field:
    def __init__(self, n):
        self.values = np.arange(n, dtype=float)

    def step(self):
        twice(self.values.ctypes.data, self.values.size)
        return self.norm()

    def norm(self):
        return float(self.values.sum())

field = Field(64)
for _ in range(4):
    norm = field.step()
print(norm)
`)
	interpreters[0] = own
	for _, interpreter := range interpreters {
		if !has(interpreter, "import numpy") {
			t.Logf("%s has no numpy", interpreter)
			continue
		}
		dir, out, _ := b.python(pythonConfig("__main__", "numpy*._methods"), nil, interpreter, script, library)
		streams := b.read(dir)
		within, without, threads := regionsWithin("Field.step", streams)
		if within != 4 || without != 0 || threads != 4*3 || out != "32256.0\n" {
			t.Errorf("%s: %d parallel regions in Field.step, %d elsewhere, with %d threads; it prints %s; want within = 4, without = 0, threads = %v and out = %q", interpreter, within, without, threads, out, 4*3, "32256.0\n")
		}
		got := counted(pythonEvents(streams))
		for key, n := range map[string]int{"calls Field.__init__": 1, "calls Field.step": 4, "calls Field.norm": 4, "c ndarray.sum": 4, "calls _sum": 4} {
			if got[key] != n {
				t.Errorf("%s: %s: %d, want %d", interpreter, key, got[key], n)
			}
		}
	}
}
