package launch

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// TestRealRandom kills, restarts, pauses and signals programs at random, with a live or a dead
// supervisor: stopping the run always leaves no process.
func TestRealRandom(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	one := func(list ...string) string { return list[random.IntN(len(list))] }
	w := newWorkshop(t)
	var env []string
	if random.IntN(2) == 0 {
		env = append(env, "LAUNCH_TEST_KEEP_GOING=1")
	}
	cmd := w.victim(`trap '' TERM; setsid sleep 600 & sleep 600 & echo up; while :; do sleep 0.1; done`, env...)
	dir, err := state.Open(filepath.Join(w.dir, "state"), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	var done []string
	for range 1 + random.IntN(20) {
		act := one("kill", "kill", MethodRestart, MethodSignal, MethodStop, "wait")
		node := one("d0", "p0", "p1")
		switch act {
		case "kill":
			if list := state.Marked(victimID(w.dir), ""); len(list) > 0 {
				_ = syscall.Kill(list[random.IntN(len(list))].Pid, syscall.SIGKILL) // it may be gone already
			}
		case "wait":
			time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond) // the next act comes at any moment
		default: // refused if the run or the node has ended
			_ = Ask(ctx, dir, act, Request{Node: node, Signal: one("STOP", "CONT", "USR1", "INT", "KILL")}, nil)
		}
		done = append(done, act+" "+node)
	}
	if random.IntN(2) == 0 {
		done = append(done, "kill the supervisor")
		cmd.Process.Kill()
		_ = cmd.Wait() // killed as intended
	}
	if _, err := StopRun(ctx, dir, 500*time.Millisecond); err != nil {
		t.Errorf("seed %d, %v: %v", seed, done, err)
	}
	_ = cmd.Wait() // its exit code does not matter
	if list := state.Marked(victimID(w.dir), ""); len(list) > 0 || !dir.Over() {
		t.Errorf("seed %d, %v: %v are left, and the run is over: %v", seed, done, list, dir.Over())
	}
}
