package launch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// TestRealPlans starts random plans with dependencies, copies and probes, kills anything of them at random, and stops
// them: every start and every end is in order, the exit code is that of the first failure, and nothing is left.
func TestRealPlans(t *testing.T) {
	need.Rounds(t, 3, func(t *testing.T, round int) {
		seed := uint64(time.Now().UnixNano())
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		w := newWorkshop(t)
		d, settings := w.randomPlan(random)
		r := w.start(d, Options{}, RunOptions{Grace: 300 * time.Millisecond, KeepGoing: random.IntN(3) > 0})
		for range random.IntN(8) {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
			if list := state.Marked(r.dir.Run.ID, ""); len(list) > 0 && random.IntN(4) > 0 {
				_ = syscall.Kill(list[random.IntN(len(list))].Pid, syscall.SIGKILL) // it may be gone already
			} else if nodes := r.plan.Nodes; random.IntN(2) == 0 {
				_ = r.Restart(nodes[random.IntN(len(nodes))].ID) // the run may be over
			}
		}
		r.Stop(0)
		result := r.wait()
		if t.Failed() {
			return
		}
		for _, wrong := range r.disorder(result) {
			t.Errorf("seed %d: %s\n%s\n%s", seed, wrong, strings.Join(settings, "\n"), r.story())
		}
	})
}

// randomPlan is a few programs of which later ones are after earlier ones.
func (w *workshop) randomPlan(random *rand.Rand) (Decls, []string) {
	w.Helper()
	daemon := w.script("daemon", `sleep 0.0$1; echo up; while :; do sleep 0.05; done`)
	process := w.script("process", `sleep 0.0$1; echo up; sleep 0.0$2; exit $3`)
	deaf := w.script("deaf", `trap '' TERM; echo up; sleep 600 & while :; do sleep 0.05; done`)
	var d Decls
	var settings, names []string
	for i := range 3 + random.IntN(4) {
		name := fmt.Sprintf("n%d", i)
		switch random.IntN(3) {
		case 0:
			d.Daemons = append(d.Daemons, Daemon{Name: name, Command: fmt.Sprintf("%s %d", daemon, random.IntN(9)), Host: "localhost"})
			d.Daemons[len(d.Daemons)-1].Command += " " + name // equal ones would be one
		case 1:
			args := []string{fmt.Sprint(random.IntN(9)), fmt.Sprint(random.IntN(9)), fmt.Sprint(max(0, random.IntN(6)-3))}
			d.Processes = append(d.Processes, Process{Name: name, Command: process, Args: args, Host: "localhost"})
		default:
			d.Processes = append(d.Processes, Process{Name: name, Command: deaf, Host: "localhost"})
		}
		if random.IntN(2) == 0 {
			settings = append(settings, name+" ready = line:^up")
		} else {
			settings = append(settings, name+" ready = none")
		}
		if random.IntN(3) == 0 {
			settings = append(settings, fmt.Sprintf("%s copies = %d", name, 1+random.IntN(3)))
		}
		if random.IntN(3) == 0 {
			settings = append(settings, name+" restart = on-failure:2")
		}
		if random.IntN(4) == 0 {
			settings = append(settings, name+" alive = exec:true", name+" alive-every = 20ms")
		}
		var after []string
		for _, before := range names {
			if random.IntN(3) == 0 {
				after = append(after, before+":"+string(untils[random.IntN(len(untils))]))
			}
		}
		if len(after) > 0 {
			settings = append(settings, name+" after = ["+strings.Join(after, ", ")+"]")
		}
		names = append(names, name)
	}
	d.Settings = settingsOf(w.T, settings...)
	for i := range d.Settings {
		if r := d.Settings[i].Restart; r != nil {
			r.Pause = 10 * time.Millisecond
		}
	}
	return d, settings
}

// disorder is what happened in a run and should not have.
func (r *rehearsal) disorder(result Result) (wrong []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	nodes := map[string]*Node{}
	for _, n := range r.plan.Nodes {
		nodes[n.ID] = n
	}
	last := map[string]state.Event{}     // what happened to a node
	began := map[string]bool{}           // it was started
	ready := map[string]bool{}           // in its last life
	codes := map[string]int{}            // of ended nodes that have failed
	stopping, ended := false, []string{} // since the end began
	for _, e := range r.events {
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
					holds[edge.Until] = false // it serves only while it lives
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
				if slices.Contains(ended, edge.ID) && last[edge.ID].Time.Before(e.Time) && !r.diedAlone(edge.ID) {
					wrong = append(wrong, fmt.Sprintf("%s ended before %s, which is after it", edge.ID, e.Node))
				}
			}
			ended = append(ended, e.Node)
		}
		if e.Node != "" && e.What != state.Unwell && e.What != state.Killing && e.What != state.Log {
			last[e.Node] = e
		}
	}
	if want := codes[result.Failed]; result.Code != want {
		wrong = append(wrong, fmt.Sprintf("the code is %d, and that of %q was %d", result.Code, result.Failed, want))
	}
	return wrong
}

// diedAlone reports whether the last end of a node was not asked for.
func (r *rehearsal) diedAlone(node string) bool {
	for _, e := range slices.Backward(r.events) {
		if e.Node == node && (e.What == state.Ended || e.What == state.Failed) {
			return !strings.Contains(e.Text, "ended: the run has ended")
		}
	}
	return false
}
