package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestRerun: whatever became of the files of a run, it is repeated with what they were, and its results are the same.
func TestRerun(t *testing.T) {
	need.Rounds(t, 50, func(t *testing.T, round int) {
		random := rand.New(rand.NewPCG(41, uint64(round)))
		dir, state := t.TempDir(), t.TempDir()
		pentode := func(args ...string) string {
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
		folder := filepath.Join(dir, "a run")
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "part.pipe.inc"), fmt.Sprintf("config plate\n  end = %d\n", 10+random.IntN(90)))
		write(t, filepath.Join(folder, "count.pipe"), fmt.Sprintf("include part.pipe.inc\nprocess a :: numbers\n  end = $CONFIG{plate:end}\nprocess s :: skip\n  skip = %d\nprocess w :: print_number\n  output = few.txt\n"+
			"connect from a.number to s.input\nconnect from s.output to w.number\n", random.IntN(5)))
		run := [][]string{{"run", "a run"}, {"run", "--out", "results", "a run/count.pipe"}, {"run", "--out=results", folder}, {"run", "--out", filepath.Join(dir, "results"), filepath.Join(folder, "count.pipe")}}[random.IntN(4)]
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
		if out := pentode("rerun", "newest"); !strings.Contains(out, "equal: 1 result as in run ") {
			t.Errorf("%v: %s", run, out)
		}
	})
}
