//go:build unix

package cli_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/launch"
)

// code runs a verb to its end and returns its exit code and its output.
func (b *bench) code(args ...string) (int, string) {
	b.t.Helper()
	out, err := b.command(args...).CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		b.t.Fatal(err)
	}
	code := 0
	if err != nil {
		code = err.(*exec.ExitError).ExitCode()
	}
	return code, string(out)
}

// TestLaunchWaitAndExec uses a run as a script would: it waits until all programs are ready, runs commands
// beside them, and waits for the end. Each verb returns the right exit code.
func TestLaunchWaitAndExec(t *testing.T) {
	b := newBench(t)
	b.file("d.sh", "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\necho UP\nexec sleep 600\n")
	b.file("p.sh", "#!/bin/sh\nwhile [ ! -e end ]; do sleep 0.02; done\nexit 3\n")
	b.file("a.psdl", `daemon { name "d"; command "./d.sh"; host "localhost"; }
process { name "p"; command "./p.sh"; host "localhost"; daemon "./d.sh"; }
process { name "init"; command "true"; host "localhost"; daemon "pentode"; }
`)
	b.file("pentode.toml", "[launch.d]\nready = \"line:^UP\"\nafter = [\"init:succeeded\"]\n\n[launch.p]\ncopies = 2\nenv = { A = \"of the project\" }\numask = \"027\"\n")
	r := b.start("a.psdl")
	b.until("init has ended", func(all map[string]launch.Status) bool { return all["init"].State == launch.Ended })
	if code, out := b.code("wait", "--timeout", "100ms"); code != 124 || out != "not within 100ms\n" {
		t.Errorf("code %d, %s; want code = 124 and out = %q", code, out, "not within 100ms\n")
	}
	b.file("go", "")
	b.ask("wait", "--timeout", "1m")
	if code, out := b.code("exec", "p.1", "--", "sh", "-c", `echo "$PENTODE_COPY of $PENTODE_COPIES, $A"; umask; pwd; exit 7`); code != 7 || out != "1 of 2, of the project\n0027\n"+b.dir+"\n" {
		t.Errorf("code %d, %s; want code = 7 and out = %v", code, out, "1 of 2, of the project\n0027\n"+b.dir+"\n")
	}
	if code, out := b.code("exec", "p.0", "--", "no-such-program"); code != 127 || !strings.Contains(out, "program `no-such-program` was not found") {
		t.Errorf("code %d, %s; want code = 127 and %q in out", code, out, "program `no-such-program` was not found")
	}
	if code, out := b.code("exec", "p.0"); code != 2 || !strings.Contains(out, "pentode exec") {
		t.Errorf("code %d, %s; want code = 2 and %q in out", code, out, "pentode exec")
	}
	in := b.command("exec", "p.0", "--", "cat")
	in.Stdin = strings.NewReader("passed on")
	if out, err := in.Output(); string(out) != "passed on" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	b.file("end", "")
	if code, out := b.code("wait", "--until", "end", "--timeout", "1m"); code != 3 {
		t.Errorf("code %d, %s; want 3", code, out)
	}
	b.end(r, 3)
	if code, _ := b.code("wait", "--until", "end", "init"); code != 0 {
		t.Errorf("init ended with code %d, want 0", code)
	}
	if code, out := b.code("wait"); code != 1 || !strings.Contains(out, "is over") {
		t.Errorf("code %d, %s; want code = 1 and %q in out", code, out, "is over")
	}
}
