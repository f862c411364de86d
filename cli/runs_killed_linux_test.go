package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestKilledRun: a live run already has a record. The record of a killed run says that it was
// killed, and lists its results. `runs show` without a name shows the newest run that has ended.
func TestKilledRun(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("XDG_RUNTIME_DIR", state)
	write(t, "short.pipe", "process a :: numbers\n  end = 2\nprocess w :: sink\nconnect from a.number to w.sink\n")
	write(t, "long.pipe", `process a :: numbers
  end = 1000000000000
process w :: sink
connect from a.number to w.sink
process plate :: heat
  rows = 8
  cols = 8
  steps = 3
  every = 1
process paint :: colormap
process pictures :: image_writer
  file_name_template = p%d.png
process half :: print_number
  output = half.txt
connect from plate.field to paint.field
connect from paint.image to pictures.image
connect from a.number to half.number
`)
	says := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := pentode(t, args...)
		if code != want {
			t.Fatalf("pentode %s ended with %d: %s", strings.Join(args, " "), code, errs)
		}
		return out + errs
	}
	says(0, "run", "short.pipe")
	cmd := process(t, "run", "-o", "out", "long.pipe")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var id string
	golden.Until(t, "a live run has a record", func() bool {
		for line := range strings.Lines(says(0, "runs", "list")) {
			if fields := strings.Fields(line); strings.Contains(line, "long.pipe") && len(fields) > 0 {
				if id = fields[0]; !strings.Contains(line, " running ") {
					t.Errorf("while it goes on: %s; want %q in it", line, " running ")
				}
			}
		}
		return id != ""
	})
	golden.Until(t, "four pictures are noted", func() bool {
		text, _ := os.ReadFile(filepath.Join(state, "pentode", id+".results"))
		return strings.Count(string(text), "\n") == 4
	})
	// About once in 25 runs, the first try does not find the record of the live run. The reason is not known yet.
	golden.Until(t, "a live run is not tagged", func() bool {
		code, _, errs := pentode(t, "runs", "tag", id, "mine")
		return code == 1 && strings.Contains(errs, "is live")
	})
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
		{0, []string{"runs", "show"}, "run short.pipe"}, // the newest run that has ended
		{1, []string{"runs", "rerun", id}, "run `" + id + "` is killed, and has no results to compare with"},
		{0, []string{"runs", "prune"}, " deleted"},
		{0, []string{"runs", "show", id}, "killed"}, // the record of the killed run still exists
	} {
		if said := says(c.code, c.args...); !strings.Contains(said, c.want) {
			t.Errorf("pentode %s: %s; want %q in it", strings.Join(c.args, " "), said, c.want)
		}
	}
	shown := says(0, "runs", "show", id)
	for i := 1; i <= 4; i++ {
		path := fmt.Sprintf("p%d.png", i)
		sum, err := record.Sum(filepath.Join("out", path))
		if err != nil || !regexp.MustCompile(path+` .* `+sum[:8]+` +long.pipe/pictures from paint.image`).MatchString(shown) {
			t.Errorf("the picture %s has the hash %s: %v\n%s", path, sum, err, shown)
		}
	}
	if !regexp.MustCompile(`half.txt.partial .* found after the run was killed +long.pipe/half from a.number`).MatchString(shown) {
		t.Errorf("the run is shown as %s; want half.txt.partial, found after the run was killed, from the process a", shown)
	}
	if left, err := os.ReadDir(filepath.Join(state, "pentode", id)); err != nil || len(left) != 1 {
		t.Errorf("besides the record there is more: %v, %v", left, err)
	}
}
