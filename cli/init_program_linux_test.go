package cli_test

import (
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// membrane creates and builds a run with a program, as `init` does. It requires the compiler of the
// language.
func membrane(t *testing.T, name, language, program string, flags ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	if code, out, errs := pentode(t, "init", "--name", name, "--in", language); code != 0 {
		t.Fatalf("init ends with %d\n%s%s", code, out, errs)
	}
	if program != "" {
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(name, name+".c"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if language != "python" {
		build := exec.Command("sh", filepath.Join(name, "build.sh"))
		build.Env = append(os.Environ(), flags...)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return name
}

// TestInitProgram: `init` creates runs with a program in each language, with an MPI program and
// with a traced OpenMP program. Each passes `check`, computes the same membrane, and leaves one
// trace on one clock.
func TestInitProgram(t *testing.T) {
	need.Slow(t)
	ranks, err := filepath.Abs("testdata/membrane/ranks.c")
	if err != nil {
		t.Fatal(err)
	}
	root := golden.Root(t)
	const traced = "program:command=pentode trace record --policy %[1]s.pinsight -- %[2]s./%[1]s"
	for _, c := range []struct {
		name  string
		made  func(t *testing.T) string
		set   string                                                            // a setting to change in the pipeline
		trace string                                                            // what to trace of the program
		seen  func(t *testing.T, events []traceEvent, processes map[string]int) // checks the events of the program
	}{
		{name: "c", made: func(t *testing.T) string {
			need.Compiler(t, "cc")
			return membrane(t, "drop", "c", "")
		}},
		{name: "cxx", made: func(t *testing.T) string {
			need.Slow(t)
			need.Program(t, "c++", "--version")
			return membrane(t, "drop", "cxx", "")
		}},
		{name: "fortran", made: func(t *testing.T) string {
			need.Slow(t)
			need.Program(t, "gfortran", "--version")
			return membrane(t, "drop", "fortran", "")
		}},
		{name: "python", made: func(t *testing.T) string {
			need.Slow(t)
			need.Python(t)
			return membrane(t, "drop", "python", "")
		}},
		{name: "OpenMP", made: func(t *testing.T) string {
			need.Program(t, "clang", "--version")
			need.Compiler(t, "cc") // for building the tracer
			t.Setenv("OMP_NUM_THREADS", "2")
			return membrane(t, "drop", "c", "", "CC=clang", "CFLAGS=-g -fopenmp")
		}, set: traced, trace: "[OpenMP.default]\n    omp_parallel_begin = on\n    omp_parallel_end = on\n\n[Lexgion(step)] : OpenMP.default\n    tracing_rate = 1\n", seen: sawRegions},
		{name: "MPI", made: func(t *testing.T) string {
			need.Slow(t) // it builds the tracer with wrappers for hundreds of MPI calls
			needMPI(t)
			return membrane(t, "drop", "c", ranks, "CC=mpicc")
		}, set: strings.Replace(traced, "%[2]s", "mpirun -n 4 ", 1), trace: "[MPI.default]\n    MPI_Sendrecv = on\n    MPI_Gather = on\n\n[Lexgion(MPI).default]\n    tracing_rate = 1\n", seen: sawRanks},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := c.made(t)
			if c.set != "" {
				if code, _, errs := pentode(t, "set", name+"/"+name+".pipe", fmt.Sprintf(c.set, name, "")); code != 0 {
					t.Fatal(errs)
				}
				policy := filepath.Join(name, name+".pinsight")
				text, err := os.ReadFile(policy)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(policy, []byte(string(text)+"\n"+c.trace), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if code, out, errs := pentode(t, "check", "--strict", name); code != 0 || !strings.Contains(errs, "5 files checked, no findings") {
				t.Fatalf("check ends with %d\n%s%s", code, out, errs)
			}
			dir, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			given, began := namesIn(t, dir), time.Now()
			out, said, err := started(t, "run", dir)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			passed := float64(time.Since(began).Microseconds())
			if now := namesIn(t, dir); !slices.Equal(now, given) {
				t.Errorf("the run has written among its sources: %v, want %v", now, given)
			}
			results := filepath.Join(out, name+"-out", name)
			sameMembrane(t, filepath.Join(results, name+".h5"))
			samePicture(t, filepath.Join(results, name+"_05.png"), filepath.Join(root, "docs", "pictures", "membrane.png"))
			events, processes := joinedTrace(t, filepath.Join(out, name+"-out", "trace.json"))
			steps := 0
			for _, e := range events {
				if e.Ph != "M" && (e.Ts < 0 || e.Ts > passed) {
					t.Errorf("%s of process %d happened at %.0f µs, and the run took %.0f; want e.Ts at least 0 and e.Ts at most %v", e.Name, e.Pid, e.Ts, passed, passed)
				}
				if e.Cat == "flow_step" && strings.HasPrefix(e.Name, "program step ") && e.Pid == processes["drop (rank 0)"] {
					steps++
				}
			}
			if steps < 16 {
				t.Errorf("the joined trace has %d steps of the program, want 16: %v", steps, processes)
			}
			if c.seen != nil {
				c.seen(t, events, processes)
			}
		})
	}
}

// TestInitOwn: `init` for an existing program creates a run that fits the libraries linked into it,
// passes `check`, and runs.
func TestInitOwn(t *testing.T) {
	need.Slow(t)
	const prints = "#include <stdio.h>\nint main(void) { puts(\"begin\"); puts(\"0.1 0.5 0.9\"); puts(\"0.2, 0.6, 1\"); return 0; }\n"
	t.Setenv("OMP_NUM_THREADS", "2")
	for _, c := range []struct {
		name, compiler string
		flags          []string
		command, found string
		trace          string
	}{
		{"script", "", nil, "../mine", "It is not a compiled program", "tracing_rate"},
		{"plain", "cc", nil, "../mine", "It is linked with neither OpenMP, MPI nor PDI", "tracing_rate"},
		{"GNU", "gcc", []string{"-fopenmp", "-Wl,--no-as-needed", "-lgomp"}, "../mine", "Its OpenMP is GCC's", "tracing_rate"},
		{"LLVM", "clang", []string{"-fopenmp", "-Wl,--no-as-needed", "-lomp"}, "pentode trace record --policy own.pinsight -- ../mine", "`pentode trace record` starts it", "[OpenMP.default]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "script" || c.name == "GNU" {
				need.Slow(t)
			}
			t.Chdir(t.TempDir())
			if c.compiler == "" {
				if err := os.WriteFile("mine", []byte("#!/bin/sh\necho begin\necho 0.1 0.5 0.9\necho 0.2, 0.6, 1\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			} else {
				compiler := need.Compiler(t, c.compiler)
				write(t, "mine.c", prints)
				if out, err := exec.Command(compiler, append([]string{"mine.c", "-o", "mine"}, c.flags...)...).CombinedOutput(); err != nil {
					need.Ability(t, c.name+"'s OpenMP", fmt.Errorf("%w: %s", err, out))
				}
			}
			if code, _, errs := pentode(t, "init", "--name", "own", "--program", "./mine"); code != 0 || !strings.Contains(errs, c.found) {
				t.Fatalf("init ends with %d: %s", code, errs)
			}
			for file, want := range map[string]string{"own.pipe": "command = " + c.command + "\n", "own.pinsight": c.trace, "README.md": c.found} {
				if text, err := os.ReadFile(filepath.Join("own", file)); err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "@") {
					t.Errorf("%s has no `%s`: %v\n%s", file, want, err, text)
				}
			}
			if code, out, errs := pentode(t, "check", "--strict", "own"); code != 0 || !strings.Contains(errs, "5 files checked, no findings") {
				t.Fatalf("check ends with %d\n%s%s", code, out, errs)
			}
			dir, err := filepath.Abs("own")
			if err != nil {
				t.Fatal(err)
			}
			out, said, err := started(t, "run", dir)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			results := filepath.Join(out, "own-out", "own")
			if text, err := os.ReadFile(filepath.Join(results, "own.txt")); err != nil || string(text) != "begin\n" {
				t.Errorf("own.txt has %q, %v", text, err)
			}
			if text, err := os.ReadFile(filepath.Join(results, "own.json")); err != nil || strings.Count(string(text), "mean") != 2 {
				t.Errorf("own.json has %s, %v", text, err)
			}
			if picture := decodedPicture(t, filepath.Join(results, "own_1.png")); picture.Bounds().Dx() != 512 {
				t.Errorf("the picture is %v, want 512", picture.Bounds())
			}
			if _, processes := joinedTrace(t, filepath.Join(out, "own-out", "trace.json")); processes["own (rank 0)"] == 0 {
				t.Errorf("the joined trace has %v, want other than 0", processes)
			}
		})
	}
}

// TestInitForLibraries: `init` starts a program linked with MPI through the MPI launcher, and gives
// a program linked with PDI a specification tree.
func TestInitForLibraries(t *testing.T) {
	cc := need.Compiler(t, "cc")
	t.Chdir(t.TempDir())
	write(t, "mine.c", "int main(void) { return 0; }\n")
	// `init` only looks for the launcher and does not run it, so any program of that name will do.
	launchers := t.TempDir()
	if err := os.WriteFile(filepath.Join(launchers, "mpirun"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", launchers+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for library, want := range map[string][]string{
		"libmpi.so.40": {"-n 4 ../mine\n", "pentode trace record --policy own.pinsight -- mpirun", "[MPI.default]", "four ranks"},
		"libpdi.so.1":  {"command = ../mine own.yml\n", "trace:", "names the data that it exposes"},
	} {
		for _, args := range [][]string{{"-shared", "-fPIC", "-Wl,-soname," + library, "-o", library}, {"-Wl,--no-as-needed", "-o", "mine", "./" + library}} {
			if out, err := exec.Command(cc, append([]string{"-x", "c", "mine.c", "-x", "none"}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		if code, _, errs := pentode(t, "init", "--name", "own", "--program", "mine"); code != 0 {
			t.Fatal(errs)
		}
		var all strings.Builder
		for _, name := range namesIn(t, "own") {
			text, err := os.ReadFile(filepath.Join("own", name))
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		for _, text := range want {
			if !strings.Contains(all.String(), text) {
				t.Errorf("with %s the run has no `%s`:\n%s", library, text, all.String())
			}
		}
		if code, out, errs := pentode(t, "check", "own"); code != 0 {
			t.Errorf("with %s check ends with %d\n%s%s", library, code, out, errs)
		}
		if err := os.RemoveAll("own"); err != nil {
			t.Fatal(err)
		}
	}
}

// sawRegions checks that the trace has the 64 parallel regions of the function `step`.
func sawRegions(t *testing.T, events []traceEvent, processes map[string]int) {
	regions := map[int]int{}
	for _, e := range events {
		if place, _ := e.Args["place"].(string); e.Name == "parallel step" && e.Ph == "B" && strings.Contains(place, "`step`") {
			regions[e.Pid]++
		}
	}
	if len(regions) != 1 || regions[processes["drop (rank 0): drop"]] != 64 {
		t.Errorf("the joined trace has %v parallel regions in %v, want len(regions) = 1 and regions[processes[\"drop (rank 0): drop\"]] = 64", regions, processes)
	}
}

// sawRanks checks that the trace has the messages and collective calls of each of the four ranks.
func sawRanks(t *testing.T, events []traceEvent, processes map[string]int) {
	calls := map[int]map[string]int{}
	for _, e := range events {
		if strings.HasPrefix(e.Name, "MPI_") && e.Ph != "E" {
			if calls[e.Pid] == nil {
				calls[e.Pid] = map[string]int{}
			}
			calls[e.Pid][e.Name]++
		}
	}
	if len(calls) != 4 {
		t.Errorf("%d ranks have called MPI, of %v; want 4", len(calls), processes)
	}
	for pid, of := range calls {
		if of["MPI_Sendrecv"] != 128 || of["MPI_Gather"] != 16 {
			t.Errorf("process %d has called %v, want of[\"MPI_Sendrecv\"] = 128 and of[\"MPI_Gather\"] = 16", pid, of)
		}
	}
}

// sameMembrane compares the 16 frames in a file with the expected ones. The program prints six
// digits.
func sameMembrane(t *testing.T, path string) {
	t.Helper()
	cells := storedNumbers(t, path, "frames", "[16 32 32]")
	for i, want := range computedMembrane() {
		if have := cells[i]; math.Abs(have-want) > 1e-6 {
			t.Fatalf("cell %d of frame %d is %g, want %g", i%1024, i/1024, have, want)
		}
	}
}

// computedMembrane returns what the programs of `init` compute: 16 frames, one for every four
// steps.
func computedMembrane() (cells []float64) {
	const size = 32
	var before, now, next [size][size]float64
	for r := 1; r < size-1; r++ {
		for c := 1; c < size-1; c++ {
			now[r][c] = math.Exp(-float64((r-10)*(r-10)+(c-14)*(c-14)) / 6)
		}
	}
	before = now
	for i := range 64 {
		if i%4 == 0 {
			for _, row := range now {
				cells = append(cells, row[:]...)
			}
		}
		for r := 1; r < size-1; r++ {
			for c := 1; c < size-1; c++ {
				next[r][c] = 2*now[r][c] - before[r][c] + 0.25*(now[r-1][c]+now[r+1][c]+now[r][c-1]+now[r][c+1]-4*now[r][c])
			}
		}
		before, now = now, next
	}
	return cells
}

// samePicture compares two pictures. Rounding the printed numbers may change a colour by one.
func samePicture(t *testing.T, have, want string) {
	t.Helper()
	a, b := decodedPicture(t, have), decodedPicture(t, want)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("%s is %v, want %v", have, a.Bounds(), b.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, u, _ := a.At(x, y).RGBA()
			r2, g2, u2, _ := b.At(x, y).RGBA()
			for _, pair := range [][2]uint32{{r, r2}, {g, g2}, {u, u2}} {
				if d := int(pair[0]>>8) - int(pair[1]>>8); d < -1 || d > 1 {
					t.Fatalf("%s differs from %s at %d, %d", have, want, x, y)
				}
			}
		}
	}
}

func decodedPicture(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}
