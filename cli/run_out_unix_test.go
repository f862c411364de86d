//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// counting is a pipeline that writes numbers until it is stopped.
const counting = "process src :: numbers\n  end = 1000000000000\nprocess w :: print_number\n  output = numbers.txt\nconnect from src.number to w.number\n"

// starts starts a run and waits until it has written something to a file.
func starts(t *testing.T, file string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	golden.Until(t, fmt.Sprintf("%q writes into %s", args, file), func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > 0
	})
	return cmd
}

// Only one run at a time may write to a results folder: a second run fails with an error that names
// the first. A killed run does not block the folder.
func TestTwoRunsOfOneFolder(t *testing.T) {
	need.Slow(t)
	inFolder(t, counting)
	first := starts(t, "out/.pentode.lock", "run", "-o", "out", "a.pipe")
	second := process(t, "run", "-o", "out", "a.pipe")
	said, err := second.CombinedOutput()
	if code := exitOf(t, err); code != 2 {
		t.Errorf("the second run: exit %d, want 2", code)
	}
	host, _ := os.Hostname()
	for _, want := range []string{"another run writes its results to `out`: process " + strconv.Itoa(first.Process.Pid) + " on " + host + ", since 20", "-o"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("the second run does not say %q:\n%s", want, said)
		}
	}
	elsewhere := starts(t, "other/numbers.txt.partial", "run", "-o", "other", "a.pipe")
	_ = elsewhere.Process.Signal(os.Interrupt)
	if code := exitOf(t, elsewhere.Wait()); code != 130 {
		t.Errorf("a run elsewhere: exit %d, want 130", code)
	}
	if _, err := os.Stat("other/.pentode.lock"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is over leaves its lock: %v", err)
	}
	_ = first.Process.Kill()
	_ = first.Wait()
	if err := os.Remove("out/numbers.txt.partial"); err != nil {
		t.Error(err)
	}
	again := starts(t, "out/numbers.txt.partial", "run", "-o", "out", "a.pipe")
	_ = again.Process.Signal(os.Interrupt)
	if code := exitOf(t, again.Wait()); code != 130 {
		t.Errorf("after a run that was killed: exit %d", code)
	}
}

// A killed run leaves no incomplete file under a final name, and a trace that Perfetto can open.
func TestKilledRunLeavesNoHalfFile(t *testing.T) {
	inFolder(t, counting)
	if err := os.WriteFile("numbers.txt", []byte("of an earlier run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := starts(t, "trace.json.partial", "run", "--trace", "trace.json", "a.pipe")
	golden.Until(t, "the trace has events", func() bool {
		info, err := os.Stat("trace.json.partial")
		return err == nil && info.Size() > 1000
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if text, err := os.ReadFile("numbers.txt"); err != nil || string(text) != "of an earlier run\n" {
		t.Errorf("numbers.txt is %.40q, %v", text, err)
	}
	if _, err := os.Stat("trace.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the trace has its name: %v", err)
	}
	text, err := os.ReadFile("trace.json.partial")
	if err != nil {
		t.Fatal(err)
	}
	// Perfetto accepts a list without its end. The last event may be incomplete, because a kill can
	// end a write between two pages.
	if !json.Valid(append(slices.Clone(text), ']')) {
		text = text[:bytes.LastIndex(text, []byte(",\n"))]
	}
	var events []map[string]any
	if err := json.Unmarshal(append(text, ']'), &events); err != nil || len(events) < 2 || events[0]["name"] != "process_name" {
		t.Errorf("the trace has %d events: %v\n%.200s", len(events), err, text)
	}
}

// A link in the results folder cannot make a run write outside of the folder.
func TestLinksAmongResults(t *testing.T) {
	need.Slow(t)
	inFolder(t, "process src :: numbers\n  end = 3\nprocess w :: print_number\n  output = numbers.txt\nconnect from src.number to w.number\n")
	if err := os.WriteFile("precious", []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]int{"numbers.txt.partial": 0, "trace.json.partial": 0, "trace.json": 2, "numbers.txt": 1, ".pentode.lock": 2} {
		if err := errors.Join(os.RemoveAll("out"), os.Mkdir("out", 0o755), os.Symlink("../precious", "out/"+link)); err != nil {
			t.Fatal(err)
		}
		said, err := process(t, "run", "-o", "out", "--trace", "trace.json", "a.pipe").CombinedOutput()
		if code := exitOf(t, err); code != want {
			t.Errorf("with a link %s: exit %d\n%s\nwant %v", link, code, said, want)
		}
		if text, err := os.ReadFile("precious"); err != nil || string(text) != "precious" {
			t.Errorf("a link %s leads out: %q, %v", link, text, err)
		}
	}
	if err := os.Symlink("precious", "a.svg.partial"); err != nil {
		t.Fatal(err)
	}
	if said, err := process(t, "graph", "-o", "a.svg", "a.pipe").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if text, err := os.ReadFile("precious"); err != nil || string(text) != "precious" {
		t.Errorf("the picture is written to %q, %v", text, err)
	}
}
