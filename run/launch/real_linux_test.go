package launch

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// workshop is a folder for a test with shell scripts and the state of runs.
type workshop struct {
	*testing.T
	dir   string
	grace time.Duration // of the supervisor that the test kills or signals
	slow  time.Duration // how long the reader of the output takes for each piece
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	return &workshop{T: t, dir: t.TempDir(), grace: time.Second}
}

// script writes a shell script and returns its path.
func (w *workshop) script(name, body string) string {
	w.Helper()
	if strings.Contains(body, "setsid") {
		need.Program(w, "setsid")
	}
	path := filepath.Join(w.dir, name)
	// A child that another test forks at the same time would keep the file open for writing, so it could not be started.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		w.Fatal(err)
	}
	return path
}

// rehearsal is a run started by a test, with all its events.
type rehearsal struct {
	*Supervisor
	*testing.T
	dir    *state.Dir
	output *safeBuffer
	mu     sync.Mutex
	events []state.Event
}

// start plans and starts a run, and makes sure that everything ends with the test.
func (w *workshop) start(d Decls, o Options, r RunOptions) *rehearsal {
	w.Helper()
	base := filepath.Join(w.dir, "state")
	id := state.NewID(time.Now())
	o.Run, o.StateDir = id, filepath.Join(base, id)
	if o.Dir == "" {
		o.Dir = w.dir
	}
	p, problems := NewPlan(d, o)
	if err := problems.Err(); err != nil {
		w.Fatal(err)
	}
	dir, err := p.NewState(base, "", time.Now())
	if err != nil {
		w.Fatal(err)
	}
	re := &rehearsal{T: w.T, dir: dir, output: &safeBuffer{slow: w.slow}}
	r.State, r.Output = dir, re.output
	r.Report = func(e state.Event) {
		re.mu.Lock()
		re.events = append(re.events, e)
		re.mu.Unlock()
	}
	if re.Supervisor, err = Start(context.Background(), p, r); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		re.Kill()
		re.wait()
		if left := state.Marked(id, ""); len(left) > 0 {
			w.Errorf("%d processes of the run are left, the first is %d", len(left), left[0].Pid)
		}
	})
	return re
}

// wait returns the result, or fails the test if the run does not end.
func (r *rehearsal) wait() Result {
	r.Helper()
	select {
	case <-r.done:
		return r.Wait()
	case <-time.After(golden.Patience):
		r.Fatalf("the run does not end\n%s", r.story())
		return Result{}
	}
}

// until waits for a condition.
func (r *rehearsal) until(what string, cond func() bool) {
	r.Helper()
	golden.Until(r, what, cond, golden.Known(r.story))
}

