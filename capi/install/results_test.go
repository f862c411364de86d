package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestResults checks that in a run, a program writes relative names to the run's folder, and
// reads them from there first, then from the current folder.
func TestResults(t *testing.T) {
	program := compile(t, prefix(t), "results.c")
	here, out := t.TempDir(), filepath.Join(t.TempDir(), "not", "made yet")
	for _, c := range []struct {
		what, out, event, value, want string
	}{
		{"without a run it is the current folder", "", "save", "1", "1\n"},
		{"what lies in the current folder is read", out, "load", "0", "1\n"},
		{"what is written goes to the run's folder", out, "save", "2", "2\n"},
		{"which is read first", out, "load", "0", "2\n"},
		{"and is not what a program without a run sees", "", "load", "0", "1\n"},
		{"a fence keeps it there", out, "escape", "3", "leads out of the folder of the results"},
	} {
		cmd := exec.Command(program, c.event, c.value)
		cmd.Dir, cmd.Env = here, append(os.Environ(), "PENTODE_OUT="+c.out, "PENTODE_FENCED=1")
		if text, err := cmd.CombinedOutput(); !strings.Contains(string(text), c.want) || (err != nil) != (c.event == "escape") {
			t.Errorf("%s: %s, %v", c.what, text, err)
		}
	}
}
