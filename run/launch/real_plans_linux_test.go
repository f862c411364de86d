package launch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
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

// TestRealPlans starts random plans with dependencies, copies and probes, kills random processes, and stops the plans: every start and every end is
// in order, the first failure gives the exit code, and no process is left.
func TestRealPlans(t *testing.T) {
	need.Rounds(t, 3, func(t *testing.T, round int) {
		seed := uint64(time.Now().UnixNano())
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		w := newWorkshop(t)
		w.planScripts()
		d, settings := randomPlan(t, random, w.dir)
		r := w.start(d, Options{}, RunOptions{Grace: 300 * time.Millisecond, KeepGoing: random.IntN(3) > 0})
		for range random.IntN(8) {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) // a fault comes at any moment
			if list := state.Marked(r.dir.Run.ID, ""); len(list) > 0 && random.IntN(4) > 0 {
				_ = syscall.Kill(list[random.IntN(len(list))].Pid, syscall.SIGKILL) // it may have ended already
			} else if nodes := r.plan.Nodes; random.IntN(2) == 0 {
				_ = r.Restart(nodes[random.IntN(len(nodes))].ID) // the run may be over
			}
		}
		r.Stop(0)
		result := r.wait()
		if t.Failed() {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		wrong, codes := disorder(r.plan, r.events)
		if want := codes[result.Failed]; result.Code != want {
			wrong = append(wrong, fmt.Sprintf("the code is %d, and that of %q was %d", result.Code, result.Failed, want))
		}
		if groups := w.groups(r.dir); groups != "" {
			wrong = append(wrong, groups+"is left")
		}
		for _, wrong := range wrong {
			t.Errorf("seed %d: %s\n%s\n%v", seed, wrong, strings.Join(settings, "\n"), r.events)
		}
	})
}

// planScripts writes the programs of random plans.
func (w *workshop) planScripts() {
	w.Helper()
	w.script("daemon", `sleep 0.0$1; echo up; while :; do sleep 0.05; done`)
	w.script("process", `sleep 0.0$1; echo up; sleep 0.0$2; exit $3`)
	w.script("deaf", `trap '' TERM; echo up; sleep 600 & while :; do sleep 0.05; done`)
}

// TestRealPlansSupervisorKilled also kills the supervisor of random plans at any moment: everything before was in order, and stopping the run leaves
// no process, and no file except its state and logs.
func TestRealPlansSupervisorKilled(t *testing.T) {
	need.Rounds(t, 3, func(t *testing.T, round int) {
		seed := uint64(time.Now().UnixNano())
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		w := newWorkshop(t)
		w.planScripts()
		cmd := w.supervisor(fmt.Sprintf("LAUNCH_TEST_PLAN=%d", seed))
		var dir *state.Dir
		golden.Until(t, "the first node starts", func() bool {
			var err error
			if dir, err = state.Open(filepath.Join(w.dir, "state"), ""); err != nil {
				return false
			}
			events, err := dir.Events()
			return err == nil && slices.ContainsFunc(events, func(e state.Event) bool { return e.What == state.Started })
		})
		for range random.IntN(6) {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) // a fault comes at any moment
			if list := state.Marked(dir.Run.ID, ""); len(list) > 0 {
				_ = syscall.Kill(list[random.IntN(len(list))].Pid, syscall.SIGKILL) // it may have ended already
			}
		}
		cmd.Process.Kill()
		_ = cmd.Wait() // killed as intended, unless it ended first
		events, err := dir.Events()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
		defer cancel()
		if _, err := StopRun(ctx, dir, 300*time.Millisecond); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if left := state.Marked(dir.Run.ID, ""); len(left) > 0 || !dir.Over() {
			t.Errorf("seed %d: %v are left, and the run is over: %v", seed, left, dir.Over())
		}
		d, settings := randomPlan(t, rand.New(rand.NewPCG(seed, 0)), w.dir)
		plan, _ := NewPlan(d, Options{Dir: w.dir})
		wrong, _ := disorder(plan, events)
		files, err := os.ReadDir(dir.Path)
		for _, f := range files {
			if !slices.Contains([]string{"run.json", "journal.jsonl", "tunables.json", "result.json", "logs"}, f.Name()) || err != nil {
				wrong = append(wrong, f.Name()+" is left")
			}
		}
		if groups := w.groups(dir); groups != "" {
			wrong = append(wrong, groups+"is left")
		}
		for _, wrong := range wrong {
			t.Errorf("seed %d: %s\n%s\n%v", seed, wrong, strings.Join(settings, "\n"), events)
		}
	})
}

// disorder lists events that should not have happened in this order. It also returns the codes of the nodes that have failed.
func disorder(p *Plan, events []state.Event) (wrong []string, codes map[string]int) {
	nodes := map[string]*Node{}
	for _, n := range p.Nodes {
		nodes[n.ID] = n
	}
	last := map[string]state.Event{} // what happened to a node
	began := map[string]bool{}       // it was started
	ready := map[string]bool{}       // in its last life
	codes = map[string]int{}
	stopping, ended := false, []string{} // since the run began to end
	for _, e := range events {
		switch e.What {
		case state.Stopping:
			stopping = true
		case state.Started:
			if stopping {
				wrong = append(wrong, e.Node+" started after the end began")
			}
			for _, edge := range nodes[e.Node].After {
				before, over := last[edge.ID], last[edge.ID].What == state.Ended || last[edge.ID].What == state.Failed
				holds := map[Until]bool{
					UntilStarted: began[edge.ID], UntilReady: ready[edge.ID], UntilFinished: over, UntilSucceeded: over && before.Code == 0,
				}
				if nodes[edge.ID].Kind == KindDaemon && over && edge.Until != UntilFinished && edge.Until != UntilSucceeded {
					holds[edge.Until] = false // it serves only while it is live
				}
				if !holds[edge.Until] {
					wrong = append(wrong, fmt.Sprintf("%s started before %s", e.Node, edge))
				}
			}
			began[e.Node], ready[e.Node] = true, nodes[e.Node].Ready.Probe == ProbeNone
		case state.Ready:
			ready[e.Node] = true
		case state.Failed:
			if _, ok := codes[e.Node]; !ok {
				codes[e.Node] = max(e.Code, 1)
			}
		}
		if stopping && (e.What == state.Ended || e.What == state.Failed) {
			for _, edge := range nodes[e.Node].After {
				if slices.Contains(ended, edge.ID) && last[edge.ID].Time.Before(e.Time) && !diedAlone(events, edge.ID) {
					wrong = append(wrong, fmt.Sprintf("%s ended before %s, which is after it", edge.ID, e.Node))
				}
			}
			ended = append(ended, e.Node)
		}
		if e.Node != "" && e.What != state.Unwell && e.What != state.Killing && e.What != state.Log {
			last[e.Node] = e
		}
	}
	return wrong, codes
}

// diedAlone reports whether a node last ended without a request to stop it.
func diedAlone(events []state.Event, node string) bool {
	for _, e := range slices.Backward(events) {
		if e.Node == node && (e.What == state.Ended || e.What == state.Failed) {
			return !strings.Contains(e.Text, "ended: the run has ended")
		}
	}
	return false
}
