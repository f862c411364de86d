package state

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

const (
	cleanupPoll  = 20 * time.Millisecond
	killPatience = 10 * time.Second // how long the system may take to remove a killed process: seconds on a busy system
)

// Cleanup ends the processes that a run left behind when its supervisor died: every
// process with its mark, every node of the journal that is still the same process, and
// the sessions of both. It asks them to end, and kills them after grace. It returns
// the processes that it found.
func (d *Dir) Cleanup(ctx context.Context, grace time.Duration) ([]Process, error) {
	if d.Supervised() {
		return nil, fmt.Errorf("run `%s` has a supervisor (process %d): ask it to stop", d.Run.ID, d.Run.Supervisor.Pid)
	}
	known, err := d.started()
	if err != nil {
		return nil, err
	}
	var found []Process
	send := func(sig syscall.Signal) int {
		left := d.leftovers(known)
		for _, p := range left {
			if !slices.ContainsFunc(found, func(f Process) bool { return f.Identity == p.Identity }) {
				found = append(found, p)
			}
			p.Kill(sig)
			if sig == syscall.SIGTERM {
				p.Kill(sigContinue) // a paused process would not handle the first signal
			}
		}
		return len(left)
	}
	if send(syscall.SIGTERM) > 0 {
		d.await(ctx, known, grace)
	}
	// A killed process may have forked just before, and a process that is becoming another program has no mark for a moment: check again until none
	// is left.
	time.Sleep(cleanupPoll)
	for end := time.Now().Add(killPatience); send(syscall.SIGKILL) > 0 && time.Now().Before(end); {
		time.Sleep(cleanupPoll)
	}
	if left := d.leftovers(known); len(left) > 0 {
		return found, fmt.Errorf("%d processes of run `%s` do not end; the first is process %d", len(left), d.Run.ID, left[0].Pid)
	}
	d.RemoveSockets()
	d.RemoveGroup()
	return found, d.markOver()
}

// Leftovers returns the live processes of the run, as far as its journal can be read.
func (d *Dir) Leftovers() []Process {
	known, _ := d.started() // the events that could be read are correct
	return d.leftovers(known)
}

// await polls until no process is left or the time is over.
func (d *Dir) await(ctx context.Context, known nodes, grace time.Duration) {
	timeout := time.After(grace)
	for len(d.leftovers(known)) > 0 {
		select {
		case <-timeout:
			return
		case <-ctx.Done():
			return
		case <-time.After(cleanupPoll):
		}
	}
}

// nodes are the processes in the journal; the value is true if the journal has their end.
type nodes map[Identity]bool

// started lists the processes in the journal.
func (d *Dir) started() (nodes, error) {
	events, err := d.Events()
	all, last := nodes{}, map[string]Identity{}
	for _, e := range events {
		if e.Process.Start != 0 {
			all[e.Process], last[e.Node] = false, e.Process
		}
		if id, ok := last[e.Node]; ok && (e.What == Ended || e.What == Failed) {
			all[id] = true
		}
	}
	return all, err
}

// leftovers finds live processes of the run: processes with its mark, and processes in the session of a node, which may have cleared their
// environment.
func (d *Dir) leftovers(of nodes) []Process {
	sessions := map[int]Identity{}
	for leader, ended := range of {
		if leader.Alive() || !ended && !leader.replaced() {
			sessions[leader.Pid] = leader
		}
	}
	return Find(func(p Process) bool {
		_, node := of[p.Identity]
		leader, ours := sessions[p.Session]
		return node || ours && p.Start >= leader.Start || HasMark(p.Pid, d.Run.ID, "")
	})
}

// replaced reports whether the process ID belongs to another process now. The system does not reuse it while the session has members.
func (id Identity) replaced() bool {
	p, ok := ReadProcess(id.Pid)
	return ok && p.Start != id.Start
}

func (d *Dir) markOver() error {
	j, err := d.Journal()
	if err != nil {
		return err
	}
	defer j.Close()
	return j.Append(Event{Time: time.Now(), What: Over, Text: "cleaned up after the supervisor died"})
}
