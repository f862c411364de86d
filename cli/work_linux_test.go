package cli_test

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWorkOnTerminal: compiling the tracer for the first time takes long, so its progress is shown on a terminal, and nowhere
// else.
func TestWorkOnTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "slow-cc", "#!/bin/sh\n[ \"$1\" = --version ] && exit\nsleep 0.2\necho it is too slow\nexit 1\n")
	if err := os.Chmod("slow-cc", 0o700); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`\r\x1b\[Kcompiling the tracer for this machine: \d+ of \d+ files, \d+ s`)
	for _, term := range []string{"xterm", "dumb"} {
		person, program := openTerminal(t)
		cmd := process(t, "trace", "record", "--config", "trace.compiler=./slow-cc", "--", "true")
		cmd.Env = append(cmd.Env, "TERM="+term)
		cmd.Stdout, cmd.Stderr = program, program
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		program.Close()
		text, _ := io.ReadAll(person) // reading ends with an error when the program closes its end
		if code := exitOf(t, cmd.Wait()); code != 1 {
			t.Errorf("on %s it ends with %d, want 1", term, code)
		}
		seen := line.FindAllString(string(text), -1)
		if term == "dumb" {
			if len(seen) > 0 {
				t.Errorf("a terminal that cannot draw shows %q", seen)
			}
			continue
		}
		if len(seen) < 2 || seen[0] == seen[len(seen)-1] {
			t.Errorf("the terminal shows %q, want lines with more and more files: %q", seen, text)
		}
		if _, rest, _ := strings.Cut(string(text), "pentode: "); line.MatchString(rest) || !strings.Contains(string(text), "\r\x1b[Kpentode: the compiler `./slow-cc` cannot build the tracer") {
			t.Errorf("the line of the work is not gone when the error is said: %q", text)
		}
	}
	out, err := process(t, "trace", "record", "--config", "trace.compiler=./slow-cc", "--", "true").CombinedOutput()
	if code := exitOf(t, err); code != 1 || strings.Contains(string(out), "compiling") {
		t.Errorf("without a terminal it ends with %d and says %s; want 1, and nothing of the compiling", code, out)
	}
}
