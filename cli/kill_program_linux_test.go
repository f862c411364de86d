package cli_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestKilledProgram kills the program of a run, the pipeline that started it, or the launcher, at a
// random moment. The run must end and leave no process, and each result file under its final name
// must be complete. The next run into the same folder must work as usual.
func TestKilledProgram(t *testing.T) {
	need.Slow(t)
	need.Python(t)
	t.Chdir(t.TempDir())
	name := "drop" + strconv.Itoa(os.Getpid()) // the name is in every command line of the run
	if code, out, errs := pentode(t, "init", "--name", name, "--in", "python"); code != 0 {
		t.Fatalf("init ends with %d\n%s%s", code, out, errs)
	}
	source := filepath.Join(name, name+".py")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	write(t, source, strings.NewReplacer("import json", "import json\nimport time", "flush=True)", "flush=True) or time.sleep(0.03)").Replace(string(text)))
	t.Cleanup(func() {
		for _, p := range named(name) {
			p.Kill(syscall.SIGKILL)
		}
	})
	base, err := os.MkdirTemp("", "run") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	path := built(t)
	start := func(args ...string) *exec.Cmd {
		ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
		t.Cleanup(cancel)
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = append(os.Environ(), noRaceNap, "XDG_STATE_HOME="+base, "XDG_RUNTIME_DIR="+base)
		return cmd
	}
	victims := []string{"launcher", name + ".pipe", name + ".py"}
	need.Rounds(t, 3, func(t *testing.T, round int) {
		victim := victims[round%len(victims)]
		moment := time.Duration(rand.IntN(1200)) * time.Millisecond
		t.Logf("%s after %v", victim, moment)
		cmd := start("run", "--grace", "1s", name)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(moment)
		if victim == "launcher" {
			_ = cmd.Process.Kill()
		}
		for _, p := range named(victim) {
			p.Kill(syscall.SIGKILL)
		}
		_ = cmd.Wait() // the context kills it if it hangs
		if cmd.ProcessState.ExitCode() < 0 && victim != "launcher" {
			t.Fatalf("the run had to be ended: %v; want it to end by itself", cmd.ProcessState)
		}
		golden.Until(t, "no process of the run is left", func() bool { return len(named(name)) == 0 })
		wholeResults(t, name)
	})
	if out, err := start("run", name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sameMembrane(t, filepath.Join(name+"-out", name, name+".h5"))
}

// wholeResults checks that the result files of a killed run are complete.
func wholeResults(t *testing.T, name string) {
	t.Helper()
	out := filepath.Join(name+"-out", name)
	for _, path := range []string{filepath.Join(name+"-out", "trace.json"), filepath.Join(out, "trace.json")} {
		text, err := os.ReadFile(path)
		if err == nil && !json.Valid(text) {
			t.Errorf("%s is no JSON", path)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(out, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pictures {
		decodedPicture(t, path)
	}
	path := filepath.Join(out, name+".h5")
	if _, err := os.Stat(path); err != nil {
		return // the run was killed before the first frame
	}
	cells := storedNumbers(t, path, "frames", "[16 32 32]")
	for i, want := range computedMembrane() {
		if have := cells[i]; have != 0 && math.Abs(have-want) > 1e-6 {
			t.Fatalf("cell %d of frame %d is %g, want %g or nothing yet", i%1024, i/1024, have, want)
		}
	}
}
