// Package guard ends the processes that a run has started and left behind, when the run is over or its program is killed.
//
// A program that is killed with signal 9 cannot end its children. So a run first starts a
// guard: a small process that has one end of a pipe. When the program reports that the run is
// over, or the pipe ends because the program has died, the guard asks all processes of the run
// to end, and kills them after a grace period.
//
//	program ──pipe──▶ guard            the run is over, or the program was killed
//	   └─▶ children ─▶ grandchildren ◀── TERM, then KILL
//
// If the system allows it, the program and all that it starts live in a control group, which
// no process leaves. Otherwise the guard recognises processes by a mark in their environment,
// by the journal of a launch and, while the program lives, by their descent from it. A
// process then escapes only if the program is killed and the process has cleared its
// environment, started its own session and outlived its parents.
package guard

import (
	"bufio"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// Variable is the environment variable that marks the processes of a run for its guard.
const Variable = "PENTODE_GUARD"

// Watched describes the run that a guard watches.
type Watched struct {
	Mark  string        // the value of Variable in the processes of the run
	Pid   int           // process ID of the program of the run, which adopts orphans; 0: not known
	Group string        // the folder of the run's control group; empty: none
	State string        // the folder of a launch, with its journal; empty: none
	Grace time.Duration // how long processes may take to end before they are killed

	Scratch string // a folder to remove with the run; empty: none
}

// over is the line that the program writes when it has ended in order.
const over = "over\n"

// patience is how long killed processes may take to end.
const patience = 5 * time.Second

// maxDepth limits how many ancestors of a process are examined.
const maxDepth = 100

// poll is the pause between two checks for remaining processes.
const poll = 20 * time.Millisecond

// Watch waits for the end of the run, and ends the processes that the run left.
func Watch(in io.Reader, w Watched) {
	line, _ := bufio.NewReader(in).ReadString('\n') // it returns at the latest when the pipe ends
	killed := line != over
	if killed {
		w.Pid = 0 // another program may have this process ID by now
	}
	w.end()
	if killed {
		_ = os.RemoveAll(w.Scratch) // a folder that cannot be removed is no reason to continue
		if d, err := state.OpenDir(w.State); w.State != "" && err == nil {
			d.RemoveSockets()
		}
	}
	w.leaveGroup()
}

// end asks the remaining processes to end, and kills them after the grace period.
func (w *Watched) end() {
	w.send(syscall.SIGTERM)
	for until := time.Now().Add(w.Grace); len(w.left()) > 0 && time.Now().Before(until); {
		time.Sleep(poll)
	}
	// A killed process may have forked just before: check again until none is left.
	for until := time.Now().Add(patience); w.send(syscall.SIGKILL) && time.Now().Before(until); {
		time.Sleep(poll)
	}
}

// send signals all remaining processes, and reports whether there are any.
func (w *Watched) send(sig syscall.Signal) bool {
	if sig == syscall.SIGKILL {
		defer w.killGroup()() // so that no process in the group forks while it is killed
	}
	left := w.left()
	for _, p := range left {
		p.Kill(sig)
		if sig == syscall.SIGTERM {
			p.Kill(sigContinue) // a paused process would not handle the first signal
		}
	}
	return len(left) > 0
}

// left returns the live processes of the run.
func (w *Watched) left() []state.Process {
	members, self := w.members(), state.Self()
	var known []state.Process
	if d, err := state.OpenDir(w.State); w.State != "" && err == nil {
		known = d.Leftovers()
	}
	return state.Find(func(p state.Process) bool {
		return p.Pid != w.Pid && (slices.Contains(members, p.Pid) || state.HasVars(p.Pid, Variable+"="+w.Mark) || w.descends(p, self) ||
			slices.ContainsFunc(known, func(k state.Process) bool { return k.Identity == p.Identity }))
	})
}

// descends reports whether a process descends from the program and is younger than the guard: processes that the program started before the guard are
// not part of the run.
func (w *Watched) descends(p state.Process, guard state.Identity) bool {
	if w.Pid == 0 || p.Start < guard.Start {
		return false
	}
	for range maxDepth {
		if p.Parent == w.Pid || p.Parent <= 1 {
			return p.Parent == w.Pid
		}
		var ok bool
		if p, ok = state.ReadProcess(p.Parent); !ok || p.Pid == guard.Pid {
			return false
		}
	}
	return false
}
