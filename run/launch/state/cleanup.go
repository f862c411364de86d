package state

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

const (
	cleanupPoll  = 20 * time.Millisecond
	killPatience = 2 * time.Second // for the system to take a killed process away
)

// Cleanup ends what a run left behind when its supervisor died: every process
// with its mark, every node of the journal that is still the same process,
// and the sessions of both. It asks them to end, and kills them after grace. It
// returns how many processes it found.
func (d *Dir) Cleanup(ctx context.Context, grace time.Duration) (int, error) {
	if d.Supervised() {
		return 0, fmt.Errorf("run `%s` has a supervisor (process %d): ask it to stop", d.Run.ID, d.Run.Supervisor.Pid)
	}
	nodes, err := d.started()
	if err != nil {
		return 0, err
	}
	ended := map[Identity]bool{}
	send := func(sig syscall.Signal) int {
		left := d.leftovers(nodes)
		for _, p := range left {
			ended[p.Identity] = true
			p.kill(sig)
			if sig == syscall.SIGTERM {
				p.kill(sigContinue) // a paused process would never hear the first
			}
		}
		return len(left)
	}
	if send(syscall.SIGTERM) > 0 {
		d.await(ctx, nodes, grace)
	}
	// What is killed may have forked in between, and a process that is becoming
	// another program shows no mark for a moment: look again until nothing is left.
	time.Sleep(cleanupPoll)
	for end := time.Now().Add(killPatience); send(syscall.SIGKILL) > 0 && time.Now().Before(end); {
		time.Sleep(cleanupPoll)
	}
	if left := d.leftovers(nodes); len(left) > 0 {
		return len(ended), fmt.Errorf("%d processes of run `%s` do not end, the first is process %d", len(left), d.Run.ID, left[0].Pid)
	}
	return len(ended), d.markOver()
}

// await polls until nothing is left or time is up.
func (d *Dir) await(ctx context.Context, nodes map[Identity]bool, grace time.Duration) {
	timeout := time.After(grace)
	for len(d.leftovers(nodes)) > 0 {
		select {
		case <-timeout:
			return
		case <-ctx.Done():
			return
		case <-time.After(cleanupPoll):
		}
	}
}

// started lists the processes that the journal knows.
func (d *Dir) started() (map[Identity]bool, error) {
	events, err := d.Events()
	nodes := map[Identity]bool{}
	for _, e := range events {
		if e.Process.Start != 0 {
			nodes[e.Process] = true
		}
	}
	return nodes, err
}

// leftovers finds living processes of the run. A session counts only while
// its leader is known to be ours, for its number may be that of another session now.
func (d *Dir) leftovers(nodes map[Identity]bool) []Process {
	sessions := map[int]bool{}
	for id := range nodes {
		if id.Alive() {
			sessions[id.Pid] = true
		}
	}
	return find(func(p Process) bool {
		return nodes[p.Identity] || sessions[p.Session] || HasMark(p.Pid, d.Run.ID, "")
	})
}

func (d *Dir) markOver() error {
	j, err := d.Journal()
	if err != nil {
		return err
	}
	defer j.Close()
	return j.Append(Event{Time: time.Now(), What: Over, Text: "cleaned up after the supervisor died"})
}
