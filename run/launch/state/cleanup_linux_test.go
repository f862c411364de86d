package state

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// Cleanup finds a node without the mark through the journal and its session.
func TestCleanup(t *testing.T) {
	d := testRun(t, "unmarked")
	if _, err := d.Cleanup(context.Background(), time.Second); err == nil || !strings.Contains(err.Error(), "has a supervisor") {
		t.Errorf("a supervised run: %v", err)
	}
	cmd := exec.Command("sh", "-c", "trap '' TERM; sleep 600 & sleep 600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	leader := Identify(cmd.Process.Pid)
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	j.Append(Event{Node: "n", What: Started, Process: leader})
	j.Append(Event{Node: "x", What: Started, Process: Identity{os.Getppid(), 1}}) // the process ID belongs to another process now
	j.Close()
	d.Run.Supervisor.Start++ // the supervisor is dead
	sleepers := func() (n int) {
		for _, p := range d.leftovers(nodes{leader: false}) {
			if p.Name == "sleep" {
				n++
			}
		}
		return n
	}
	golden.Until(t, "both children sleep", func() bool { return sleepers() == 2 })
	found, err := d.Cleanup(context.Background(), 100*time.Millisecond)
	if err != nil || len(found) != 3 {
		t.Errorf("cleaned up %v, %v; want 3", found, err)
	}
	select {
	case <-ended:
	case <-time.After(golden.Patience):
		t.Error("the node lives")
	}
	if !d.Over() {
		t.Error("the journal does not say so")
	}
}

// A child that cleared its environment is found by the session of its node, even after the node itself has died.
func TestCleanupWithoutMark(t *testing.T) {
	d := testRun(t, "cleared")
	cmd := exec.Command("sh", "-c", "env -i sleep 601 & wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	leader := Identify(cmd.Process.Pid)
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	j.Append(Event{Node: "n", What: Started, Process: leader})
	j.Close()
	d.Run.Supervisor.Start++ // the supervisor is dead
	asleep := func() bool {
		return slices.ContainsFunc(d.leftovers(nodes{leader: false}), func(p Process) bool { return p.Name == "sleep" })
	}
	golden.Until(t, "the child sleeps", asleep)
	_ = cmd.Process.Kill() // as the system does when the supervisor dies
	_ = cmd.Wait()
	found, err := d.Cleanup(context.Background(), time.Second)
	if err != nil || len(found) != 1 || found[0].Name != "sleep" {
		t.Fatalf("found %+v, %v; want the child", found, err)
	}
	if found[0].Alive() {
		t.Error("the child lives")
	}
}

// If the process ID of an ended node was reused, its session may belong to another program: processes in it are not ended. The session of a live node
// belongs to the run.
func TestLeftoversSpareForeignSessions(t *testing.T) {
	d := testRun(t, "foreign")
	cmd := exec.Command("sh", "-c", "env -i sleep 602 & wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	leader := Identify(cmd.Process.Pid)
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	asleep := func(of nodes) bool {
		return slices.ContainsFunc(d.leftovers(of), func(p Process) bool { return p.Name == "sleep" && p.Session == leader.Pid })
	}
	golden.Until(t, "the session of a node is found", func() bool { return asleep(nodes{leader: false}) })
	if !asleep(nodes{leader: true}) {
		t.Error("a leader that lives leads a session of the run, although the journal has an end")
	}
	earlier := Identity{leader.Pid, leader.Start - 1} // another process had the ID
	for _, ended := range []bool{true, false} {
		if asleep(nodes{earlier: ended}) {
			t.Errorf("the session of a stranger is taken for that of a node (ended %v)", ended)
		}
	}
}

// A program is recognised by its mark from the start. For a moment, the system has not set up its environment yet: one read in ten comes too early.
func TestMarkAtStart(t *testing.T) {
	for range 200 {
		cmd := exec.Command("sleep", "600")
		cmd.Env = []string{"PENTODE_RUN=" + t.Name()}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		marked := HasMark(cmd.Process.Pid, t.Name(), "")
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if !marked {
			t.Fatal("the mark was not seen")
		}
	}
}

// An empty environment is not waited for.
func TestEmptyEnvironment(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	cmd.Env = []string{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	golden.Until(t, "the program counts as one that has started", func() bool { return !starting(cmd.Process.Pid) })
	if HasMark(cmd.Process.Pid, "", "") {
		t.Error("it has a mark")
	}
}
