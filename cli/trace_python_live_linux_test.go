package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// pythonProgram writes the text to program.py and returns the command that runs it. It does not use a `#!` line,
// because the path of the interpreter may contain a blank.
func pythonProgram(t *testing.T, python, text string) string {
	t.Helper()
	dir := t.TempDir()
	command, program := filepath.Join(dir, "command"), filepath.Join(dir, "program.py")
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(command, []byte("#!/bin/sh\nexec '"+python+"' '"+program+"' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return command
}

// TestTracePythonReload: a reload can switch off the functions of a running Python program and another can switch
// them on, even if the interpreter no longer reports them.
func TestTracePythonReload(t *testing.T) {
	pythons := append([]string{need.Python(t)}, filepath.SplitList(os.Getenv("PENTODE_PYTHON"))...)
	need.Compiler(t, "cc")
	for _, python := range pythons {
		t.Run(filepath.Base(python), func(t *testing.T) {
			program := pythonProgram(t, python, `
import os
import time


def early():
    pass


def quiet():
    pass


def late():
    pass


def until(file, *functions):
    while not os.path.exists(file):
        time.sleep(0.002)
    for f in functions:
        f()
    print(file, flush=True)


early()
print("begun", flush=True)
until("asleep", early, quiet)
until("end", early, quiet, late)
`)
			r := startTraced(t, program)
			r.begun()
			for _, step := range []struct{ file, mode string }{{"asleep", "STANDBY"}, {"end", "TRACING"}} {
				r.file(step.mode, "[Python.default]\n    trace_mode = "+step.mode+"\n")
				if code, said := r.reload(step.mode); code != 0 || !strings.Contains(said, "`Python.default` trace_mode: ") {
					t.Fatalf("the reload ended with %d and said %s; want code = 0 and %q in said", code, said, "`Python.default` trace_mode: ")
				}
				r.file(step.file, "")
				r.wait("an answer to "+step.file, func() bool { return strings.Contains(r.out.String(), step.file) })
			}
			if err := r.cmd.Wait(); err != nil {
				t.Fatalf("%v: %s", err, r.err.String())
			}
			got := countIn(t, filepath.Join(r.dir, "traced", "ctf"), "function_begin")
			if got["early"] != 2 || got["quiet"] != 1 || got["late"] != 1 {
				t.Errorf("early, quiet and late are in the trace %d, %d and %d times, want 2, 1 and 1", got["early"], got["quiet"], got["late"])
			}
		})
	}
}

// TestTracePythonOverhead: --overhead reduces the rate of a Python function, so that the trace has it less often, and
// shows the edit with that rate.
func TestTracePythonOverhead(t *testing.T) {
	need.Slow(t)
	python := need.Python(t)
	need.Compiler(t, "cc")
	program := pythonProgram(t, python, `
import os
import time


def work():
    pass


while not os.path.exists("end"):
    work()
    time.sleep(0.001)
`)
	r := startTraced(t, program, "--overhead", "0.0001%", "--config=trace.gaps=false")
	changed := regexp.MustCompile(`Lexgion\(Python:program.py:work\) tracing_rate (\d+), was 1: tracing took `)
	var rate string
	r.wait("a change of a rate", func() bool {
		text, _ := os.ReadFile(filepath.Join(r.dir, "traced", "overhead.log")) // the file appears with the first change of a rate
		m := changed.FindSubmatch(text)
		if m == nil {
			return false
		}
		rate = string(m[1])
		return true
	})
	r.wait("a function that is recorded so often", func() bool {
		var list []uint64
		reader, err := ctf.Open(filepath.Join(r.dir, "traced", "ctf"))
		if err != nil {
			return false
		}
		for _, stream := range reader.Streams {
			for o, err := range reader.Events(stream) {
				if err != nil {
					break
				}
				if agent.Records[o.Event].Name == "function_begin" && o.Fields[0].Text == "work" {
					list = append(list, o.Fields[4].Number)
				}
			}
		}
		return slices.ContainsFunc(steady(list), func(step uint64) bool { return fmt.Sprint(step) == rate })
	})
	r.end()
	if said := r.err.String(); !strings.Contains(said, "+[Lexgion(Python:program.py:work)]\n") {
		t.Errorf("it said %s; want %q in it", said, "+[Lexgion(Python:program.py:work)]\n")
	}
}
