package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// launch runs a program in four processes in a folder and returns the lines of its output.
func launch(t testing.TB, mpi, dir, program string, args ...string) ([]string, error) {
	t.Helper()
	args = append([]string{"-np", "4", program}, args...)
	if mpi == "openmpi" {
		args = append([]string{"--oversubscribe"}, args...)
	}
	cmd := exec.Command(need.Program(t, "mpirun."+mpi, "--version"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	out, err := cmd.CombinedOutput()
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}

// compileFor compiles a program with the compiler of an MPI.
func compileFor(t *testing.T, mpi, prefix, name string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "parallel")
	args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-I", filepath.Join(prefix, "include"), testdata(t, name),
		"-o", program, "-L", filepath.Join(prefix, "lib"), "-lpdi", "-lparaconf", "-Wl,-rpath," + filepath.Join(prefix, "lib")}, flags...)
	out, err := exec.Command(need.Program(t, "mpicc."+mpi, "--version"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s does not compile: %v\n%s", name, err, out)
	}
	return program
}

// TestParallel lets four processes write one file under each MPI, each its own blocks, and read them back. The program
// checks that each process has written about the same number of bytes. Then processes fail, during the call and in
// background threads: all must report the same error, and the file must have the earlier steps.
func TestParallel(t *testing.T) {
	need.Slow(t)
	type way struct {
		way, says string
		lines     int // number of lines with that text
		steps     int // number of steps in the file
	}
	ways := []way{
		{way: "plain", steps: 3},
		{way: "null", says: "the communicator is MPI_COMM_NULL, which has no processes", lines: 12},
		{way: "inter", says: "the communicator connects two groups of processes (an intercommunicator)", lines: 12},
		{way: "trees", says: "rank 0 writes `plain` to `trees.h5`, but rank 2 writes `tiles`: all processes of a communicator need the same tree and the same conditions", lines: 12},
		{way: "full", says: "rank 2: cannot write `full.h5`: `block`: file too large", lines: 8, steps: 1},
		{way: "skip", says: "rank 2 did not join within PATIENCE: each process of the communicator must take part", lines: 6, steps: 1},
		{way: "late", says: "not all of the 4 processes of the communicator took part within PATIENCE", lines: 9},
		{way: "async", steps: 3},
		{way: "async-full", says: "an earlier step: rank 2: cannot write `async-full.h5`: `block`: file too large", lines: 8, steps: 1},
		{way: "async-skip", says: "the last step of `async-skip.h5` is not in the file: cannot write or read `async-skip.h5`: rank 2 did not join within PATIENCE", lines: 3},
		{way: "async-unfinished", says: "at the end: System error: an earlier step: cannot write or read `async-unfinished.h5`: `communicator` needs MPI, which the program has not initialised, or has finalised",
			lines: 4, steps: 2},
	}
	killed := []string{"killed", "async-killed"}
	if !need.Full() {
		// This MPI computes while its processes wait for each other.
		ways = slices.DeleteFunc(ways, func(w way) bool { return strings.Contains(w.says, "PATIENCE") })
		killed = killed[:1]
	}
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			if mpi != "openmpi" {
				need.Slow(t)
			}
			program := compileFor(t, mpi, prefix(t), "parallel.c")
			var args []string
			for _, c := range ways {
				args = append(args, c.way)
			}
			dir, wrong := "", []string(nil)
			for _, patience := range []time.Duration{500 * time.Millisecond, 2 * time.Second, 10 * time.Second} { // the other processes may be delayed too
				dir, wrong = t.TempDir(), nil
				t.Setenv("PATIENCE", fmt.Sprintf("%g", patience.Seconds()))
				lines, err := launch(t, mpi, dir, program, args...)
				if text := strings.Join(lines, "\n"); err != nil && !need.HydraFailed(text) {
					wrong = append(wrong, fmt.Sprintf("%v\n%s", err, text))
				}
				for _, c := range ways {
					said := 0
					var all []string
					for _, line := range lines {
						if strings.HasPrefix(line, c.way+", ") {
							all = append(all, line)
							if c.says != "" && strings.Contains(line, strings.Replace(c.says, "PATIENCE", patience.String(), 1)) {
								said++
							}
						}
					}
					if said != c.lines || c.says == "" && len(all) > 0 {
						wrong = append(wrong, fmt.Sprintf("%s: %d lines say `%s`, want %d\n%s", c.way, said, c.says, c.lines, strings.Join(all, "\n")))
					}
				}
				if wrong == nil {
					break
				}
			}
			if wrong != nil {
				t.Fatalf("%v; want none", strings.Join(wrong, "\n"))
			}
			for _, c := range ways {
				files, _ := filepath.Glob(filepath.Join(dir, c.way+".h5*"))
				if len(files) != min(1, c.steps) {
					t.Errorf("%s left %v", c.way, files)
				}
				if c.steps > 0 {
					lookAt(t, filepath.Join(dir, c.way+".h5"), c.steps)
				}
			}
			for _, way := range killed {
				lines, err := launch(t, mpi, dir, program, way)
				if _, died := errors.AsType[*exec.ExitError](err); !died {
					t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
				}
				lookAt(t, filepath.Join(dir, way+".h5"), 1)
			}
		})
	}
}

