package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// boundPrograms are programs with regions, marks and knobs, one in each language, with the commands
// that build and run them. Each executes `step` three times, leaves one of them through an error if
// the language has exceptions, sets a mark the second time, and prints the values of its knobs.
var boundPrograms = []struct{ language, compiler, file, text, build, run string }{
	{"C", "gcc", "main.c", `#include <stdio.h>
#include "pentode_trace.h"
int main(void)
{
	for (int i = 0; i < 3; i++) {
		pentode_region_begin("step");
		if (i == 1)
			pentode_mark("checkpoint");
		pentode_region_end("step");
	}
	printf("%d %g %s\n", pentode_knob_int("depth", 4), pentode_knob_double("factor", 0.5), pentode_knob_string("name", "none"));
}
`, "gcc -Wall -Wextra -Werror main.c -o program", "./program"},
	{"Fortran", "gfortran", "main.f90", `program main
  use pentode_trace
  implicit none
  integer :: i
  character(len=20) :: padded = "step"
  do i = 1, 3
    call pentode_region_begin(padded)
    if (i == 2) call pentode_mark("checkpoint")
    call pentode_region_end("step")
  end do
  print '(i0, 1x, f3.1, 1x, a)', pentode_knob_int("depth", 4), pentode_knob_double("factor", 0.5d0), &
    pentode_knob_string("name", "none")
end program main
`, "gfortran -std=f2008 -Wall -Wextra -Werror pentode_trace.f90 main.f90 -o program", "./program"},
	{"C++", "g++", "main.cc", `#include "pentode_trace.h"
#include <cstdio>
static void step(int n)
{
	pentode::region whole("step");
	if (n == 1) {
		pentode_mark("checkpoint");
		throw n;
	}
}
int main()
{
	for (int i = 0; i < 3; i++)
		try {
			step(i);
		} catch (int) {
		}
	std::printf("%d %g %s\n", pentode_knob_int("depth", 4), pentode_knob_double("factor", 0.5), pentode_knob_string("name", "none"));
}
`, "g++ -std=c++11 -Wall -Wextra -Werror main.cc -o program", "./program"},
	{"Python", "python3", "main.py", `from pentode import trace

@trace.region("step")
def step(n):
    if n == 1:
        trace.mark("checkpoint")
        raise ValueError

for i in range(3):
    try:
        step(i)
    except ValueError:
        pass
print(trace.knob("depth", 4), f"{trace.knob('factor', 0.5):g}", trace.knob("name", "none"))
`, "", "python3 main.py"},
}

// TestTraceBindings: programs in every language can use regions, marks and knobs. Without a tracer,
// the programs behave the same.
func TestTraceBindings(t *testing.T) {
	sources, err := filepath.Abs(filepath.Join("..", "python"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range boundPrograms {
		t.Run(p.language, func(t *testing.T) {
			if p.language != "C" {
				need.Slow(t)
			}
			need.Program(t, p.compiler, "--version")
			need.Compiler(t, "cc") // for building the tracer
			dir := t.TempDir()
			for name, text := range map[string]string{
				"pentode_trace.h": string(agent.Header), "pentode_trace.f90": string(agent.Fortran), p.file: p.text, "trace_config.txt": "[Python.default]\n    trace_mode = OFF\n\n[Knob]\n    depth = 7\n    factor = 2.5\n    name = fine\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			call := func(command string) string {
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), noRaceNap, "XDG_RUNTIME_DIR="+dir, "PYTHONPATH="+sources, "PYTHONDONTWRITEBYTECODE=1")
				var said strings.Builder
				cmd.Stderr = &said
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v\n%s", command, err, said.String())
				}
				return string(out)
			}
			if p.build != "" {
				call(p.build)
			}
			if got := call(p.run); got != "4 0.5 none\n" {
				t.Errorf("untraced it printed %q, want %q", got, "4 0.5 none\n")
			}
			if got := call("pentode trace record -o traced --policy trace_config.txt -- " + p.run + " 2>said"); got != "7 2.5 fine\n" {
				t.Errorf("traced it printed %q, want %q", got, "7 2.5 fine\n")
			}
			// three begins, three ends, and a mark
			if said, err := os.ReadFile(filepath.Join(dir, "said")); err != nil || !strings.Contains(string(said), ": 7 events of 1 thread\n") {
				t.Errorf("it said %s, %v", said, err)
			}
			if got := regionsIn(t, filepath.Join(dir, "traced", "ctf")); fmt.Sprint(got) != "map[step:3]" {
				t.Errorf("the regions are %v, want %q", got, "map[step:3]")
			}
			call("pentode trace export --to perfetto -o trace.json traced")
			if text, err := os.ReadFile(filepath.Join(dir, "trace.json")); err != nil || strings.Count(string(text), `{"name":"checkpoint","ph":"i"`) != 1 {
				t.Errorf("%v: the mark is not in %s", err, text)
			}
		})
	}
}
