//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// bench is a folder with scripts, and a state folder for runs. Tests with a bench run in parallel, because they
// mostly wait.
type bench struct {
	t            *testing.T
	dir, pentode string
}

func newBench(t *testing.T) *bench {
	t.Parallel()
	need.Program(t, "sh")
	need.File(t, "/proc/self/environ") // /proc is used to look for orphans
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t, dir, filepath.Join(dir, "pentode")}
	if err := os.Symlink(self, b.pentode); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "rt"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.noOrphans)
	return b
}

func (b *bench) file(name, text string) {
	b.t.Helper()
	if strings.Contains(text, "setsid") {
		need.Program(b.t, "setsid")
	}
	// Without the lock, a child forked by another test could hold the file open for writing, and the script could
	// not be started.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), golden.Patience)
	b.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, b.pentode, args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+filepath.Join(b.dir, "rt"), "XDG_STATE_HOME="+filepath.Join(b.dir, "state"), "NO_COLOR=1", noRaceNap)
	cmd.WaitDelay = time.Second
	return cmd
}

// ask runs a verb to its end and returns its output.
func (b *bench) ask(args ...string) string {
	b.t.Helper()
	out, err := b.command(args...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("pentode %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// running is a live `pentode run`.
type running struct {
	*exec.Cmd
	out, errs bytes.Buffer
}

func (b *bench) start(args ...string) *running {
	b.t.Helper()
	r := &running{Cmd: b.command(append([]string{"run"}, args...)...)}
	r.Stdout, r.Stderr = &r.out, &r.errs
	if err := r.Start(); err != nil {
		b.t.Fatal(err)
	}
	return r
}

// end waits for the run and checks its exit code.
func (b *bench) end(r *running, code int) {
	b.t.Helper()
	_ = r.Wait() // only the exit code matters
	if got := r.ProcessState.ExitCode(); got != code {
		b.t.Errorf("exit code %d, want %d\n%s%s", got, code, r.out.String(), r.errs.String())
	}
}

// until polls the status of the newest run until wanted returns true. It calls the functions of the verb,
// without starting a program each time.
func (b *bench) until(what string, wanted func(map[string]launch.Status) bool) map[string]launch.Status {
	b.t.Helper()
	var nodes map[string]launch.Status
	golden.Until(b.t, what, func() bool {
		d, err := state.Open(filepath.Join(b.dir, "state", "pentode"), "")
		if err != nil {
			return false
		}
		_, list, err := launch.Observe(b.t.Context(), d)
		nodes = byID(list)
		return err == nil && wanted(nodes)
	})
	return nodes
}

func byID(list []launch.Status) map[string]launch.Status {
	nodes := map[string]launch.Status{}
	for _, n := range list {
		nodes[n.ID] = n
	}
	return nodes
}

// log returns what a program of the newest run has printed so far.
func (b *bench) log(node string) string {
	b.t.Helper()
	d, err := state.Open(filepath.Join(b.dir, "state", "pentode"), "")
	var text strings.Builder
	if err == nil {
		err = d.Logs(b.t.Context(), &text, state.Query{Node: node})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return text.String()
}

func (b *bench) untilRunning(nodes ...string) map[string]launch.Status {
	b.t.Helper()
	return b.until(strings.Join(nodes, ", ")+" run", func(all map[string]launch.Status) bool {
		for _, n := range nodes {
			if all[n].State != launch.Running {
				return false
			}
		}
		return true
	})
}

// runs returns the ids of all runs of the bench.
func (b *bench) runs() []string {
	all, err := state.List(filepath.Join(b.dir, "state", "pentode"))
	if err != nil {
		b.t.Fatal(err)
	}
	var ids []string
	for _, d := range all {
		ids = append(ids, d.Run.ID)
	}
	return ids
}

// marked returns the ids of processes, started by the bench's runs, that still exist.
func (b *bench) marked() []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		for _, run := range b.runs() {
			if state.HasMark(pid, run, "") && state.Identify(pid).Alive() {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func (b *bench) noOrphans() {
	for _, pid := range b.marked() {
		b.t.Errorf("process %d is left", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestRunThreeDaemons runs three daemons and ten processes that print 10,000 lines each, none of which may be
// lost.
func TestRunThreeDaemons(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	b.file("d.sh", "#!/bin/sh\nsleep 0.3\necho up >up.$1\necho READY $1\nexec sleep 600\n")
	b.file("p.sh", "#!/bin/sh\n[ -e up.$1 ] || echo EARLY\ni=0\nwhile [ $i -lt 10000 ]; do echo \"line $i of $2\"; i=$((i+1)); done\n")
	var text strings.Builder
	for d := range 3 {
		fmt.Fprintf(&text, "daemon { command \"./d.sh %d\"; host \"localhost\"; name \"d%d\"; }\n", d, d)
	}
	for p := range 10 {
		fmt.Fprintf(&text, "process { command \"./p.sh\"; args { \"%d\" \"p%d\" }; host \"localhost\"; daemon \"./d.sh %d\"; name \"p%d\"; }\n", p%3, p, p%3, p)
	}
	b.file("a.psdl", text.String())
	r := b.start("--config", "run.ready=line:^READY", "--grace", "5s", "a.psdl")
	b.end(r, 0)

	next := map[string]int{}
	for line := range strings.Lines(r.out.String()) {
		node, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
		if node = strings.TrimSpace(node); !strings.HasPrefix(node, "p") {
			continue
		}
		if want := fmt.Sprintf("line %d of %s", next[node], node); !ok || rest != want {
			t.Fatalf("%q, want %q of %s", line, want, node)
		}
		next[node]++
	}
	for p := range 10 {
		name := fmt.Sprintf("p%d", p)
		if next[name] != 10_000 {
			t.Errorf("%s has %d lines on standard output, want 10_000", name, next[name])
		}
		if n := strings.Count(b.ask("logs", name), "\n"); n != 10_000 {
			t.Errorf("%s has %d lines in its log, want 10_000", name, n)
		}
	}
	if strings.Contains(r.out.String(), "EARLY") {
		t.Error("a process started before its daemon was ready")
	}
}

const stubborn = "#!/bin/sh\ntrap '' TERM\necho PARADYND $$\nwhile :; do sleep 0.2; done\n"

// TestRunInterrupted checks that an interrupted run ends programs that ignore SIGTERM, and the processes that they
// left in the background.
func TestRunInterrupted(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	b.file("d.sh", stubborn)
	b.file("p.sh", "#!/bin/sh\ntrap '' TERM\n(setsid sleep 600 &)\nwhile :; do sleep 0.2; done\n")
	b.file("a.psdl", `daemon { command "./d.sh"; host "localhost"; name "d"; }
process { command "./p.sh"; host "localhost"; daemon "d"; name "p"; }
process { command "./p.sh"; host "localhost"; daemon "d"; name "q"; }
`)
	r := b.start("--grace", "500ms", "a.psdl")
	b.untilRunning("d", "p", "q")
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	b.end(r, 130)
	if !strings.Contains(r.errs.String(), "is killed") {
		t.Errorf("nobody says that programs were killed:\n%s", r.errs.String())
	}
}

// TestRunFromSecondTerminal signals, restarts and stops a program from another terminal, and then stops the run.
func TestRunFromSecondTerminal(t *testing.T) {
	b := newBench(t)
	b.file("d.sh", "#!/bin/sh\necho PARADYND $$\nexec sleep 600\n")
	b.file("p.sh", "#!/bin/sh\ntrap 'echo got USR1' USR1\necho begin\nwhile :; do sleep 0.1; done\n")
	b.file("a.psdl", `daemon { command "./d.sh"; host "localhost"; name "d"; }
process { command "./p.sh"; host "localhost"; daemon "d"; name "p"; }
process { command "./p.sh"; host "localhost"; daemon "d"; name "q"; }
visi { command "./p.sh"; name "V"; }
`)
	r := b.start("--grace", "2s", "a.psdl")
	before := b.untilRunning("d", "p", "q")
	if before["V"].State != launch.Declared {
		t.Errorf("the visualisation is %s; want %v", before["V"].State, launch.Declared)
	}
	var asked struct {
		Runs []struct{ Nodes []launch.Status }
	}
	if err := json.Unmarshal([]byte(b.ask("ps", "--format", "json")), &asked); err != nil || len(asked.Runs) != 1 || byID(asked.Runs[0].Nodes)["p"].Pid != before["p"].Pid {
		t.Errorf("%v: %+v", err, asked)
	}
	b.until("p and q have begun", func(map[string]launch.Status) bool { return b.log("p") == "begin\n" && b.log("q") == "begin\n" })
	b.ask("signal", "p", "USR1")
	b.until("p got the signal", func(map[string]launch.Status) bool { return strings.Contains(b.log("p"), "got USR1") })
	if p, q := b.ask("logs", "p"), b.ask("logs", "q"); !strings.Contains(p, "got USR1") || strings.Contains(q, "USR1") {
		t.Errorf("the signal did not go to p alone: %q, %q", p, q)
	}
	if run := b.runs()[0]; !strings.Contains(b.ask("ps", run), run) {
		t.Error("the run cannot be asked for by its name")
	}
	b.ask("signal", "q", "STOP")
	b.until("q is paused", func(all map[string]launch.Status) bool { return all["q"].Paused })
	b.ask("signal", "q", "CONT")
	b.ask("restart", "p")
	b.until("p runs again", func(all map[string]launch.Status) bool {
		return all["p"].State == launch.Running && all["p"].Pid != before["p"].Pid
	})
	b.ask("restart", "V")
	b.untilRunning("V")
	b.ask("stop", "q")
	b.until("q has ended", func(all map[string]launch.Status) bool { return all["q"].State == launch.Ended })
	if info, err := os.Stat(filepath.Join(b.dir, "rt", "pentode", b.runs()[0]+".socket")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	if out := b.ask("stop"); !strings.Contains(out, "is over") {
		t.Errorf("stop says %q, want %q in it", out, "is over")
	}
	b.end(r, 0)
}

// TestRunManyProcesses starts and stops fifty processes, or two hundred at full size.
func TestRunManyProcesses(t *testing.T) {
	b := newBench(t)
	var text strings.Builder
	text.WriteString("daemon { command \"sleep 600\"; host \"localhost\"; name \"d\"; }\n")
	n := 50
	if need.Full() {
		n = 200
	}
	for i := range n {
		fmt.Fprintf(&text, "process { command \"sleep\"; args { \"600\" }; host \"localhost\"; daemon \"d\"; name \"p%d\"; }\n", i)
	}
	b.file("a.psdl", text.String())
	r := b.start("--config", "run.ready=none", "a.psdl")
	b.until("all run", func(all map[string]launch.Status) bool {
		count := 0
		for _, s := range all {
			if s.State == launch.Running {
				count++
			}
		}
		return count == n+1
	})
	b.ask("stop")
	b.end(r, 0)
}

// TestRunDaemonKilled kills a daemon: the run reports it, and its processes end.
func TestRunDaemonKilled(t *testing.T) {
	b := newBench(t)
	b.file("d.sh", "#!/bin/sh\necho PARADYND $$\nexec sleep 600\n")
	b.file("a.psdl", `daemon { command "./d.sh"; host "localhost"; name "d"; }
process { command "sleep"; args { "600" }; host "localhost"; daemon "d"; name "p"; }
`)
	r := b.start("--grace", "1s", "a.psdl")
	nodes := b.untilRunning("d", "p")
	if err := syscall.Kill(nodes["d"].Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.end(r, 137)
	if !strings.Contains(r.errs.String(), "daemon `d`") {
		t.Errorf("the daemon's end is not reported:\n%s", r.errs.String())
	}
}

// TestRunSupervisorKilledAlone kills the supervisor of a run. Its programs end too, and `stop` reports that none
// was left.
func TestRunSupervisorKilledAlone(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	b.file("a.psdl", `daemon { command "sleep 600"; host "localhost"; name "d"; }
process { command "sleep"; args { "600" }; host "localhost"; daemon "d"; name "p"; }
`)
	r := b.start("--config", "run.ready=none", "a.psdl")
	b.untilRunning("d", "p")
	var left []state.Identity
	for _, pid := range b.marked() {
		left = append(left, state.Identify(pid))
	}
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()
	// A process that is ending has no environment any more, and so no mark; its identity is checked as well.
	b.until("all have ended", func(map[string]launch.Status) bool {
		return len(b.marked()) == 0 && !slices.ContainsFunc(left, state.Identity.Alive)
	})
	if out := b.ask("stop"); !strings.Contains(out, " had died; no program was left running\n") {
		t.Errorf("stop says %q, want %q in it", out, " had died; no program was left running\n")
	}
}

// TestRunSupervisorKilled kills the supervisor of a run with programs that ignore SIGTERM, and checks that `stop`
// ends them.
func TestRunSupervisorKilled(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	b.file("d.sh", stubborn)
	b.file("p.sh", "#!/bin/sh\nsetsid sh -c 'trap \"\" TERM; while :; do sleep 0.2; done' &\nexec sleep 600\n")
	b.file("a.psdl", `daemon { command "./d.sh"; host "localhost"; name "d"; }
process { command "./p.sh"; host "localhost"; daemon "d"; name "p"; }
`)
	r := b.start("--grace", "5m", "a.psdl") // the guard must not end them before `stop` does
	b.untilRunning("d", "p")
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()
	out := b.ask("ps")
	for _, want := range []string{", abandoned, since ", "\nd  ", "\np  ", "has died; `pentode stop "} {
		if !strings.Contains(out, want) {
			t.Errorf("status says\n%swithout %q", out, want)
		}
	}
	if out := b.ask("ps", "--all"); !strings.Contains(out, ", abandoned, ") {
		t.Errorf("list says %q, want %q in it", out, ", abandoned, ")
	}
	if out := b.ask("runs", "prune", "--keep", "0"); !strings.Contains(out, "state and logs of 0 runs deleted") {
		t.Errorf("prune says %q, want %q in it", out, "state and logs of 0 runs deleted")
	}
	if out := b.ask("stop", "--grace", "500ms"); !strings.Contains(out, "all have ended") {
		t.Errorf("stop says %q, want %q in it", out, "all have ended")
	}
	if out := b.ask("ps", "--all"); !strings.Contains(out, ", over, since ") {
		t.Errorf("status says %q, want %q in it", out, ", over, since ")
	}
	if left := b.marked(); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	if out := b.ask("runs", "prune", "--keep", "0"); !strings.Contains(out, "state and logs of 1 run deleted") {
		t.Errorf("prune says %q, want %q in it", out, "state and logs of 1 run deleted")
	}
}
