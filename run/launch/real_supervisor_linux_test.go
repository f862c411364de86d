package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
)

func TestRealMany(t *testing.T) {
	need.Slow(t)
	w := newWorkshop(t)
	n := 200
	if need.Full() {
		n = 1000
	}
	daemon := w.script("daemon", `echo "PARADYND $$"; exec sleep 600`)
	r := w.start(crew(1, n, daemon, w.script("process", `echo up; exec sleep 600`)), Options{}, RunOptions{Grace: 5 * time.Second})
	began := time.Now()
	up := func() int { return strings.Count(r.output.String(), "up\n") }
	golden.Until(t, fmt.Sprintf("%d processes start", n), func() bool { return up() >= n }, golden.Known(func() string { return fmt.Sprintf("%d have started", up()) }))
	started := time.Since(began)
	r.Stop(0)
	if result := r.wait(); result.Code != 0 {
		t.Errorf("code %d, want 0", result.Code)
	}
	t.Logf("%d processes: started in %s, started and stopped in %s", n, started, time.Since(began))
}

// victim starts this test binary as a supervisor and waits until its
// processes run.
func (w *workshop) victim(process string, env ...string) *exec.Cmd {
	w.Helper()
	w.script("daemon", `trap '' TERM USR1; setsid sleep 600 & echo "PARADYND $$"; while :; do sleep 0.1; done`)
	w.script("process", process)
	cmd := w.supervisor(env...)
	out := cmd.Stdout.(*safeBuffer)
	golden.Until(w, "both processes of the supervisor are up", func() bool { return strings.Count(out.String(), "up\n") >= 2 }, out)
	return cmd
}

// supervisor starts a supervisor in its own process.
func (w *workshop) supervisor(env ...string) *exec.Cmd {
	w.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	// A program built with the race detector sleeps a second before it ends.
	cmd.Env = append(append(os.Environ(), "LAUNCH_TEST_SUPERVISE="+w.dir, "LAUNCH_TEST_GRACE="+w.grace.String(), "GORACE=atexit_sleep_ms=0"), env...)
	out := &safeBuffer{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		cmd.Process.Kill() // only a failed test has not waited for it
		for _, p := range state.Marked(victimID(w.dir), "") {
			w.Errorf("process %d is left", p.Pid)
			syscall.Kill(p.Pid, syscall.SIGKILL)
		}
	})
	return cmd
}

func TestRealSupervisorKilled(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	w := newWorkshop(t)
	cmd := w.victim(`trap '' TERM; setsid sleep 600 & sleep 600 & echo up; while :; do sleep 0.1; done`)
	cmd.Process.Kill()
	_ = cmd.Wait() // killed as intended
	if left := len(state.Marked(victimID(w.dir), "")); left < 7 {
		t.Errorf("only %d processes survived the supervisor: nothing to clean up", left)
	}
	dir, err := state.Open(filepath.Join(w.dir, "state"), "")
	if err != nil {
		t.Fatal(err)
	}
	if dir.Supervised() {
		t.Error("the dead supervisor counts as alive")
	}
	ctx, cancel := context.WithTimeout(context.Background(), golden.Patience)
	defer cancel()
	cleaned, err := StopRun(ctx, dir, 500*time.Millisecond)
	if err != nil || len(cleaned) < 7 {
		t.Errorf("cleaned up %v, %v", cleaned, err)
	}
	if left := state.Marked(victimID(w.dir), ""); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if !dir.Over() {
		t.Error("the journal does not say that the run is over")
	}
	if left, err := StopRun(ctx, dir, time.Second); len(left) > 0 || err != nil {
		t.Errorf("a second stop: %v, %v", left, err)
	}
}