// TestNoMPI checks that using a communicator fails with a clear error in a program without MPI, and in one with an unknown
// MPI library.
func TestNoMPI(t *testing.T) {
	p := prefix(t)
	for flag, want := range map[string]string{
		"-UOTHER": "the program has no MPI library loaded, which `communicator` needs",
		"-DOTHER": "the MPI library of the program is unknown: `communicator` needs Open MPI, or MPICH or one with its interface",
	} {
		status, out := start(t, p, compile(t, p, "nompi.c", flag))
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("%s ended with %d\n%s\nwant %s", flag, status, out, want)
		}
	}
}

// lookAt checks the steps in the file of parallel.c.
func lookAt(t *testing.T, path string, steps int) {
	t.Helper()
	f, err := hdf5.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	last, err := f.Root().Exists("last/" + string(rune('0'+steps-1)))
	next, err2 := f.Root().Exists("last/" + string(rune('0'+steps)))
	if !last || next || err != nil || err2 != nil {
		t.Fatalf("step %d is there: %v, step %d: %v (%v, %v)", steps-1, last, steps, next, err, err2)
	}
	values := make([]float64, 128*2048)
	raw := make([]byte, 8*len(values))
	for _, name := range []string{"plain", "tiles", "packed"} {
		d, err := f.Root().Dataset(name)
		if err != nil {
			t.Fatal(err)
		}
		for step := range steps {
			if err := d.Read(raw, hdf5.Memory{}, hdf5.Slab{Start: []uint64{uint64(step), 0, 0}, Count: []uint64{1, 128, 2048}}); err != nil {
				t.Fatal(err)
			}
			if _, err := binary.Decode(raw, binary.LittleEndian, values); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if want := float64(step)*1e8 + float64(i/2048)*1e4 + float64(i%2048); v != want {
					t.Fatalf("`%s` has %g at %d in step %d, want %g", name, v, i, step, want)
				}
			}
		}
	}
	if out, err := exec.Command(need.Program(t, "h5dump"), "-H", path).CombinedOutput(); err != nil || strings.Contains(string(out), "error") {
		t.Errorf("h5dump: %v\n%s", err, out)
	}
}

// TestParallelExample runs examples/parallel in C and in Fortran under each MPI: all files must be equal and have one seal.
func TestParallelExample(t *testing.T) {
	p := prefix(t)
	script, err := filepath.Abs(filepath.Join("..", "..", "examples", "parallel", "heat.sh"))
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, mpi := range []string{"openmpi", "mpich"} {
		for _, language := range []string{"c", "fortran"} {
			t.Run(mpi+"/"+language, func(t *testing.T) {
				if mpi != "openmpi" || language != "c" {
					need.Slow(t)
				}
				need.Program(t, "mpicc."+mpi, "--version")
				run := need.Program(t, "mpirun."+mpi, "--version")
				if mpi == "openmpi" {
					run += " --oversubscribe"
				}
				if language == "fortran" {
					need.Program(t, "mpif90."+mpi, "--version")
				}
				out := t.TempDir()
				cmd := exec.Command("sh", script, language)
				cmd.Env = append(os.Environ(), "PENTODE_OUT="+out, "PDI="+p, "MPICC=mpicc."+mpi, "MPIFC=mpif90."+mpi, "MPIRUN="+run,
					"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", seal.Variable+"="+string(seal.Seal{Run: "together"}.Text()))
				if text, err := cmd.CombinedOutput(); err != nil && !need.HydraFailed(string(text)) {
					t.Fatalf("%v\n%s", err, text)
				}
				f, err := hdf5.Open(filepath.Join(out, "plate.h5"))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if list, err := f.Root().Attributes(); err != nil || len(list) != 1 {
					t.Errorf("the root has %d attributes, want the seal alone: %v", len(list), err)
				}
				if s, err := declhdf5.Sealed(f.Path()); err != nil || s.Run != "together" || filepath.Base(s.Program) != "heat" {
					t.Errorf("the seal of all ranks: %+v, %v", s, err)
				}
				d, err := f.Root().Dataset("plate")
				if err != nil {
					t.Fatal(err)
				}
				got := make([]byte, 8*11*64*48)
				if err := d.Read(got, hdf5.Memory{}, hdf5.Slab{}); err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				// After 100 steps the middle of the first row is warm, and the last row is still cold.
				at := func(row, column int) float64 {
					return math.Float64frombits(binary.LittleEndian.Uint64(got[8*((10*64+row)*48+column):]))
				}
				if warm, cold := at(0, 24), at(63, 24); warm < 80 || warm > 100 || cold < 0 || cold > 1 || string(got) != string(want) {
					t.Errorf("the plate is %g above and %g below, and the same as before: %v", warm, cold, string(got) == string(want))
				}
			})
		}
	}
}
