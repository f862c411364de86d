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
	killPatience = 10 * time.Second // for the system to take a killed process away; a busy one needs seconds
)

// Cleanup ends what a run left behind when its supervisor died: every process
// with its mark, every node of the journal that is still the same process,
// and the sessions of both. It asks them to end, and kills them after grace. It
// returns the processes that it found.
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
				p.Kill(sigContinue) // a paused process would never hear the first
			}
		}
		return len(left)
	}
	if send(syscall.SIGTERM) > 0 {
		d.await(ctx, known, grace)
	}
	// What is killed may have forked in between, and a process that is becoming
	// another program shows no mark for a moment: look again until nothing is left.
	time.Sleep(cleanupPoll)
	for end := time.Now().Add(killPatience); send(syscall.SIGKILL) > 0 && time.Now().Before(end); {
		time.Sleep(cleanupPoll)
	}
	if left := d.leftovers(known); len(left) > 0 {
		return found, fmt.Errorf("%d processes of run `%s` do not end, the first is process %d", len(left), d.Run.ID, left[0].Pid)
	}
	d.RemoveSockets()
	d.RemoveGroup()
	return found, d.markOver()
}

// Leftovers are the living processes of the run, as far as its journal can be read.
func (d *Dir) Leftovers() []Process {
	known, _ := d.started() // what it has is right
	return d.leftovers(known)
}

// await polls until nothing is left or time is up.
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

// nodes are the processes that the journal knows: true where it has their end.
type nodes map[Identity]bool

// started lists the processes that the journal knows.
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

// leftovers finds living processes of the run: those with its mark, and those in
// the session of a node, which may have cleared their environment.
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

// replaced reports whether another process has the number now. While members of
// its session live the system gives the number to no other.
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
