//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/launch/state"
)

const endless = `process count :: numbers
  end = 1000000000000
process last :: sink
connect from count.number to last.sink
`

// steerable starts a pipeline and waits until it accepts orders.
func (b *bench) steerable(text string, args ...string) *running {
	b.t.Helper()
	b.file("a.pipe", text)
	r := b.start(append([]string{"a.pipe"}, args...)...)
	golden.Until(b.t, "the pipeline answers", func() bool { return b.command("control", "stats").Run() == nil }, &r.errs)
	return r
}

// steps returns the number of steps that the first process of the newest pipeline has made.
func (b *bench) steps() uint64 {
	b.t.Helper()
	var stats flow.Stats
	if err := json.Unmarshal([]byte(b.ask("control", "stats", "--format", "json")), &stats); err != nil {
		b.t.Fatal(err)
	}
	return stats.Processes[0].Steps
}

// refused runs a verb that must fail with the message want.
func (b *bench) refused(want string, args ...string) {
	b.t.Helper()
	out, err := b.command(args...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), want) {
		b.t.Errorf("pentode %s: %v, want %q:\n%s", strings.Join(args, " "), err, want, out)
	}
}

// TestFlowControl: another terminal can find, pause, resume and stop a pipeline, which leaves no files.
func TestFlowControl(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	b.refused("there is no live run to control", "control", "pause")
	r := b.steerable(endless)
	var list struct {
		Runs []struct{ Run, Pipeline string }
	}
	if err := json.Unmarshal([]byte(b.ask("ps", "--format", "json")), &list); err != nil || len(list.Runs) != 1 {
		t.Fatalf("%v: %+v; want the pipeline alone", err, list)
	}
	id := list.Runs[0].Run
	sockets, _ := filepath.Glob(filepath.Join(b.dir, "rt", "pentode", "*.socket"))
	if len(sockets) != 1 {
		t.Fatalf("sockets: %v, want 1", sockets)
	}
	if info, err := os.Stat(sockets[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	b.ask("control", id, "pause")
	b.refused("paused already", "control", "pause")
	for _, args := range [][]string{{"ps"}, {"control", "stats"}, {"control", "stats", "--format", "json"}, {"top"}} {
		if out := b.ask(args...); !strings.Contains(out, "paused") {
			t.Errorf("pentode %s does not say that it is paused:\n%s", strings.Join(args, " "), out)
		}
	}
	before, after := b.steps(), uint64(0)
	for end := time.Now().Add(golden.Patience); before != after; before, after = after, b.steps() { // steps that had begun may take a while to finish
		if time.Now().After(end) {
			t.Fatalf("%d steps before and %d after a while of pause", before, after)
		}
	}
	if before == 0 {
		t.Error("no step was made before the pause")
	}
	b.ask("control", "resume")
	for end := time.Now().Add(golden.Patience); b.steps() == before; {
		if time.Now().After(end) {
			t.Fatal("it does not go on")
		}
	}
	b.refused("did you mean `pause`?", "control", id, "pauze")
	b.refused("takes no further arguments", "control", id, "pause", "now")
	if out := b.ask("ps", "--all"); !strings.Contains(out, id) {
		t.Errorf("the list of all runs lacks the pipeline:\n%s", out)
	}
	if out := b.ask("stop"); !strings.Contains(out, "a.pipe was stopped: ") {
		t.Errorf("stop says %s; want %q in it", out, "a.pipe was stopped: ")
	}
	b.end(r, 130)
	if have := r.errs.String(); !strings.Contains(have, "stopped on request: ") || strings.Contains(have, "interrupted") {
		t.Errorf("it was stopped by another terminal, and says %s; want %q in have and no %q in have", have, "stopped on request: ", "interrupted")
	}
	b.leavesOnlyRecords()
}

// leavesOnlyRecords checks that ended runs have left nothing but their records and the texts that these
// refer to.
func (b *bench) leavesOnlyRecords() {
	b.t.Helper()
	texts := 0
	err := filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
		switch dir := filepath.Base(filepath.Dir(filepath.Dir(path))); {
		case err != nil || e.IsDir() || filepath.Base(filepath.Dir(path)) == filepath.Base(b.dir):
		case dir == "texts":
			texts++
		case filepath.Base(path) != "record.json" || dir != "pentode":
			b.t.Errorf("left: %s", path)
		}
		return err
	})
	if err != nil || texts == 0 {
		b.t.Errorf("%d texts are kept, %v", texts, err)
	}
}

