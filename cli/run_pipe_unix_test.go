//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// process starts the program itself, as a user would.
func process(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{"pentode"}, args...)
	cmd.Env = append(os.Environ(), noRaceNap)
	return cmd
}

func exitOf(t *testing.T, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return 0
}

// TestInterruptOnce: after one interrupt, data under way are processed, so the written numbers have
// no gap and no incomplete line.
func TestInterruptOnce(t *testing.T) {
	inFolder(t, "process src :: numbers\n  end = 1000000000000\nprocess w :: text_write\n  file_name = -\nconnect from src.number to w.text\n")
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := process(t, "run", "a.pipe")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		count := 0
		for ; lines.Scan(); count++ {
			if lines.Text() != strconv.Itoa(count) {
				t.Fatalf("line %d is %q, want %v", count, lines.Text(), strconv.Itoa(count))
			}
			if count == 1000 {
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := lines.Err(); err != nil {
			t.Error(err)
		}
		if code := exitOf(t, cmd.Wait()); code != 128+int(signal) {
			t.Errorf("%v: exit %d, want %d: %s", signal, code, 128+signal, errs.String())
		}
		if !strings.Contains(errs.String(), "stopping: ") || !strings.Contains(errs.String(), "interrupted: ") {
			t.Errorf("%v: standard error says %q", signal, errs.String())
		}
	}
}

// TestInterruptFolder: an interrupted run folder ends in order and leaves usable results.
func TestInterruptFolder(t *testing.T) {
	need.Slow(t)
	program := built(t)
	t.Chdir(t.TempDir())
	state, err := os.MkdirTemp("", "run") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(state) })
	for name, text := range map[string]string{
		"a.psdl": `daemon { name "watch"; command "pentode collect"; host "localhost"; }
process { name "one"; command "pentode"; args { "run" "a.pipe" "--trace" "t.json" "--policy" "a.pinsight" }; host "localhost"; daemon "watch"; }
process { name "two"; command "pentode"; args { "run" "a.pipe" "--trace" "t.json" "--policy" "a.pinsight" }; host "localhost"; daemon "watch"; }
`,
		"a.pipe":     "process src :: numbers\n  end = 1000000000000\nprocess w :: print_number\n  output = numbers.txt\nconnect from src.number to w.number\n",
		"a.pinsight": "[Lexgion.default]\n    max_num_traces = 20\n",
	} {
		if err := os.MkdirAll("endless", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("endless/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "run", "endless")
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+state, "XDG_STATE_HOME="+state, noRaceNap)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	running := map[string]bool{}
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		for _, name := range []string{"one", "two"} {
			if strings.Contains(lines.Text(), name+" (rank ") && !running[name] {
				if running[name] = true; len(running) == 2 {
					_ = cmd.Process.Signal(os.Interrupt)
				}
			}
		}
	}
	if code := exitOf(t, cmd.Wait()); code != 130 {
		t.Errorf("exit %d, want 130: %s", code, errs.String())
	}
	for _, want := range []string{"the run ends: it was asked to stop", "results in endless-out:", "one/numbers.txt"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, errs.String())
		}
	}
	if !strings.Contains(said.String(), "two (rank 1) stopped after ") {
		t.Errorf("standard output lacks the progress:\n%s", said.String())
	}
	for _, name := range []string{"one/t.json", "two/t.json", "trace.json"} {
		text, err := os.ReadFile("endless-out/" + name)
		if err != nil || !json.Valid(text) {
			t.Errorf("%s is no trace: %v", name, err)
		}
	}
}

// TestInterruptTwice: if a child never answers, the first interrupt waits for it, and the second
// ends the child and the run.
func TestInterruptTwice(t *testing.T) {
	inFolder(t, "process src :: numbers\n  end = 10\nprocess c :: exec\n  command = sh -c 'read x; echo $$ >&2; sleep 1000; echo never'\nprocess s :: sink\n"+
		"connect from src.number to c.n\nconnect from c.n to s.sink\n")
	cmd := process(t, "run", "a.pipe")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := 0
	for lines := bufio.NewScanner(errs); lines.Scan(); {
		if pid, ok := strings.CutPrefix(lines.Text(), "c: "); ok {
			if child, err = strconv.Atoi(pid); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Process.Signal(os.Interrupt)
		}
		if strings.HasPrefix(lines.Text(), "stopping: ") {
			_ = cmd.Process.Signal(os.Interrupt)
		}
	}
	if code := exitOf(t, cmd.Wait()); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
	gone(t, child)
}

// waiting is a pipeline with a child and a source that reads a named pipe.
const waiting = "process c :: exec\n  command = sh -c 'echo $$ >&2; exec sleep 1000'\nprocess r :: text_read\n  file_name = fifo\nprocess s :: sink\nprocess t :: sink\n" +
	"connect from c.n to s.sink\nconnect from r.text to t.sink\n"

