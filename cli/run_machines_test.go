//go:build linux

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// machines runs a command in a new folder with a copy of the example, and returns its output.
func machines(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), noRaceNap, "XDG_STATE_HOME="+t.TempDir(), "XDG_RUNTIME_DIR="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pictures, err := filepath.Glob(filepath.Join(cmd.Dir, "out", "shore", "sheet*.png"))
	if err != nil || len(pictures) != 16 {
		t.Errorf("%d pictures, %v: %s", len(pictures), err, out)
	}
	trace, err := os.ReadFile(filepath.Join(cmd.Dir, "out", "trace.json"))
	for _, site := range []string{"deck", "gpu", "shore"} {
		if !strings.Contains(string(trace), `"`+site+` (rank `) {
			t.Errorf("the trace has no %s: %v", site, err)
		}
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if _, text, ok := strings.Cut(line, "shore     | "); ok {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "")
}

// TestMachines runs the example with three sites on this machine, through ssh, and under Slurm.
// Each run gives the same numbers as a single program.
func TestMachines(t *testing.T) {
	need.Slow(t)
	example := filepath.Join(golden.Root(t), "examples", "machines")
	alone, err := exec.Command("pentode", "run", "-o", t.TempDir(), filepath.Join(example, "sheet.pipe")).Output()
	if err != nil || strings.Count(string(alone), "\n") != 16 {
		t.Fatalf("%v: %s", err, alone)
	}
	run := []string{"pentode", "run", "-o", "out", example}
	ways := map[string]func(*testing.T) ([]string, []string){
		"here": func(*testing.T) ([]string, []string) { return nil, run },
		"ssh": func(t *testing.T) ([]string, []string) {
			rsh := golden.SSH(t, os.Getenv("PATH"))
			return []string{"PARADYN_RSH=" + strings.Join(rsh, " ")}, append(slices.Clone(run), "--config", "run.map.localhost=elsewhere", "--config", "run.remote-dir="+example, "--config", "run.reach=127.0.0.1", "--config", "run.ready=alive:10ms")
		},
		"Slurm": func(t *testing.T) ([]string, []string) {
			return golden.Slurm(t), append([]string{"salloc", "-Q", "-N2"}, append(slices.Clone(run), "--config", "run.launcher=srun")...)
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			if name != "here" {
				need.Slow(t)
			}
			env, args := way(t)
			if got := machines(t, env, args...); got != string(alone) {
				t.Errorf("%s\nalone\n%s\nwant %v", got, alone, string(alone))
			}
		})
	}
}
