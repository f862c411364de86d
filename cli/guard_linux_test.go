package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// leaver is a script that starts a grandchild in its own session, with an empty environment, that
// ignores TERM. The script then reports that it is running.
const leaver = "#!/bin/sh\nenv -i setsid sh -c 'trap \"\" TERM; : %s; while :; do sleep 0.1; done' &\nsetsid sh -c 'trap \"\" TERM; : %s; while :; do sleep 0.1; done' &\necho leaver is here >&2\nexec sleep 600\n"

// named returns the processes with a word in their command line.
func named(word string) []state.Process {
	return state.Find(func(p state.Process) bool {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(p.Pid) + "/cmdline")
		return err == nil && strings.Contains(string(text), word)
	})
}

// grouped reports whether this system lets us create control groups.
func grouped(t *testing.T) bool {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "cgroup2" {
			dir := f[1] + "/pentode-test"
			if os.Mkdir(dir, 0o755) == nil {
				_, err := os.Stat(dir + "/cgroup.kill")
				_ = os.Remove(dir)
				return err == nil
			}
		}
	}
	return false
}

// If a run is killed, the programs of its plan or pipeline end, and so does everything that they
// have started.
func TestKilledRunLeavesNoProcess(t *testing.T) {
	need.Slow(t)
	need.Program(t, "setsid")
	for _, c := range []struct{ name, file, text string }{
		{"plan", "a.psdl", "process { command \"./leaver.sh\"; host \"localhost\"; daemon \"d\"; name \"p\"; }\ndaemon { command \"./leaver.sh\"; host \"localhost\"; name \"d\"; }\n"},
		{"pipeline", "a.pipe", "process n :: numbers\n  end = 3\nprocess c :: exec\n  command = ./leaver.sh\nprocess s :: sink\nconnect from n.number to c.n\nconnect from c.n to s.sink\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "pipeline" {
				need.Slow(t)
			}
			t.Chdir(t.TempDir())
			home := t.TempDir()
			hidden, marked := "hidden-"+c.name+strconv.Itoa(os.Getpid()), "marked-"+c.name+strconv.Itoa(os.Getpid())
			text := strings.Replace(strings.Replace(leaver, "%s", hidden, 1), "%s", marked, 1)
			writeLeaver(t, c.file, c.text, text, hidden, marked)
			cmd := process(t, "run", c.file)
			if c.name == "plan" {
				cmd = process(t, "run", "--config", "run.ready=none", "--grace", "1s", c.file)
			}
			cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR="+home)
			untilSaid(t, cmd, "leaver is here")
			golden.Until(t, "there is something to be ended", func() bool { return len(named(marked)) > 0 && len(named(hidden)) > 0 })
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			want := []string{marked}
			if grouped(t) {
				want = append(want, hidden)
			}
			for _, word := range want {
				golden.Until(t, "no process with "+word+" is left", func() bool { return len(named(word)) == 0 })
			}
		})
	}
}

// writeLeaver writes a script that leaves processes running, and the plan or pipeline that starts
// it.
func writeLeaver(t *testing.T, file, text, script string, words ...string) {
	t.Helper()
	if err := os.WriteFile("leaver.sh", []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, word := range words {
			for _, p := range named(word) {
				p.Kill(syscall.SIGKILL)
			}
		}
	})
}

// A run that ends normally leaves no process, even one with another environment, session or signal
// handling, and no folder of sockets.
func TestEndedRunLeavesNothing(t *testing.T) {
	need.Slow(t)
	need.Program(t, "setsid")
	const leaver = "#!/bin/sh\nmkdir -p \"$XDG_RUNTIME_DIR/pentode/$PENTODE_RUN/\"\nenv -i setsid sh -c '%s; : > %s; while :; do sleep 0.1; done' &\nuntil test -e %s; do sleep 0.1; done\n%s"
	for _, c := range []struct{ name, file, text, trap, end string }{
		{"plan", "a.psdl", "process { command \"./leaver.sh\"; host \"localhost\"; daemon \"d\"; name \"p\"; }\ndaemon { command \"sleep 600\"; host \"localhost\"; name \"d\"; }\n", `trap "" TERM`, "exit 0\n"},
		{"pipeline", "a.pipe", "process n :: numbers\n  end = 3\nprocess c :: exec\n  command = ./leaver.sh\nprocess s :: sink\nconnect from n.number to c.n\nconnect from c.n to s.sink\n", ":", "exec cat\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "plan" {
				need.Slow(t)
			}
			t.Chdir(t.TempDir())
			home, sockets := t.TempDir(), t.TempDir()
			word := "ended-" + c.name + strconv.Itoa(os.Getpid())
			writeLeaver(t, c.file, c.text, fmt.Sprintf(leaver, c.trap, word, word, c.end), word)
			cmd := process(t, "run", c.file)
			if c.name == "plan" {
				cmd = process(t, "run", "--config", "run.ready=none", "--grace", "100ms", c.file)
			}
			cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR="+sockets)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if left := named(word); len(left) > 0 {
				t.Errorf("%v are left", left)
			}
			if left, err := os.ReadDir(filepath.Join(sockets, "pentode")); err != nil || len(left) > 0 {
				t.Errorf("%v are left, %v", left, err)
			}
		})
	}
}

// untilSaid starts a command and waits until it has printed a word.
func untilSaid(t *testing.T, cmd *exec.Cmd, word string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	cmd.Stdout, cmd.Stderr = w, w
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if strings.Contains(lines.Text(), word) {
			return
		}
	}
	t.Fatalf("%q never said %q (%v)", cmd.Args, word, lines.Err())
}
