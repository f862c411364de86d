package cli_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// withPDI installs the data store for C programs.
func withPDI(t *testing.T) string {
	t.Helper()
	need.Compiler(t, "cc")
	prefix := t.TempDir()
	if out, err := exec.Command("go", "run", "../capi/install", prefix, runtime.GOARCH).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return prefix
}

// wave creates a run folder with its own C program that uses OpenMP.
func wave(t *testing.T) string {
	t.Helper()
	clang := need.Program(t, "clang", "--version")
	prefix := withPDI(t)
	dir := filepath.Join(t.TempDir(), "wave")
	if err := os.CopyFS(dir, os.DirFS("testdata/wave")); err != nil {
		t.Fatal(err)
	}
	args := []string{"-g", "-O2", "-fopenmp", "-I", filepath.Join(prefix, "include"), filepath.Join(dir, "wave.c"), "-o", filepath.Join(dir, "wave"),
		"-L", filepath.Join(prefix, "lib"), "-lpdi", "-lparaconf", "-lm", "-Wl,-rpath," + filepath.Join(prefix, "lib")}
	if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
		need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
	}
	t.Setenv("OMP_NUM_THREADS", "2")
	return dir
}

// namesIn returns the names of the files in a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// traceEvent is an event of a joined trace.
type traceEvent struct {
	Name, Cat, Ph string
	Pid, Tid      int
	Ts            float64
	Args          map[string]any
}

func joinedTrace(t *testing.T, path string) (events []traceEvent, processes map[string]int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ TraceEvents []traceEvent }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	processes = map[string]int{}
	for _, e := range file.TraceEvents {
		if e.Name == "process_name" {
			processes[e.Args["name"].(string)] = e.Pid
		}
	}
	return file.TraceEvents, processes
}

// TestOwnProgram runs a plan with two traced programs, an untraced one, and a
// pipeline: results and traces are in separate folders, and all traces are joined on one clock.
func TestOwnProgram(t *testing.T) {
	need.Slow(t) // it builds the PDI library
	dir := wave(t)
	given := namesIn(t, dir)
	began := time.Now()
	out, said, err := started(t, "run", dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	passed := float64(time.Since(began).Microseconds())
	if now := namesIn(t, dir); !slices.Equal(now, given) {
		t.Errorf("the run has written among its sources: %v, want %v", now, given)
	}
	results := filepath.Join(out, "wave-out")
	for _, name := range []string{"west", "east", "plain"} {
		for i := range 5 {
			readWave(t, filepath.Join(results, name, fmt.Sprintf("wave_%d.h5", i)), i)
		}
	}
	for _, name := range []string{"west/wave-trace", "east/traced"} {
		if got := namesIn(t, filepath.Join(results, name)); !slices.Contains(got, "ctf") || !slices.Contains(got, "regions.json") {
			t.Errorf("%s has %v, want %q in got and %q in got", name, got, "ctf", "regions.json")
		}
	}
	events, processes := joinedTrace(t, filepath.Join(results, "trace.json"))
	if want := map[string]int{"west (rank 0)": 1, "east (rank 1)": 2, "count (rank 3)": 4}; fmt.Sprint(processes) != fmt.Sprint(want) {
		t.Errorf("the joined trace has %v, want %v", processes, want)
	}
	regions, steps := map[int]int{}, 0
	for _, e := range events {
		if e.Ph != "M" && (e.Ts < 0 || e.Ts > passed) {
			t.Errorf("%s of process %d happened at %.0f µs, and the run took %.0f; want e.Ts at least 0 and e.Ts at most %v", e.Name, e.Pid, e.Ts, passed, passed)
		}
		switch place, _ := e.Args["place"].(string); {
		case e.Name == "parallel step" && e.Ph == "B" && strings.Contains(place, "`step`"):
			regions[e.Pid]++
		case e.Cat == "flow_step":
			steps++
		}
	}
	if regions[1] != 5 || regions[2] != 5 || steps == 0 {
		t.Errorf("the joined trace has %v parallel regions by process and %d steps of the pipeline, want regions[1] = 5, regions[2] = 5 and steps other than 0", regions, steps)
	}
}

// readWave reads the cells of one time step, and compares them with the values of computedWave.
func readWave(t *testing.T, path string, step int) {
	t.Helper()
	f, err := hdf5.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	d, err := f.Root().Dataset("u")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 64*8)
	if err := d.Read(got, hdf5.Memory{Type: hdf5.IEEE(8)}, hdf5.Slab{}); err != nil {
		t.Fatal(err)
	}
	for i, want := range computedWave(step) {
		if u := math.Float64frombits(binary.NativeEndian.Uint64(got[8*i:])); math.Abs(u-want) > 1e-12 {
			t.Fatalf("%s: cell %d is %g, want %g", path, i, u, want)
		}
	}
}

// computedWave returns the values that wave.c computes.
func computedWave(steps int) []float64 {
	var u [3][]float64
	for k := range u {
		u[k] = make([]float64, 64)
	}
	for i := range 63 {
		u[0][i] = math.Sin(math.Pi * float64(i) / 63)
		u[1][i] = u[0][i]
	}
	for range steps + 1 {
		for i := 1; i < 63; i++ {
			u[2][i] = 2*u[1][i] - u[0][i] + 0.25*(u[1][i+1]-2*u[1][i]+u[1][i-1])
		}
		u[0], u[1], u[2] = u[1], u[2], u[0]
	}
	return u[1]
}
