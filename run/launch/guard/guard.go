// Package guard ends what a program has started, when the program is killed.
//
// A program that is killed with signal 9 ends nothing itself. So a run starts a
// guard first: a small process that holds one end of a pipe. The pipe ends with the
// program, and then the guard asks everything to end that belongs to the run,
// and kills it after a time. Where the system lets us, the program and all that it starts
// live in a control group, which nothing leaves; otherwise processes are
// known by a mark in their environment, and by the sessions of the run.
//
//	program ──pipe──▶ guard            the pipe ends: the program was killed
//	   └─▶ children ─▶ grandchildren ◀── TERM, then KILL
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
	Group string        // the folder of its control group; empty: it has none
	State string        // the folder of a launch that has one, with its journal; empty: none
	Grace time.Duration // how long processes have to end before they are killed

	Scratch string // a folder that goes with the run; empty: none
}

// over is what the program writes when it has ended in order.
const over = "over\n"

// patience is how long the system may take to end what was killed.
const patience = 5 * time.Second

// poll is the time between two looks at what is left.
const poll = 20 * time.Millisecond

// Watch waits for the end of the program, and ends what it left unless it says
// that it is over.
func Watch(in io.Reader, w Watched) {
	line, _ := bufio.NewReader(in).ReadString('\n') // the end of the pipe is what is waited for
	if line != over {
		w.end()
		_ = os.RemoveAll(w.Scratch) // what cannot be removed is no reason to stay
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
	left := w.left()
	if sig == syscall.SIGKILL {
		w.killGroup()
	}
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
	members := w.members()
	var known []state.Process
	if d, err := state.OpenDir(w.State); w.State != "" && err == nil {
		known = d.Leftovers()
	}
	return state.Find(func(p state.Process) bool {
		return p.Pid != os.Getpid() && (slices.Contains(members, p.Pid) || state.HasVars(p.Pid, Variable+"="+w.Mark) ||
			slices.ContainsFunc(known, func(k state.Process) bool { return k.Identity == p.Identity }))
	})
}
