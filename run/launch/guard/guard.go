// Package guard ends what a run has started and left behind: when the run is over,
// and when its program is killed.
//
// A program that is killed with signal 9 ends nothing itself. So a run starts a
// guard first: a small process that holds one end of a pipe. When the program says that
// the run is over, or the pipe ends with the program, the guard asks everything to end
// that belongs to the run, and kills it after a time.
//
//	program ──pipe──▶ guard            the run is over, or the program was killed
//	   └─▶ children ─▶ grandchildren ◀── TERM, then KILL
//
// Where the system lets us, the program and all that it starts live in a control
// group, which nothing leaves. Otherwise processes are known by a mark in their
// environment, by the journal of a launch and, while the program lives, because
// they descend from it: a process that clears its environment, starts a session of its
// own and outlives its parents escapes only where the program is killed.
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

// Variable marks what belongs to a run, for its guard.
const Variable = "PENTODE_GUARD"

// Watched is what a guard knows of the run that it watches.
type Watched struct {
	Mark  string        // the value of Variable in its processes
	Pid   int           // of its program, which adopts orphans; 0: not known
	Group string        // the folder of its control group; empty: it has none
	State string        // the folder of a launch that has one, with its journal; empty: none
	Grace time.Duration // how long processes have to end before they are killed

	Scratch string // a folder that goes with the run; empty: none
}

// over is what the program writes when it has ended in order.
const over = "over\n"

// patience is how long the system may take to end what was killed.
const patience = 5 * time.Second

// maxDepth is how many parents of a process are looked at.
const maxDepth = 100

// poll is the time between two looks at what is left.
const poll = 20 * time.Millisecond

// Watch waits for the end of the run, and ends what it left.
func Watch(in io.Reader, w Watched) {
	line, _ := bufio.NewReader(in).ReadString('\n') // the end of the pipe is what is waited for
	killed := line != over
	if killed {
		w.Pid = 0 // another program may have the number by now
	}
	w.end()
	if killed {
		_ = os.RemoveAll(w.Scratch) // what cannot be removed is no reason to stay
		if d, err := state.OpenDir(w.State); w.State != "" && err == nil {
			d.RemoveSockets()
		}
	}
	w.leaveGroup()
}

// end asks what is left to end, and kills it after a time.
func (w *Watched) end() {
	w.send(syscall.SIGTERM)
	for until := time.Now().Add(w.Grace); len(w.left()) > 0 && time.Now().Before(until); {
		time.Sleep(poll)
	}
	// What is killed may have forked in between: look again until nothing is left.
	for until := time.Now().Add(patience); w.send(syscall.SIGKILL) && time.Now().Before(until); {
		time.Sleep(poll)
	}
}

// send signals everything that is left, and reports whether anything is.
func (w *Watched) send(sig syscall.Signal) bool {
	if sig == syscall.SIGKILL {
		defer w.killGroup()() // nothing in it forks while it is killed
	}
	left := w.left()
	for _, p := range left {
		p.Kill(sig)
		if sig == syscall.SIGTERM {
			p.Kill(sigContinue) // a paused process would never hear the first
		}
	}
	return len(left) > 0
}

// left are the living processes of the run.
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

// descends reports whether a process descends from the program and is younger than
// the guard: what the program started before is no part of the run.
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
