package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// commands returns a function that runs commands in a folder, with its own records, and returns their output.
func commands(t *testing.T, dir string) func(args ...string) string {
	state := t.TempDir()
	return func(args ...string) string {
		t.Helper()
		cmd := exec.Command("pentode", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), noRaceNap, "XDG_STATE_HOME="+state, "XDG_RUNTIME_DIR="+state)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("pentode %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
}

// TestRerun: a run is repeated with its original files, even if they have changed or are gone, and gives the same results.
func TestRerun(t *testing.T) {
	need.Rounds(t, 50, func(t *testing.T, round int) {
		random := rand.New(rand.NewPCG(41, uint64(round)))
		dir := t.TempDir()
		pentode := commands(t, dir)
		folder := filepath.Join(dir, "a run")
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "part.pipe.inc"), fmt.Sprintf("config plate\n  end = %d\n", 10+random.IntN(90)))
		write(t, filepath.Join(folder, "count.pipe"), fmt.Sprintf("include part.pipe.inc\nprocess a :: numbers\n  end = $CONFIG{plate:end}\nprocess s :: skip\n  skip = %d\nprocess w :: print_number\n  output = few.txt\n"+
			"connect from a.number to s.input\nconnect from s.output to w.number\n", random.IntN(5)))
		run := [][]string{{"run", "a run"}, {"run", "-o", "results", "a run/count.pipe"}, {"run", "--output=results", folder}, {"run", "-o", filepath.Join(dir, "results"), filepath.Join(folder, "count.pipe")}}[random.IntN(4)]
		pentode(run...)
		switch random.IntN(3) {
		case 0:
			write(t, filepath.Join(folder, "count.pipe"), "nonsense")
		case 1:
			write(t, filepath.Join(folder, "part.pipe.inc"), "config plate\n  end = 7\n")
			write(t, filepath.Join(folder, "another.pipe"), "process x :: sink\n")
			write(t, filepath.Join(dir, "pentode.toml"), "as = \"upstream\"\n")
		case 2:
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
		}
		if out := pentode("runs", "rerun", "newest"); !strings.Contains(out, "equal: 1 result as in run ") {
			t.Errorf("%v: %s; want %q in it", run, out, "equal: 1 result as in run ")
		}
	})
}

// TestRerunFolder: repeating a run folder whose programs write pictures, HDF5 files and traces gives the same results, each with its
// seal (the embedded record of the run that made it).
func TestRerunFolder(t *testing.T) {
	need.Slow(t) // the script of rerun has a pipeline
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "heat"), os.DirFS(filepath.Join(golden.Root(t), "examples", "heat"))); err != nil {
		t.Fatal(err)
	}
	pentode := commands(t, dir)
	pentode("set", "heat/heat.pipe", "plate:rows=8", "plate:cols=8", "plate:steps=100")
	pentode("run", "heat")
	if err := os.RemoveAll(filepath.Join(dir, "heat")); err != nil {
		t.Fatal(err)
	}
	out := pentode("runs", "rerun", "heat-out/east/plate_01.png")
	if !strings.Contains(out, "heat.yml` no longer exists; the run uses the recorded text") || !regexp.MustCompile(`(?m)^equal: 1[0-9] results as in run `).MatchString(out) {
		t.Errorf("rerun says %s; want it to say that heat.yml is gone and the run has it as it was, and that 10 to 19 results are equal", out)
	}
}

// TestRerunOfFile: for a file that two runs have written, `rerun` repeats the run named by the seal embedded in the file; without a
// seal, the newest run.
func TestRerunOfFile(t *testing.T) {
	dir := t.TempDir()
	pentode := commands(t, dir)
	write(t, filepath.Join(dir, "a.pipe"), "process a :: numbers\n  end = 9\nprocess w :: print_number\n  output = out.txt\nconnect from a.number to w.number\n")
	var names []string
	for _, out := range []string{"first", "second"} {
		pentode("run", "-o", out, "a.pipe")
		names = append(names, strings.TrimSpace(regexp.MustCompile(`(?m)^run +(.+)$`).FindStringSubmatch(pentode("runs", "show"))[1]))
	}
	if out := pentode("runs", "rerun", "first/out.txt"); !strings.Contains(out, "equal: 1 result as in run "+names[0]) {
		t.Errorf("with a seal, of %s: %s; want %q in it", names, out, "equal: 1 result as in run "+names[0])
	}
	if err := os.Remove(filepath.Join(dir, "first", "out.txt"+seal.Ending)); err != nil {
		t.Fatal(err)
	}
	if out := pentode("runs", "rerun", "first/out.txt"); strings.Contains(out, "as in run "+names[0]) || !strings.Contains(out, "equal: 1 result as in run ") {
		t.Errorf("without a seal, of %s: %s", names, out)
	}
}
