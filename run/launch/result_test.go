package launch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch/state"
)

func TestWriteStatus(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var b strings.Builder
	err := WriteStatus(&b, []Status{
		{ID: "d", Host: "here", State: Running, Pid: 10, Started: at, Usage: &state.Usage{CPU: 2 * time.Second, MemoryKB: 1024, PeakKB: 3072}},
		{ID: "p", Host: "far", State: Ended, Pid: 11, Remote: 77, Started: at, Ended: at.Add(1500 * time.Millisecond), Exit: Exit{Code: 3, User: time.Second, PeakKB: 2048}},
		{ID: "q", Host: "here", State: Ended, Pid: 12, Started: at, Ended: at.Add(time.Second), Exit: Exit{Signal: 9, PeakKB: 1024, AtMost: true}, Note: "the run has ended"},
		{ID: "r", Host: "here", State: Running, Paused: true, Pid: 13, Started: at},
		{ID: "s", Host: "here", State: Ended, Pid: 14, Started: at, Ended: at, Exit: Exit{Code: -1}, Restarts: 2},
		{ID: "v", Host: "here", State: Declared},
	}, at.Add(10*time.Second), 0)
	want := `node  host  pid  started        took  exit        cpu  memory   peak  note
d     here   10  03:04:05.000   10 s  running     2 s     1MB    3MB
p     far    77  03:04:05.000  1.5 s  3           1 s       –    2MB
q     here   12  03:04:05.000    1 s  137 (KILL)  0 s       –  ≤ 1MB  the run has ended
r     here   13  03:04:05.000   10 s  paused        –       –      –
s     here   14  03:04:05.000    0 s  ?             –       –      –  started again 2 times
v     here    –  –                 –  declared      –       –      –
`
	if diff := cmp.Diff(want, b.String()); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// The status of a run without a result comes from its journal.
func TestRecorded(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d, err := state.Create(filepath.Join(t.TempDir(), "p"), state.Run{ID: "r", Nodes: []state.Node{
		{ID: "d", Kind: "daemon", Host: "h"}, {ID: "p", Kind: "process", Host: "h"}, {ID: "q", Kind: "process", Host: "h"},
		{ID: "w", Kind: "process", Host: "h"}, {ID: "v", Kind: "visi", Host: "h"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []state.Event{
		{Time: at, Node: "d", What: state.Started, Process: state.Identity{Pid: 1 << 30, Start: 1}},
		{Time: at, Node: "d", What: state.Background, Process: state.Self()},
		{Time: at, Node: "p", What: state.Started, Process: state.Self()},
		{Time: at.Add(time.Second), Node: "p", What: state.Failed, Code: 3},
		{Time: at, Node: "p", What: state.Restarting},
		{Time: at, Node: "p", What: state.Started, Process: state.Self()},
		{Time: at.Add(time.Second), Node: "p", What: state.Ended, Code: 4},
		{Time: at, Node: "q", What: state.Started, Process: state.Identity{Pid: os.Getpid(), Start: 1}},
		{Time: at, What: state.Stopping},
	} {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	nodes, err := Recorded(d)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&got, "%s %s %s %s | %s\n", n.ID, n.Kind, n.Host, n.outcome(), n.note())
	}
	want := `d daemon h running | 
p process h 4 | started again
q process h ? | it ended after its supervisor had died
w process h skipped | 
v visi h declared | 
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

func TestReadResultMissing(t *testing.T) {
	if _, err := ReadResult(&state.Dir{Path: t.TempDir(), Run: state.Run{ID: "r"}}); errText(err) != "run `r` has left no result" {
		t.Error(err)
	}
}

func TestExitStatus(t *testing.T) {
	for e, want := range map[Exit]int{{}: 0, {Code: 3}: 3, {Signal: syscall.SIGKILL}: 137, {Code: -1}: 1} {
		if got := e.Status(); got != want {
			t.Errorf("%+v: %d, want %d", e, got, want)
		}
	}
}

func TestIsLocal(t *testing.T) {
	name := System().Name()
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, name: true, "192.0.2.1": false, "no-such-host": false, name + ".example.invalid": false} {
		if got := isLocal(host); got != want {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
}

// A supervisor that does not answer in time is distinguished from a dead supervisor.
func TestAskNobody(t *testing.T) {
	d, err := state.Create(filepath.Join(t.TempDir(), "p"), state.Run{ID: "r"})
	if err != nil {
		t.Fatal(err)
	}
	mute, err := control.Listen(d.Socket(), control.Methods{MethodStatus: control.Answer(func(ctx context.Context, _ Request) (any, error) {
		<-ctx.Done()
		return nil, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := Ask(ctx, d, MethodStatus, Request{}, nil); !strings.HasSuffix(errText(err), "does not answer: it may be paused") {
		t.Errorf("no answer: %v", err)
	}
	mute.Close()
	d.Run.Supervisor.Start++
	if err := Ask(context.Background(), d, MethodStatus, Request{}, nil); errText(err) != "the supervisor of run `r` has died; `pentode stop r` ends what it left" {
		t.Errorf("dead: %v", err)
	}
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	j.Append(state.Event{What: state.Over})
	j.Close()
	if err := Ask(context.Background(), d, MethodStatus, Request{}, nil); errText(err) != "run `r` is over: it has no supervisor" {
		t.Errorf("over: %v", err)
	}
}
