package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// manyEvents is a trace of two ranks with many short regions, a few long ones, and a parallel region with two kinds of
// events.
func manyEvents() string {
	var b strings.Builder
	for rank := range 2 {
		fmt.Fprintf(&b, "rank %d\n0s clock end=0\n", rank)
		at := 0
		event := func(format string, args ...any) {
			at += 10
			fmt.Fprintf(&b, "%dus %s\n", at, fmt.Sprintf(format, args...))
		}
		for i := range 50 {
			event("region_begin name=step execution=%d", i)
			for j := range 20 {
				event("region_begin name=cell execution=%d", 20*i+j)
				event("region_end name=cell execution=%d", 20*i+j)
			}
			event("parallel_begin parallel_codeptr=0x10 parallel_record_id=%d", i)
			event("implicit_task_begin parallel_codeptr=0x10 parallel_record_id=%d", i)
			event("implicit_task_end parallel_codeptr=0x10 parallel_record_id=%d", i)
			event("parallel_end parallel_codeptr=0x10 parallel_record_id=%d", i)
			event("region_end name=step execution=%d", i)
		}
	}
	return "place 0x10 relax /src/heat.c:12\n" + b.String()
}

const budgeted = "# what is traced\n[OpenMP.default]\n    omp_work = off\n"

// TestTraceBudget: `trace forecast --budget` finds the smallest change that keeps a budget, shows what it loses, and
// writes it with -w.
func TestTraceBudget(t *testing.T) {
	need.Slow(t)
	playedRun(t, manyEvents(), budgeted, budgeted)
	budget := func(args ...string) (int, string, string) {
		return ask(append([]string{"trace", "forecast", "--record", "traced"}, append(args, "trace_config.txt")...)...)
	}
	code, out, said := budget("--budget", "bytes=1GB,overhead=50%")
	if code != 0 || !strings.Contains(out, "this keeps the budget of 50 % and 1GB") || said != "" {
		t.Errorf("%d, %s, %s; want code = 0, %q in out and said = nothing", code, out, said, "this keeps the budget of 50 % and 1GB")
	}
	// A tracing rate for the most frequent region is enough, and loses least.
	code, out, said = budget("--budget", "bytes=100KB")
	for _, want := range []string{"+[Lexgion(User:cell)]", "+    tracing_rate = ", "no longer traced:", "cell    user_region"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d, %s, and not %q:\n%s", code, said, want, out)
		}
	}
	if strings.Contains(out, "step    user_region") || strings.Count(out, "\n+") != 4 {
		t.Errorf("more than one region changes:\n%s", out)
	}
	if text, err := os.ReadFile("trace_config.txt"); err != nil || string(text) != budgeted {
		t.Errorf("without -w the file has changed: %v, %s", err, text)
	}
	// If reducing the rate would lose too many events, max_num_traces limits them instead.
	code, out, said = budget("--budget", "bytes=180KB", "--keep", "relax")
	if code != 0 || !strings.Contains(out, "+[Lexgion(User:cell)]\n+    max_num_traces = ") || strings.Count(out, "\n+") != 4 {
		t.Errorf("%d, %s, %s; want code = 0, %q in out and strings.Count(out, \"\\n+\") = 4", code, out, said, "+[Lexgion(User:cell)]\n+    max_num_traces = ")
	}
	// Regions named by --keep are not reduced; other regions are.
	code, out, said = budget("--budget", "bytes=100KB", "--keep", "cell")
	if code != 1 || !strings.Contains(said, "the budget of 100KB cannot be kept: this is still ") || !strings.Contains(said, "Events of --keep") {
		t.Errorf("%d, %s, %s; want code = 1, %q in said and %q in said", code, out, said, "the budget of 100KB cannot be kept: this is still ", "Events of --keep")
	}
	code, out, said = budget("--budget", "bytes=210KB", "--keep", "cell")
	if code != 0 || strings.Contains(out, "cell    user_region") || !strings.Contains(out, "with this change") {
		t.Errorf("%d, %s, %s; want code = 0, no %q in out and %q in out", code, out, said, "cell    user_region", "with this change")
	}
	if code, _, said = budget("--budget", "bytes=10KB", "--keep", "cel"); code == 0 || !strings.Contains(said, "no event and no region `cel`; did you mean `cell`?") {
		t.Errorf("%d, %s; want code other than 0 and %q in said", code, said, "no event and no region `cel`; did you mean `cell`?")
	}
	// After -w, the file keeps the budget.
	if code, out, said = budget("--budget", "bytes=100KB", "-w"); code != 0 {
		t.Fatalf("%d, %s, %s; want 0", code, out, said)
	}
	if code, out, said = budget("--budget", "bytes=100KB", "--check"); code != 0 || !strings.Contains(out, "this keeps the budget of 100KB") {
		t.Errorf("%d, %s, %s; want code = 0 and %q in out", code, out, said, "this keeps the budget of 100KB")
	}
	// The budget can also be a share of the run time.
	code, out, said = budget("--budget", "overhead=0.1%")
	if code != 0 || !strings.Contains(out, "with this change") {
		t.Errorf("%d, %s, %s; want code = 0 and %q in out", code, out, said, "with this change")
	}
	code, _, said = budget("--budget", "overhead=0.0001%")
	if code != 1 || !strings.Contains(said, "events are not recorded and still cost 3 ns each, until their domain is OFF") {
		t.Errorf("%d, %s; want code = 1 and %q in said", code, said, "events are not recorded and still cost 3 ns each, until their domain is OFF")
	}
}

// TestTraceBudgetCheck: --check fails if a configuration exceeds the budget in the project file.
func TestTraceBudgetCheck(t *testing.T) {
	playedRun(t, manyEvents(), "", "")
	check := func() (int, string, string) {
		return ask("trace", "forecast", "--record", "traced", "--budget", "project", "--check", "trace_config.txt")
	}
	if code, _, said := check(); code != exitMisuse || !strings.Contains(said, "pentode.toml has no budget: expected `overhead` or `bytes` in `[trace]`") {
		t.Errorf("%d, %s; want code = %v and %q in said", code, said, exitMisuse, "pentode.toml has no budget: expected `overhead` or `bytes` in `[trace]`")
	}
	for text, want := range map[string]int{"[trace]\nbytes = \"1MB\"\n": 0, "[trace]\nbytes = \"1KB\"\n": exitNo, "[trace]\noverhead = \"90%\"\n": 0, "[trace]\noverhead = \"0.01%\"\n": exitNo} {
		if err := os.WriteFile("pentode.toml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, said := check()
		if code != want || (code == exitNo) != strings.Contains(said, "times the budget of ") {
			t.Errorf("%s: %d, %s, %s; want code = %v and (code == exitNo) = %v", text, code, out, said, want, strings.Contains(said, "times the budget of "))
		}
	}
	for flag, want := range map[string]string{
		"--budget=overhead=much": "--budget takes overhead=1%,bytes=2GB, one of them, or project, not `overhead=much`",
		"--budget=bytes=0":       "--budget takes overhead=1%,bytes=2GB, one of them, or project, not `bytes=0`",
		"-w":                     "--check never changes the file",
	} {
		if code, _, said := ask("trace", "forecast", "--record", "traced", "--budget", "project", "--check", flag, "trace_config.txt"); code != exitMisuse || !strings.Contains(said, want) {
			t.Errorf("%s: %d, %s; want code = %v and %q in said", flag, code, said, exitMisuse, want)
		}
	}
}