// Processes of an abandoned run get the usual grace if the stop names none.
func TestRealStopOfAbandoned(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	w := newWorkshop(t)
	dir, err := state.Create(filepath.Join(w.dir, "state"), state.Run{ID: victimID(w.dir), Nodes: []state.Node{{ID: "n"}}})
	if err != nil {
		t.Fatal(err)
	}
	dir.Run.Supervisor.Start++ // the supervisor is dead
	ended := filepath.Join(w.dir, "ended")
	cmd := exec.Command(w.script("node", `trap 'sleep 0.5; echo in order > "$1"; exit 0' TERM; echo up; while :; do sleep 0.05; done`), ended)
	cmd.Env = append(os.Environ(), "PENTODE_RUN="+dir.Run.ID, "PENTODE_NODE=n")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("up\n"))); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	if left, err := StopRun(t.Context(), dir, 0); err != nil || len(left) == 0 {
		t.Errorf("ended %v, %v", left, err)
		cmd.Process.Kill()
	}
	if err := <-over; err != nil {
		t.Errorf("the node: %v", err)
	}
	if text, err := os.ReadFile(ended); string(text) != "in order\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// With well-behaved programs, the death of the supervisor alone is enough to end them: the parent-death signal works, so the thread that started them
// still existed.
func TestRealParentDeath(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.victim(`echo up; exec sleep 600`).Process.Kill()
	alive := func() (n int) {
		for _, node := range []string{"p0", "p1"} {
			n += len(state.Marked(victimID(w.dir), node))
		}
		return n
	}
	golden.Until(t, "no process outlives its supervisor", func() bool { return alive() == 0 }, golden.Known(func() string { return fmt.Sprintf("%d live", alive()) }))
	dir, err := state.Open(filepath.Join(w.dir, "state"), victimID(w.dir))
	if err != nil {
		t.Fatal(err)
	}
	golden.Until(t, "the run has no supervisor", func() bool { return !dir.Supervised() })
	if _, err := StopRun(context.Background(), dir, 100*time.Millisecond); err != nil {
		t.Error(err)
	}
}

// awaitStopping waits until the victim's journal reports that the run is ending.
func (w *workshop) awaitStopping() {
	w.Helper()
	dir, err := state.Open(filepath.Join(w.dir, "state"), victimID(w.dir))
	if err != nil {
		w.Fatal(err)
	}
	golden.Until(w, "the run ends", func() bool {
		events, _ := dir.Events()
		return slices.ContainsFunc(events, func(e state.Event) bool { return e.What == state.Stopping })
	})
}

func TestRealSignals(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	for name, c := range map[string]struct {
		signals []syscall.Signal
		code    int
	}{
		"interrupt":       {[]syscall.Signal{syscall.SIGINT}, 130},
		"terminate":       {[]syscall.Signal{syscall.SIGTERM}, 143},
		"interrupt twice": {[]syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 130},
		"user signal":     {[]syscall.Signal{syscall.SIGUSR1}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t)
			if len(c.signals) == 2 {
				w.grace = time.Hour // the second signal ends the run without waiting for this
			}
			cmd := w.victim(`trap 'exit 5' USR1; trap '' TERM; echo up; while :; do sleep 0.05; done`)
			for i, sig := range c.signals {
				if i > 0 {
					w.awaitStopping() // two signals at the same time would count as one
				}
				cmd.Process.Signal(sig)
			}
			timer := time.AfterFunc(golden.Patience, func() { cmd.Process.Kill() })
			defer timer.Stop()
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != c.code {
				t.Errorf("the supervisor ended with %v, want code %d", err, c.code)
			}
		})
	}
}

func TestRealPauseOfSupervisor(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	w := newWorkshop(t)
	cmd := w.victim(`echo up; while :; do sleep 0.05; done`)
	stateOf := func(pid int) byte { p, _ := state.ReadProcess(pid); return p.State }
	nodes := state.Marked(victimID(w.dir), "p0")
	leader := 0
	for _, p := range nodes {
		if p.Session == p.Pid {
			leader = p.Pid
		}
	}
	eventually := func(what string, cond func() bool) {
		t.Helper()
		golden.Until(t, what, cond, golden.Known(func() string {
			return fmt.Sprintf("the supervisor is %c, process %d is %c", stateOf(cmd.Process.Pid), leader, stateOf(leader))
		}))
	}
	cmd.Process.Signal(syscall.SIGTSTP)
	eventually("all are stopped", func() bool { return stateOf(cmd.Process.Pid) == 'T' && paused(leader) })
	cmd.Process.Signal(syscall.SIGCONT)
	eventually("all go on", func() bool { return stateOf(cmd.Process.Pid) != 'T' && stateOf(leader) != 'T' })
	cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); fmt.Sprint(err) != "exit status 130" {
		t.Errorf("the supervisor ended with %v", err)
	}
}