// TestInterruptWhileWaiting: one interrupt ends a run that reads a named pipe, whether or not a
// writer has opened it, and the run's child.
func TestInterruptWhileWaiting(t *testing.T) {
	need.Slow(t)
	for _, name := range []string{"to open it", "to read it"} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, waiting)
			if err := syscall.Mkfifo("fifo", 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "to read it" {
				f, err := os.OpenFile("fifo", os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
			}
			cmd := process(t, "run", "--scheduler", "sync", "a.pipe")
			errs, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			child := 0
			for lines := bufio.NewScanner(errs); lines.Scan(); {
				if pid, ok := strings.CutPrefix(lines.Text(), "c: "); ok {
					if child, err = strconv.Atoi(pid); err != nil {
						t.Fatal(err)
					}
					time.Sleep(50 * time.Millisecond)
					_ = cmd.Process.Signal(os.Interrupt)
				}
			}
			if code := exitOf(t, cmd.Wait()); code != 130 {
				t.Errorf("exit %d, want 130", code)
			}
			gone(t, child)
		})
	}
}

// gone waits until an orphaned child has ended.
func gone(t *testing.T, child int) {
	t.Helper()
	golden.Until(t, fmt.Sprintf("child %d ends with the run", child), func() bool { return child == 0 || syscall.Kill(child, 0) != nil })
}

// TestFailuresEnd: every failure ends the run with exit code 1 and a message that names the
// process, the step and the place in the file, under every scheduler.
func TestFailuresEnd(t *testing.T) {
	need.Slow(t)
	const source = "process src :: numbers\n  end = 100000\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"child dies", source + "process c :: exec\n  command = sh -c 'read a; read b; echo last words >&2; exit 3'\nconnect from src.number to c.n\n",
			[]string{"error[sprokit/step-failed]: process `c` (exec) failed in step ", "`sh` ended with exit status 3", "`last words`", "--> a.pipe:3:9"}},
		{"child is killed", source + "process c :: exec\n  command = sh -c 'kill -9 $$'\nprocess s :: sink\nconnect from src.number to c.n\nconnect from c.n to s.sink\n",
			[]string{"process `c` (exec) failed in step 1: ", "signal: killed", "--> a.pipe:3:9"}},
		{"child talks nonsense", source + "process c :: exec\n  command = echo hello\nprocess s :: sink\nconnect from src.number to c.n\nconnect from c.n to s.sink\n",
			[]string{"process `c` (exec) failed in step 1: ", "--> a.pipe:3:9"}},
		{"disk is full", source + "process w :: print_number\n  output = /dev/full\nconnect from src.number to w.number\n",
			[]string{"process `w` (print_number) failed in step ", "`/dev/full` cannot be written: no space left on device", "--> a.pipe:3:9"}},
		{"disk is full at the end", "process src :: numbers\n  end = 3\nprocess w :: print_number\n  output = /dev/full\nconnect from src.number to w.number\n",
			[]string{"process `w` (print_number) failed in finalize after step ", "no space left on device"}},
		{"no such program", source + "process c :: exec\n  command = ./nothing\nconnect from src.number to c.n\n",
			[]string{"error[sprokit/setup-failed]: process `c` cannot be set up: ", "`./nothing` cannot be started", "--> a.pipe:4:3"}},
		{"no such folder", source + "process w :: print_number\n  output = no/such/folder/x\nconnect from src.number to w.number\n",
			[]string{"error[sprokit/setup-failed]", "no such file or directory", "--> a.pipe:4:3"}},
		{"no such type", source + "process w :: nowhere\nconnect from src.number to w.number\n",
			[]string{"error[sprokit/unknown-type]", "--> a.pipe:3:14"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.name, "disk") {
				need.File(t, "/dev/full")
			}
			inFolder(t, c.text)
			schedulers := []string{"thread_per_process"}
			if need.Full() {
				schedulers = append(schedulers, "sync", "thread_pool")
			}
			for _, scheduler := range schedulers {
				cmd := process(t, "run", "--scheduler", scheduler, "a.pipe")
				var errs strings.Builder
				cmd.Stdout, cmd.Stderr = io.Discard, &errs
				if code := exitOf(t, cmd.Run()); code != 1 {
					t.Errorf("%s: exit %d, want 1", scheduler, code)
				}
				for _, want := range c.want {
					if !strings.Contains(errs.String(), want) {
						t.Errorf("%s: the message lacks %q:\n%s", scheduler, want, errs.String())
					}
				}
				if strings.Contains(errs.String(), "goroutine ") || strings.Contains(errs.String(), "finished") {
					t.Errorf("%s: that is nothing for users:\n%s", scheduler, errs.String())
				}
			}
		})
	}
}

// TestTraceOnFullDisk: if the trace cannot be written, the run fails.
func TestTraceOnFullDisk(t *testing.T) {
	need.File(t, "/dev/full")
	inFolder(t, "process src :: numbers\nprocess snk :: sink\nconnect from src.number to snk.sink\n")
	cmd := process(t, "run", "--trace", "/dev/full", "a.pipe")
	var errs strings.Builder
	cmd.Stderr = &errs
	if code := exitOf(t, cmd.Run()); code != 1 || !strings.Contains(errs.String(), "the trace cannot be written: no space left on device") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// TestAnswerOnFullDisk: a verb whose output cannot be written fails.
func TestAnswerOnFullDisk(t *testing.T) {
	need.File(t, "/dev/full")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	inFolder(t, "process src :: numbers\nprocess snk :: sink\nconnect from src.number to snk.sink\n")
	for _, args := range [][]string{{"run", "--dry-run", "a.pipe"}, {"types", "list"}, {"types", "show", "exec"}} {
		cmd := process(t, args...)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = full, &errs
		if code := exitOf(t, cmd.Run()); code != 1 || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%v: exit %d: %s", args, code, errs.String())
		}
	}
}