// reported lists the texts of the events of one kind.
func (r *rehearsal) reported(what state.What) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, e := range r.events {
		if e.What == what {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func (r *rehearsal) story() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, e := range r.events {
		fmt.Fprintf(&b, "%s %s: %s\n", e.Time.Format("05.000"), e.What, e.Text)
	}
	output := r.output.String()
	b.WriteString(output[max(0, len(output)-2000):])
	return b.String()
}

func (r *rehearsal) node(id string) Status {
	r.Helper()
	for _, st := range r.Status() {
		if st.ID == id {
			return st
		}
	}
	r.Fatalf("no node `%s`", id)
	return Status{}
}

type safeBuffer struct {
	slow time.Duration // each write takes so long
	mu   sync.Mutex
	b    bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	time.Sleep(b.slow) // a reader that needs time for what it gets
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestRealOrderAndLogs(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	const lines = 10_000
	daemon := w.script("daemon", `sleep 0.$1; echo up > up.$1; echo "here I am"; while :; do sleep 1; done`)
	process := w.script("process", `[ -f up.$(($1 % 3)) ] || exit 7
i=0; while [ $i -lt `+strconv.Itoa(lines)+` ]; do i=$((i+1)); echo "node $1 line $i of its output"; done; echo done $PENTODE_RANK/$PENTODE_SIZE >&2`)
	r := w.start(crew(3, 10, daemon, process), Options{Ready: mustReady(t, "line:^here I am$")}, RunOptions{Grace: 2 * time.Second})
	result := r.wait()
	if result.Code != 0 {
		t.Fatalf("code %d\n%s\nwant 0", result.Code, r.story())
	}
	counts := map[string]int{}
	for line := range strings.Lines(r.output.String()) {
		id, text, ok := strings.Cut(line, " | ")
		id = strings.TrimSpace(id)
		if !ok || !strings.HasPrefix(id, "p") || strings.HasPrefix(text, "done") {
			continue
		}
		counts[id]++
		if want := fmt.Sprintf("node %s line %d of its output\n", id[1:], counts[id]); text != want {
			t.Fatalf("torn line: got %q, want %q", text, want)
		}
	}
	for i := range 10 {
		id := fmt.Sprintf("p%d", i)
		if counts[id] != lines {
			t.Errorf("%s: %d lines in the joint log, want %d", id, counts[id], lines)
		}
		text, err := os.ReadFile(r.dir.LogFile(id, "out"))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n != lines {
			t.Errorf("%s: %d lines in its file, want %d", id, n, lines)
		}
		text, err = os.ReadFile(r.dir.LogFile(id, "err"))
		if want := fmt.Sprintf("done %d/10\n", i); err != nil || string(text) != want {
			t.Errorf("%s: error log %q (%v), want %q", id, text, err, want)
		}
	}
	var all strings.Builder
	if err := r.dir.Logs(t.Context(), &all, state.Query{}); err != nil || all.String() != r.output.String() {
		t.Errorf("all.log has %d bytes (%v), the output %d", all.Len(), err, len(r.output.String()))
	}
	var table strings.Builder
	if err := result.WriteTable(&table, 0); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(table.String(), "\n"); n != 14 {
		t.Errorf("the exit table has %d lines, want 14:\n%s", n, &table)
	}
	for _, n := range result.Nodes {
		if n.State != Ended || n.Pid == 0 || n.Exit.PeakKB == 0 || !n.Ended.After(n.Started) {
			t.Errorf("node %s: %+v, want it ended, with a process id, a peak of memory, and an end after its start", n.ID, n)
		}
	}
}

// The resources of a program are known while it runs, and its peak memory does not include the memory of this program, which Linux counts as well.
func TestRealUsage(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	daemon := w.script("daemon", `echo "PARADYND $$"; while :; do sleep 1; done`)
	process := w.script("process", `while :; do :; done`)
	r := w.start(crew(1, 1, daemon, process), Options{}, RunOptions{Grace: time.Second})
	r.until("the process has used the processor and has memory", func() bool {
		u := r.node("p0").Usage
		return u != nil && u.CPU > 0 && u.MemoryKB > 0 && u.PeakKB >= u.MemoryKB
	})
	now := r.node("p0").Usage
	ours, _ := state.ReadUsage(os.Getpid())
	r.Stop(0)
	r.wait()
	for _, id := range []string{"d0", "p0"} {
		n := r.node(id)
		if n.Usage != nil {
			t.Errorf("%s has ended and uses %+v, want none", id, n.Usage)
		}
		if e := n.Exit; e.AtMost || e.PeakKB == 0 || e.PeakKB >= ours.PeakKB || id == "p0" && e.PeakKB < now.MemoryKB {
			t.Errorf("%s: peak %d kB, at most %v; this program has %d kB", id, e.PeakKB, e.AtMost, ours.PeakKB)
		}
	}
}

func TestRealDaemonKilled(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	daemon := w.script("daemon", `echo "PARADYND $$"; while :; do sleep 1; done`)
	process := w.script("process", `while :; do sleep 1; done`)
	for _, keepGoing := range []bool{false, true} {
		t.Run(fmt.Sprintf("keep going %v", keepGoing), func(t *testing.T) {
			w := newWorkshop(t)
			r := w.start(crew(2, 4, daemon, process), Options{Dir: w.dir}, RunOptions{Grace: time.Second, KeepGoing: keepGoing})
			r.until("all run", func() bool {
				return !slices.ContainsFunc(r.Status(), func(st Status) bool { return st.State != Running })
			})
			victim := r.node("d0").Pid
			if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			r.until("the death is reported", func() bool { return len(r.reported(state.Failed)) > 0 })
			if got := r.reported(state.Failed)[0]; got != "daemon `d0` died: killed by signal 9 (KILL)" {
				t.Errorf("reported: %s; want %q", got, "daemon `d0` died: killed by signal 9 (KILL)")
			}
			r.until("its processes end", func() bool { return r.node("p0").State == Ended && r.node("p2").State == Ended })
			if keepGoing {
				if st := r.node("p1").State; st != Running {
					t.Errorf("p1 under the other daemon is %s", st)
				}
				r.Stop(0)
			}
			if result := r.wait(); result.Code != 137 || result.Failed != "d0" {
				t.Errorf("code %d of %q, want 137 of d0", result.Code, result.Failed)
			}
		})
	}
}

// No process that ignores SIGTERM, not even a child in its own session, survives two grace periods.
func TestRealStopTheStubborn(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	w := newWorkshop(t)
	stubborn := `trap '' TERM INT HUP; (while :; do sleep 0.2; done) & setsid sh -c "trap '' TERM; while :; do sleep 0.2; done" & `
	daemon := w.script("daemon", stubborn+`echo "PARADYND $$"; while :; do sleep 0.2; done`)
	process := w.script("process", stubborn+`echo going; while :; do sleep 0.2; done`)
	const grace = time.Second
	r := w.start(crew(2, 4, daemon, process), Options{}, RunOptions{Grace: grace})
	r.until("all run", func() bool { return strings.Count(r.output.String(), "going") == 4 })
	r.Stop(130)
	if result := r.wait(); result.Code != 130 {
		t.Errorf("code %d, want 130", result.Code)
	}
	if left := state.Marked(r.dir.Run.ID, ""); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Checking whether a group is alive does not affect it.
func TestRealAlive(t *testing.T) {
	w := newWorkshop(t)
	child := w.script("child", `trap 'echo > hurt' HUP; trap 'echo > done; exit' USR1; echo > up; while :; do sleep 0.02; done`)
	p, err := System().Start(Command{Argv: []string{w.script("leader", Quote(child)+" &")}, Dir: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if exit := p.Wait(); exit.Failed() {
		t.Fatalf("%+v, want it not failed", exit)
	}
	await := func(name string) {
		t.Helper()
		golden.Until(t, "the child writes the file "+name, func() bool {
			_, err := os.Stat(filepath.Join(w.dir, name))
			return err == nil
		})
	}
	await("up")
	if !p.Alive() {
		t.Error("the child does not count")
	}
	if err := p.Signal(syscall.SIGUSR1); err != nil {
		t.Error(err)
	}
	await("done")
	if _, err := os.Stat(filepath.Join(w.dir, "hurt")); err == nil {
		t.Error("the child got a signal")
	}
}

func TestRealStopIsGraceful(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	daemon := w.script("daemon", `trap 'echo daemon >> order; exit 0' TERM; echo "PARADYND $$"; while :; do sleep 0.05; done`)
	process := w.script("process", `trap 'sleep 0.2; echo process >> order; exit 0' TERM; echo up; while :; do sleep 0.05; done`)
	r := w.start(crew(1, 2, daemon, process), Options{}, RunOptions{Grace: golden.Patience})
	r.until("all run", func() bool { return strings.Count(r.output.String(), "up") == 2 })
	if err := r.Pause(""); err != nil { // a paused process must handle the stop
		t.Fatal(err)
	}
	if st := r.node("p0"); !st.Paused {
		t.Errorf("p0 is not paused: %+v", st)
	}
	r.Stop(0)
	if result := r.wait(); result.Code != 0 {
		t.Errorf("code %d, want 0", result.Code)
	}
	if text, _ := os.ReadFile(filepath.Join(w.dir, "order")); string(text) != "process\nprocess\ndaemon\n" {
		t.Errorf("ended in the order %q, want %q", text, "process\nprocess\ndaemon\n")
	}
	if n := len(r.reported(state.Killing)); n != 0 {
		t.Errorf("%d were killed, want 0", n)
	}
}

func TestRealControl(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	daemon := w.script("daemon", `echo "PARADYND $$"; while :; do sleep 0.05; done`)
	process := w.script("process", `trap 'echo got it' USR1; echo up; while :; do sleep 0.05; done`)
	d := crew(1, 2, daemon, process)
	d.Visis = []Visi{{Name: "plot", Command: process}}
	r := w.start(d, Options{}, RunOptions{Grace: 2 * time.Second})
	r.until("all run", func() bool { return strings.Count(r.output.String(), "up") == 2 })
	ctx, cancel := context.WithTimeout(context.Background(), golden.Patience)
	defer cancel()
	base := filepath.Join(w.dir, "state")
	dir, err := state.Open(base, "")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method string, req Request, result any) {
		t.Helper()
		if err := Ask(ctx, dir, method, req, result); err != nil {
			t.Errorf("%s %+v: %s", method, req, err)
		}
	}
	for _, path := range []string{dir.Socket(), dir.Path + "/run.json", dir.Path + "/journal.jsonl", dir.Path + "/tunables.json", dir.LogFile("p0", "out")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	var status []Status
	ask(MethodStatus, Request{}, &status)
	if len(status) != 4 || status[0].State != Running || status[3].State != Declared {
		t.Errorf("status: %+v, want len(status) = 4, status[0].State = %v and status[3].State = %v", status, Running, Declared)
	}
	ask(MethodSignal, Request{Node: "p1", Signal: "USR1"}, nil)
	r.until("the signal arrives", func() bool { return strings.Contains(r.output.String(), "p1   | got it") })
	ask(MethodSignal, Request{Node: "p0", Signal: "STOP"}, nil)
	r.until("it is paused", func() bool { return paused(status[1].Pid) })
	ask(MethodSignal, Request{Node: "p0", Signal: "CONT"}, nil)
	r.until("it goes on", func() bool { p, _ := state.ReadProcess(status[1].Pid); return p.State != 'T' })
	ask(MethodRestart, Request{Node: "d0"}, nil)
	r.until("the daemon and its processes are new", func() bool {
		d, p := r.node("d0"), r.node("p1")
		return d.State == Running && p.State == Running && d.Pid != status[0].Pid && p.Pid != status[2].Pid && p.Restarts == 1
	})
	ask(MethodRestart, Request{Node: "plot"}, nil)
	r.until("the visualisation runs", func() bool { return r.node("plot").State == Running })
	ask(MethodStop, Request{Node: "plot"}, nil)
	r.until("the visualisation has ended", func() bool { return r.node("plot").State == Ended })
	for _, c := range []struct {
		method string
		Request
		want string
	}{
		{MethodSignal, Request{Node: "p9", Signal: "HUP"}, "the run has no node `p9`"},
		{MethodSignal, Request{Node: "p0", Signal: "NO"}, "signal `NO` is not known: expected a name such as `TERM` or a number from 1 to 64"},
		{MethodSignal, Request{Node: "plot", Signal: "1"}, "node `plot` is not running: it is ended"},
		{MethodRestart, Request{}, "a restart needs the name of a node"},
		{"dance", Request{}, "there is no method `dance`"},
	} {
		if err := Ask(ctx, dir, c.method, c.Request, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.method, err, c.want)
		}
	}
	streams := followRun(t, ctx, dir)
	if left, err := StopRun(ctx, dir, 0); len(left) > 0 || err != nil {
		t.Errorf("stop: %v, %v", left, err)
	}
	r.wait()
	streams()
	if kept, err := ReadResult(dir); err != nil || len(kept.Nodes) != 4 || kept.Nodes[1].Exit != r.Wait().Nodes[1].Exit {
		t.Errorf("the kept result: %+v, %v", kept, err)
	}
	if err := Ask(ctx, dir, MethodStatus, Request{}, nil); err == nil || !strings.Contains(err.Error(), "is over") {
		t.Errorf("after the end: %v", err)
	}
	if left, err := StopRun(ctx, dir, 0); len(left) > 0 || err != nil {
		t.Errorf("stop again: %v, %v", left, err)
	}
	var text strings.Builder
	if err := dir.Logs(ctx, &text, state.Query{Follow: true}); err != nil || !strings.Contains(text.String(), "p1   | got it") {
		t.Errorf("logs: %v\n%s", err, &text)
	}
}

// A daemon that forks and exits remains a daemon: its child is followed, reaped and stopped.
func TestRealBackgroundDaemon(t *testing.T) {
	w := newWorkshop(t)
	daemon := w.script("daemon", `setsid sh -c 'echo $$ > pid; while :; do sleep 0.05; done' & while [ ! -s pid ]; do sleep 0.01; done; echo "PARADYND $(cat pid)"; exit 0`)
	process := w.script("process", `while :; do sleep 0.05; done`)
	r := w.start(crew(1, 1, daemon, process), Options{}, RunOptions{Grace: time.Second})
	r.until("the daemon is followed", func() bool { return len(r.reported(state.Background)) == 1 && r.node("p0").State == Running })
	text, err := os.ReadFile(filepath.Join(w.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.node("d0").Pid; got != pid {
		t.Errorf("the daemon is process %d, want %d", got, pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if result := r.wait(); result.Code != 137 || result.Failed != "d0" {
		t.Errorf("code %d of %q\n%s\nwant result.Code = 137 and result.Failed = %q", result.Code, result.Failed, r.story(), "d0")
	}
	if p, ok := state.ReadProcess(pid); ok {
		t.Errorf("the daemon was not reaped: %+v", p)
	}
}

func TestRealBackgroundDaemonStopped(t *testing.T) {
	need.Slow(t)
	w := newWorkshop(t)
	daemon := w.script("daemon", `setsid sh -c 'trap "" TERM; touch deaf; while :; do sleep 0.05; done' & setsid sleep 60 & while [ ! -f deaf ]; do sleep 0.01; done; echo "PARADYND 1"; exit 0`)
	r := w.start(crew(1, 1, daemon, w.script("process", `exec sleep 60`)), Options{}, RunOptions{Grace: 500 * time.Millisecond})
	r.until("the daemon is followed", func() bool { return len(r.reported(state.Background)) == 1 && r.node("p0").State == Running })
	r.Stop(0)
	if result := r.wait(); result.Code != 0 {
		t.Errorf("code %d\n%s\nwant 0", result.Code, r.story())
	}
	if len(r.reported(state.Killing)) == 0 {
		t.Error("the child that ignores TERM was not killed")
	}
}

// An orphan that left its session and ends while the run is live is reaped.
func TestRealOrphanReaped(t *testing.T) {
	need.Slow(t)
	w := newWorkshop(t)
	w.script("orphan", `while [ ! -e seen ]; do sleep 0.02; done`)
	process := w.script("process", `sh -c 'setsid ./orphan & echo $! > pid.new; mv pid.new pid'; exec sleep 60`)
	r := w.start(crew(1, 1, "sleep 60", process), Options{Ready: Ready{Probe: ProbeNone}}, RunOptions{Grace: time.Second})
	pid := 0
	r.until("the orphan is ours", func() bool {
		text, _ := os.ReadFile(filepath.Join(w.dir, "pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		p, ok := state.ReadProcess(pid)
		return ok && p.Parent == os.Getpid() && p.Session == pid
	})
	if err := os.WriteFile(filepath.Join(w.dir, "seen"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.until("the orphan is reaped", func() bool { _, ok := state.ReadProcess(pid); return !ok })
	if st := r.node("p0").State; st != Running {
		t.Errorf("p0 is %s; want %v", st, Running)
	}
}

// A process that clears its environment has no mark, but is found in the session in which it started.
func TestRealOrphanWithoutMark(t *testing.T) {
	w := newWorkshop(t)
	process := w.script("process", `env -i sleep 600 & echo $! > pid; exit 0`)
	r := w.start(crew(1, 1, "sleep 60", process), Options{Ready: Ready{Probe: ProbeNone}}, RunOptions{Grace: time.Second})
	if result := r.wait(); result.Code != 0 {
		t.Errorf("code %d\n%s\nwant 0", result.Code, r.story())
	}
	text, _ := os.ReadFile(filepath.Join(w.dir, "pid"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := state.ReadProcess(pid); ok && !p.Zombie() {
		t.Errorf("process %d is left", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestRealReadiness(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, c := range map[string]struct{ ready, daemon string }{
		"tcp":   {"tcp:" + listener.Addr().String(), `exec sleep 60`},
		"exec":  {"exec:test -f DIR/here", `sleep 0.3; touch here; exec sleep 60`},
		"alive": {"alive:300ms", `exec sleep 60`},
		"none":  {"none", `exec sleep 60`},
		"line":  {"line:rea+dy", `echo not yet; sleep 0.1; printf 'so ready' >&2; sleep 0.1; echo >&2; exec sleep 60`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			daemon := w.script("daemon", c.daemon)
			process := w.script("process", `exit 3`)
			ready := mustReady(t, strings.ReplaceAll(c.ready, "DIR", Quote(w.dir)))
			r := w.start(crew(1, 1, daemon, process), Options{Ready: ready}, RunOptions{Grace: time.Second})
			if result := r.wait(); result.Code != 3 || result.Failed != "p0" {
				t.Errorf("code %d of %q\n%s\nwant result.Code = 3 and result.Failed = %q", result.Code, result.Failed, r.story(), "p0")
			}
		})
	}
}

func TestRealNotStarted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		process string
		code    int
		want    string
	}{
		"missing":        {"no-such-program-here", 127, "program `no-such-program-here` was not found in any directory of PATH"},
		"missing path":   {"./nothing", 127, "nothing` does not exist"},
		"not executable": {"./plain", 126, "plain` is not executable: run `chmod +x` on it"},
		"folder":         {"./folder", 126, "folder` is a folder, not a program"},
		"no program":     {"./text", 126, "is neither a program for this machine nor a script with a `#!` line"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			os.WriteFile(filepath.Join(w.dir, "plain"), nil, 0o600)
			os.WriteFile(filepath.Join(w.dir, "text"), []byte("hello"), 0o700)
			os.Mkdir(filepath.Join(w.dir, "folder"), 0o700)
			daemon := w.script("daemon", `echo "PARADYND $$"; exec sleep 60`)
			r := w.start(crew(1, 1, daemon, c.process), Options{}, RunOptions{Grace: time.Second})
			result := r.wait()
			if result.Code != c.code || len(r.reported(state.Failed)) != 1 || !strings.Contains(r.reported(state.Failed)[0], c.want) {
				t.Errorf("code %d\n%s\nwant result.Code = %v, len(r.reported(state.Failed)) = 1 and %q in r.reported(state.Failed)[0]", result.Code, r.story(), c.code, c.want)
			}
		})
	}
}

// followRun follows the events and the logs of a run over its socket. The returned function waits for the end of both streams, and checks that they
// end with the run.
func followRun(t *testing.T, ctx context.Context, dir *state.Dir) (wait func()) {
	var following sync.WaitGroup
	begun := make(chan struct{})
	var events []Update
	var log strings.Builder
	following.Go(func() {
		if err := control.Follow(ctx, dir.Socket(), MethodEvents, Request{}, func(u Update) error {
			events = append(events, u)
			return nil
		}); err != nil {
			t.Errorf("events: %s", err)
		}
	})
	following.Go(func() {
		if err := control.Follow(ctx, dir.Socket(), MethodLogs, Request{Node: "p1", Follow: true}, func(p []byte) error {
			if log.Len() == 0 {
				close(begun)
			}
			log.Write(p)
			return nil
		}); err != nil {
			t.Errorf("logs: %s", err)
		}
	})
	<-begun
	return func() {
		following.Wait()
		if n := len(events); n == 0 || events[n-1].What != state.Over || !strings.Contains(log.String(), "got it") {
			t.Errorf("events %+v, log %q; want n other than 0, events[n-1].What = %v and %q in log.String()", events, log.String(), state.Over, "got it")
		}
	}
}

// If the logs of a run do not fit on the disk, the run continues to its normal end, and reports the problem.
func TestRealLogOnFullDisk(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	need.File(t, "/dev/full")
	w := newWorkshop(t)
	daemon := w.script("d", "exec sleep 600")
	process := w.script("p", `ln -s /dev/full "$(dirname "$PARADYN_TUNABLES")/logs/$PENTODE_NODE.out"; echo this is lost`)
	r := w.start(crew(1, 1, daemon, process), Options{}, RunOptions{Grace: 2 * time.Second})
	result := r.wait()
	if result.Code != 0 || result.Failed != "" {
		t.Errorf("code %d, failed %q\n%s", result.Code, result.Failed, r.story())
	}
	if !strings.Contains(r.story(), "the log of `p0` can no longer be written") || !strings.Contains(r.story(), "no space left on device") {
		t.Errorf("it is not said:\n%s", r.story())
	}
}

// The common log is treated the same way, and its failure is reported once.
func TestMuxTellsFailure(t *testing.T) {
	need.File(t, "/dev/full")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	told := 0
	m := &mux{to: []*sink{{w: full, failed: func() { told++ }}, {w: full}}}
	for range 3 {
		m.write(label{}, "out", []byte("line\n"))
	}
	if told != 1 {
		t.Errorf("told %d times, want 1", told)
	}
}
