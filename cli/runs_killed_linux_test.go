package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestKilledRun: the record of a run is there while it goes on, and says of one that was killed that it was; the newest run is one
// that has ended.
func TestKilledRun(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("XDG_RUNTIME_DIR", state)
	write(t, "short.pipe", "process a :: numbers\n  end = 2\nprocess w :: sink\nconnect from a.number to w.sink\n")
	write(t, "long.pipe", "process a :: numbers\n  end = 1000000000000\nprocess w :: sink\nconnect from a.number to w.sink\n")
	says := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := pentode(t, args...)
		if code != want {
			t.Fatalf("pentode %s ended with %d: %s", strings.Join(args, " "), code, errs)
		}
		return out + errs
	}
	says(0, "run", "short.pipe")
	cmd := process(t, "run", "long.pipe")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var id string
	for end := time.Now().Add(golden.Patience); id == ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a run that goes on has no record")
		}
		for line := range strings.Lines(says(0, "runs", "list")) {
			if fields := strings.Fields(line); strings.Contains(line, "long.pipe") && len(fields) > 0 {
				if id = fields[0]; !strings.Contains(line, " running ") {
					t.Errorf("while it goes on: %s", line)
				}
			}
		}
	}
	if said := says(1, "runs", "tag", id, "mine"); !strings.Contains(said, "goes on") {
		t.Error(said)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{0, []string{"runs", "list"}, " killed "},
		{0, []string{"runs", "list", "--format", "json"}, `"state": "killed"`},
		{0, []string{"runs", "show", id}, "killed"},
		{0, []string{"runs", "show"}, "run short.pipe"}, // the newest that has ended
		{1, []string{"rerun", id}, "run `" + id + "` is killed, and has no results to compare with"},
		{0, []string{"launch", "prune"}, " deleted"},
		{0, []string{"runs", "show", id}, "killed"}, // its record has stayed
	} {
		if said := says(c.code, c.args...); !strings.Contains(said, c.want) {
			t.Errorf("pentode %s: %s", strings.Join(c.args, " "), said)
		}
	}
	if left, err := os.ReadDir(filepath.Join(state, "pentode", id)); err != nil || len(left) != 1 {
		t.Errorf("besides the record there is more: %v, %v", left, err)
	}
}
