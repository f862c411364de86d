package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// tracedPlan has a traced daemon, four traced MPI ranks with several threads, a process that waits until the
// daemon has done something, and a pipeline.
const tracedPlan = `daemon { name "watcher"; command "pentode trace record --policy all.pinsight -- ./watch watched"; host "localhost"; }
process { name "ranks"; command "pentode"; args { "trace" "record" "--policy" "all.pinsight" "--" "mpirun" "-n" "4" "./ranks" }; host "localhost"; daemon "pentode trace record --policy all.pinsight -- ./watch watched"; }
process { name "count"; command "pentode"; args { "run" "count.pipe" "--trace" "trace.json" }; host "localhost"; daemon "pentode"; }
process { name "wait"; command "sh"; args { "-c" "until test -e watched; do sleep 0.1; done" }; host "localhost"; daemon "pentode"; }
`

// needMPI requires an MPI installation that can start four ranks on any machine.
func needMPI(t *testing.T) {
	t.Helper()
	need.Program(t, "mpicc", "--version")
	need.Program(t, "mpirun", "--version")
	for _, name := range []string{"OMPI_MCA_rmaps_base_oversubscribe", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"} {
		t.Setenv(name, "1")
	}
}

// TestTracedPlan runs a daemon, an MPI program with OpenMP, and a pipeline. One joined trace contains all of
// them, on one clock.
func TestTracedPlan(t *testing.T) {
	need.Slow(t) // it builds the tracer with wrappers for hundreds of MPI calls
	need.Program(t, "clang", "--version")
	needMPI(t)
	t.Setenv("OMP_NUM_THREADS", "2")
	dir := t.TempDir()
	for name, compiler := range map[string]string{"ranks": "mpicc", "watch": "clang"} {
		cmd := exec.Command(compiler, "-g", "-fopenmp", filepath.Join("testdata", "membrane", name+".c"), "-o", filepath.Join(dir, name), "-lm")
		cmd.Env = append(os.Environ(), "OMPI_CC=clang", "MPICH_CC=clang")
		if out, err := cmd.CombinedOutput(); err != nil {
			need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
		}
	}
	pipe, err := os.ReadFile("testdata/wave/count.pipe")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "count.pipe"), string(pipe))
	write(t, filepath.Join(dir, "all.psdl"), tracedPlan)
	write(t, filepath.Join(dir, "all.pinsight"), "[OpenMP.default]\n    omp_parallel_begin = on\n    omp_parallel_end = on\n\n[MPI.default]\n    MPI_Gather = on\n")
	began := time.Now()
	out, said, err := started(t, "run", "-o", "out", dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	passed := float64(time.Since(began).Microseconds())
	events, processes := joinedTrace(t, filepath.Join(out, "out", "trace.json"))
	names := map[int]string{}
	for name, pid := range processes {
		names[pid] = name
	}
	seen := map[string]map[string]int{}
	for _, e := range events {
		if e.Ph == "M" || e.Ph == "E" {
			continue
		}
		if e.Ts < 0 || e.Ts > passed {
			t.Errorf("%s of %s happened at %.0f µs, and the run took %.0f; want e.Ts at least 0 and e.Ts at most %v", e.Name, names[e.Pid], e.Ts, passed, passed)
		}
		if seen[names[e.Pid]] == nil {
			seen[names[e.Pid]] = map[string]int{}
		}
		what := e.Name
		if e.Cat == "flow_step" {
			what = e.Cat
		}
		seen[names[e.Pid]][what]++
	}
	if seen["watcher (daemon): watch"]["parallel look"] != 1 {
		t.Errorf("the daemon has %v, want 1", seen["watcher (daemon): watch"])
	}
	if seen["count (rank 1)"]["flow_step"] == 0 {
		t.Errorf("the pipeline has %v, want other than 0", seen["count (rank 1)"])
	}
	for rank := range 4 {
		of := seen[fmt.Sprintf("ranks (rank 0): MPI rank %d", rank)]
		if of["MPI_Gather"] != 16 || of["parallel step"] != 64 {
			t.Errorf("rank %d has %v, of %v; want of[\"MPI_Gather\"] = 16 and of[\"parallel step\"] = 64", rank, of, processes)
		}
	}
}

// aheadByAnHour returns a folder with programs that behave as on a machine whose clock is an hour ahead: `date`,
// and a `pentode` whose traces have that machine's time.
func aheadByAnHour(t *testing.T) (bin string) {
	t.Helper()
	pentode, err := exec.LookPath("pentode")
	if err != nil {
		t.Fatal(err)
	}
	bin = t.TempDir()
	for name, text := range map[string]string{
		"date": `exec /bin/date -d 'now + 1 hour' "$@"`,
		"pentode": "'" + pentode + `' "$@"
code=$?
find "$PENTODE_OUT" -path '*/ctf/metadata' | while read -r file; do
	at=$(sed -n 's/.*offset_s = \([0-9]*\);.*/\1/p' "$file")
	sed -i "s/offset_s = $at;/offset_s = $((at + 3600));/" "$file" && touch "$PENTODE_OUT/shifted"
done
exit $code`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// TestRemoteTrace traces a program on another machine (this one, reached through ssh). Its events are in the
// joined trace, between the beginning and the end of the run, even if that machine's clock is ahead.
func TestRemoteTrace(t *testing.T) {
	need.Slow(t)
	clang := need.Program(t, "clang", "--version")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "once.c"), "int main(void)\n{\n#pragma omp parallel\n\t{\n\t}\n\treturn 0;\n}\n")
	if out, err := exec.Command(clang, "-g", "-fopenmp", filepath.Join(dir, "once.c"), "-o", filepath.Join(dir, "once")).CombinedOutput(); err != nil {
		need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
	}
	write(t, filepath.Join(dir, "far.psdl"), `process { name "far"; command "pentode"; args { "trace" "record" "--" "./once" }; host "localhost"; daemon "pentode"; }`+"\n")
	for name, path := range map[string]string{"one clock": os.Getenv("PATH"), "an hour ahead": aheadByAnHour(t) + ":" + os.Getenv("PATH")} {
		t.Run(name, func(t *testing.T) {
			rsh := golden.SSH(t, path)
			cmd := exec.CommandContext(t.Context(), "pentode", "run", "-o", "out", "--config", "run.map.localhost=elsewhere", "--config", "run.remote-dir="+dir, dir)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), noRaceNap, "XDG_STATE_HOME="+t.TempDir(), "XDG_RUNTIME_DIR="+t.TempDir(), "PARADYN_RSH="+strings.Join(rsh, " "))
			began := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			passed := float64(time.Since(began).Microseconds())
			events, _ := joinedTrace(t, filepath.Join(cmd.Dir, "out", "trace.json"))
			regions := 0
			for _, e := range events {
				if e.Name == "parallel main" && e.Ph == "B" {
					if regions++; e.Ts < 0 || e.Ts > passed+float64(golden.Patience.Microseconds()) {
						t.Errorf("the region began at %.0f µs, and the run took %.0f, want it to begin within the run", e.Ts, passed)
					}
				}
			}
			if regions != 1 {
				t.Errorf("the joined trace has %d parallel regions, want 1", regions)
			}
			if _, err := os.Stat(filepath.Join(cmd.Dir, "out", "far", "shifted")); (err == nil) != (name != "one clock") {
				t.Errorf("the clock of the trace: %v", err)
			}
		})
	}
}
