//go:build linux

package cli_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch"
)

// waits writes a plan whose program ends with exit code 3 once the file `go` exists.
func waits(b *bench) {
	b.file("waits", "#!/bin/sh\necho begin\nwhile [ ! -e go ]; do sleep 0.05; done\necho end\nexit 3\n")
	b.file("rests", "#!/bin/sh\nexec sleep 600\n")
	b.file("a.psdl", `process { name "p"; command "./waits"; host "localhost"; daemon "./rests"; }`)
}

// TestDetach: a detached run continues after its command has ended; `attach` shows its whole output
// and ends with the run's exit code.
func TestDetach(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	waits(b)
	var said strings.Builder
	detached := b.command("run", "--detach", "a.psdl")
	detached.Stderr = &said
	out, err := detached.Output()
	name := strings.TrimSuffix(string(out), "\n")
	if err != nil || name == "" || strings.ContainsAny(name, " \n") || !strings.HasSuffix(said.String(), "\nrun "+name+" continues in the background; `pentode attach "+name+"` shows it, `pentode stop "+name+"` ends it\n") {
		t.Fatalf("%v: %q, %q", err, out, said.String())
	}
	b.until("p runs", func(nodes map[string]launch.Status) bool { return nodes["p"].State == launch.Running })
	attached := b.command("attach", name)
	var shown strings.Builder
	attached.Stdout = &shown
	if err := attached.Start(); err != nil {
		t.Fatal(err)
	}
	b.file("go", "")
	if code := exitOf(t, attached.Wait()); code != 3 || !strings.Contains(shown.String(), "begin") || !strings.Contains(shown.String(), "end") {
		t.Errorf("exit %d: %s; want code = 3, %q in shown.String() and %q in shown.String()", code, shown.String(), "begin", "end")
	}
}

// TestDetachFails: if a detached run cannot start, the command itself reports the reason and
// returns the exit code.
func TestDetachFails(t *testing.T) {
	b := newBench(t)
	b.file("a.psdl", "process {\n")
	out, err := b.command("run", "--detach", "a.psdl").CombinedOutput()
	if code := exitOf(t, err); code != 1 || !strings.Contains(string(out), "error[paradyn/") {
		t.Errorf("exit %d: %s; want code = 1 and %q in out", code, out, "error[paradyn/")
	}
}

// TestHangup: closing the terminal ends the run, or does not affect it, depending on the setting
// run.hangup.
func TestHangup(t *testing.T) {
	for _, how := range []string{"stop", "ignore"} {
		t.Run(how, func(t *testing.T) {
			if how == "stop" {
				need.Slow(t)
			}
			b := newBench(t)
			waits(b)
			cmd := b.command("run", "--config", "run.hangup="+how, "a.psdl")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			b.until("p runs", func(nodes map[string]launch.Status) bool { return nodes["p"].State == launch.Running })
			if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			want := 128 + int(syscall.SIGHUP)
			if how == "ignore" {
				time.Sleep(100 * time.Millisecond)
				b.file("go", "")
				want = 3
			}
			if code := exitOf(t, cmd.Wait()); code != want {
				t.Errorf("exit %d, want %d", code, want)
			}
		})
	}
}

// TestLogSize: a long log is split into compressed files, of which only the newest are kept.
func TestLogSize(t *testing.T) {
	need.Slow(t)
	need.Program(t, "grep")
	b := newBench(t)
	b.file("talks", "#!/bin/sh\ni=0; while [ $i -lt 300 ]; do echo \"line $i\"; i=$((i+1)); done\n")
	b.file("rests", "#!/bin/sh\nexec sleep 600\n")
	b.file("a.psdl", `process { name "p"; command "./talks"; host "localhost"; daemon "./rests"; }`)
	if out, err := b.command("run", "--config", "run.log-size=200", "a.psdl").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pieces, err := filepath.Glob(filepath.Join(b.dir, "state", "pentode", "*", "logs", "p.out.*.gz"))
	if err != nil || len(pieces) != 5 {
		t.Errorf("%v, %v", pieces, err)
	}
	if shown := b.ask("logs", "p"); !strings.HasSuffix(shown, "line 298\nline 299\n") || strings.Contains(shown, "line 1\n") {
		t.Errorf("%s; want shown = %q at the end and no %q in shown", shown, "line 298\nline 299\n", "line 1\n")
	}
	// The script waits until each line is in the log before it prints the next one.
	b.file("talks", `#!/bin/sh
for i in 1 2 3 4; do echo "line $i"; until grep -qs "line $i" "$XDG_STATE_HOME/pentode/$PENTODE_RUN/logs/p.out"; do sleep 0.01; done; done
`)
	b.file("pentode.toml", "[run]\nlog-age = \"1ns\"\nlog-keep = 1\n")
	if out, err := b.command("run", "--config", "run.log-keep=2", "a.psdl").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if shown := b.ask("logs", "p"); shown != "line 2\nline 3\nline 4\n" {
		t.Errorf("%s; want %q", shown, "line 2\nline 3\nline 4\n")
	}
	for flag, want := range map[string]string{
		"--config=run.log-age=-1s": "`-1s` is not a duration", "--config=run.log-keep=-1": "`-1` is not a number of at least 1",
	} {
		out, err := b.command("run", flag, "a.psdl").CombinedOutput()
		if code := exitOf(t, err); code != 2 || !strings.Contains(string(out), want) {
			t.Errorf("%s: exit %d: %s; want code = 2 and %q in out", flag, code, out, want)
		}
	}
}

// TestReadyWithin: the project file sets how long a daemon may take to become ready; the command
// line overrides it.
func TestReadyWithin(t *testing.T) {
	need.Slow(t)
	b := newBench(t)
	waits(b)
	b.file("pentode.toml", "[launch.d]\nready = \"line:never\"\nready-within = \"300ms\"\n")
	b.file("a.psdl", `daemon { name "d"; command "./rests"; host "localhost"; } process { name "p"; command "./waits"; host "localhost"; daemon "d"; }`)
	for _, c := range []struct {
		flags []string
		code  int
		want  string
	}{
		{nil, 124, "not ready in 300ms: expected line:never"},
		{[]string{"--config", "launch.d.ready-within=200ms"}, 124, "not ready in 200ms: expected line:never"},
		{[]string{"--config", "run.ready-within=-1s"}, 2, "--config: `-1s` is not a duration"},
		{[]string{"--config", `launch.d.ready-within="soon"`}, 2, "--config: `soon` is not a duration"},
	} {
		out, err := b.command(append([]string{"run", "a.psdl"}, c.flags...)...).CombinedOutput()
		if code := exitOf(t, err); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("%q: exit %d: %s; want code = %v and %q in out", c.flags, code, out, c.code, c.want)
		}
	}
	b.file("pentode.toml", "[launch.d]\nrestart = \"sometimes\"\nready = \"tcp:none\"\n")
	out, err := b.command("check", "a.psdl").CombinedOutput()
	for _, want := range []string{"restart policy `sometimes` is not known", "`none` is not a TCP port"} {
		if code := exitOf(t, err); code != 1 || !strings.Contains(string(out), want) {
			t.Errorf("check: exit %d: %s; want code = 1 and %q in out", code, out, want)
		}
	}
}