// TestFlowSet: changes to a running pipeline's settings can be previewed, apply all or none, and are undone
// if a process fails.
func TestFlowSet(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	r := b.steerable(`process plate :: heat
  rows  = 16
  cols  = 16
  steps = 1000000000000
process paint :: colormap
process view :: image_viewer
connect from plate.field to paint.field
connect from paint.image to view.image
`)
	control := func(args ...string) (string, error) {
		out, err := b.command(append([]string{"control", "set"}, args...)...).CombinedOutput()
		return string(out), err
	}
	preview := "plate:heat  100 → 50"
	if out, err := control("--dry-run", "plate:heat=50"); err != nil || strings.TrimSpace(out) != preview {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := control("plate:heat=50", "paint:high=50", "plate:conductivity=7"); err == nil || !strings.Contains(out, "paint:high          100 → 50") ||
		!strings.Contains(out, "refused: a conductivity of 7 makes the scheme unstable") || !strings.HasSuffix(out, "nothing was changed\n") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := control("plate:heat=50", "paint:high=50", "--watch-for", "1s", "--min-share", "0.0001"); err != nil || !strings.Contains(out, preview) || !strings.HasSuffix(out, "changed\n") {
		t.Errorf("%v: %s", err, out)
	}
	var result flow.SetResult
	out, err := control("--format", "json", "paint:high=60")
	if err != nil || json.Unmarshal([]byte(out), &result) != nil || !result.Applied || result.Changes[0].Old != "50" {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := b.command("control", "picture", "view").Output(); err != nil || !bytes.HasPrefix(out, []byte("\x89PNG")) {
		t.Errorf("the picture: %v, %.20q", err, out)
	}
	b.refused("process `paint` has no picture", "control", "picture", "paint")
	for port, want := range map[string]string{"paint.field": "an array of 16 × 16 float64\n", "paint.image": "an array of 48 × 48 × 3 uint8\n"} {
		if out, err := b.command("control", "peek", port).Output(); err != nil || string(out) != want {
			t.Errorf("%s: %v, %q", port, err, out)
		}
	}
	var seen peek.View
	if out, err := b.command("control", "peek", "paint.field", "--format", "json").Output(); err != nil || json.Unmarshal(out, &seen) != nil || seen.Kind != peek.Map || seen.Drawing == nil {
		t.Errorf("%v, %+v", err, seen)
	}
	b.refused("did you mean `paint.field`?", "control", "peek", "paint.feld")
	b.refused("as PROCESS.PORT", "control", "peek")
	b.refused("did you mean `paint`?", "control", "set", "pant:high=3")
	b.refused("expected PROCESS:KEY=VALUE", "control", "set", "paint:high")
	b.refused("give the settings, as PROCESS:KEY=VALUE", "control", "set")
	b.refused("`soon` is not a duration to watch for", "control", "set", "paint:high=3", "--watch-for", "soon")
	b.refused("expected a number from 0 to 1", "control", "set", "paint:high=3", "--watch-for", "1s", "--min-share", "2")
	b.refused("also give the time to watch for", "control", "set", "paint:high=3", "--min-share", "0.5")
	b.ask("control", "pause")
	b.refused("resume it first", "control", "set", "paint:high=3")
	b.ask("stop")
	b.end(r, 130)
}

// TestFlowControlFollower: `control` without a name chooses a pipeline that accepts orders over a newer
// site that another run coordinates.
func TestFlowControlFollower(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	r := b.steerable(endless)
	base, err := control.StateDir(func(name string) string {
		return map[string]string{"XDG_STATE_HOME": filepath.Join(b.dir, "state")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	site := state.Run{ID: state.NewID(time.Now().Add(time.Hour)), Started: time.Now().Add(time.Hour), Pipeline: "b.pipe", Leader: "deck"}
	if _, err := state.Create(base, site); err != nil {
		t.Fatal(err)
	}
	if out := b.ask("ps", "--all"); !strings.Contains(out, site.ID) {
		t.Errorf("the list lacks the site:\n%s", out)
	}
	b.ask("stop")
	b.end(r, 130)
	b.refused("run `"+site.ID+"` has ended", "control", "stats") // the site is now the only run
}

// TestFlowControlOff: a run with --no-control cannot be steered, and leaves no socket.
func TestFlowControlOff(t *testing.T) {
	b := newBench(t)
	b.file("a.pipe", endless)
	r := b.start("a.pipe", "--config=run.control=false", "-s", "count:end=100000")
	b.end(r, 0)
	b.leavesOnlyRecords()
}

// TestFlowControlWithoutState: without a place for its state, a run still runs, and reports that it cannot
// be steered.
func TestFlowControlWithoutState(t *testing.T) {
	b := newBench(t)
	b.file("a.pipe", endless)
	b.file("rt/pentode", "in the way")
	r := b.start("a.pipe", "-s", "count:end=1000")
	b.end(r, 0)
	if !strings.Contains(r.errs.String(), "warning: the run cannot be controlled from outside: ") {
		t.Errorf("it says %s", r.errs.String())
	}
}

// TestNoPlaceForState: without a place for the state of runs, the verbs that look for runs report why they
// find none.
func TestNoPlaceForState(t *testing.T) {
	b := newBench(t)
	for _, args := range [][]string{{"control", "stats"}, {"stop"}, {"ps", "--all"}, {"runs", "prune"}, {"ps"}, {"top"}} {
		cmd := b.command(args...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME=", "HOME=")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "set XDG_STATE_HOME or HOME to a folder") {
			t.Errorf("pentode %s: %v, %s", strings.Join(args, " "), err, out)
		}
	}
}
