package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestTraceBacktrace: a section can request the call stacks that led to a region, and the export
// formats with stacks show them by function name.
func TestTraceBacktrace(t *testing.T) {
	r := &liveProgram{t: t, dir: t.TempDir()}
	buildTraced(t, need.Compiler(t, "cc"), "stacks.c", filepath.Join(r.dir, "program"), "-O2")
	r.file("trace_config.txt", "[Lexgion(send)]\n    backtrace = 4\n")
	if out, err := r.pentode("check", "trace_config.txt").CombinedOutput(); err != nil || !strings.Contains(string(out), "an installed PInsight ignores this line: it records no calls") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := r.pentode("trace", "record", "-o", "traced", "--policy", "trace_config.txt", "--", "./program", "2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for format, want := range map[string]string{
		"folded":     `(?m)^process \d+;thread 0;step;main;solve;step;send;send \d+$`,
		"speedscope": `\{"name":"solve","file":".*stacks.c","line":\d+\}`,
		"perfetto":   `\{"name":"send","ph":"B",.*"calls":\["stacks.c:\d+ in ` + "`main`" + `","stacks.c:\d+ in ` + "`solve`" + `","stacks.c:\d+ in ` + "`step`" + `","in ` + "`send`" + `"\]`,
		"otlp":       `"code.stacktrace","value":\{"stringValue":"in ` + "`send`" + `\\nstacks.c`,
	} {
		if out, err := r.pentode("trace", "export", "--to", format, "-o", format, "traced").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(filepath.Join(r.dir, format))
		if err != nil || !regexp.MustCompile(want).Match(text) {
			t.Errorf("%s: %v\n%s\nwant %s", format, err, text, want)
		}
	}
}

// TestTraceBacktraceCounts: a recorded call stack is stored like an event, but no verb counts it as
// one.
func TestTraceBacktraceCounts(t *testing.T) {
	need.Slow(t)
	r := &liveProgram{t: t, dir: t.TempDir()}
	buildTraced(t, need.Compiler(t, "cc"), "stacks.c", filepath.Join(r.dir, "program"), "-O2")
	r.file("none.txt", "")
	r.file("calls.txt", "[Lexgion.default]\n    backtrace = 4\n")
	counts := func(config string) (list []string) {
		for _, args := range [][]string{
			{"trace", "record", "-o", config + ".out", "--policy", config, "--", "./program", "2"},
			{"trace", "report", config + ".out"},
			{"trace", "merge", "-o", config + ".merged", config + ".out"},
		} {
			out, err := r.pentode(args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%q: %v\n%s", args, err, out)
			}
			list = append(list, regexp.MustCompile(`\d+ events`).FindString(string(out)))
		}
		return list
	}
	without, with := counts("none.txt"), counts("calls.txt")
	if !slices.Equal(without, with) || slices.Contains(with, "") {
		t.Errorf("%q without the calls, %q with them", without, with)
	}
	if out, err := r.pentode("trace", "export", "--to", "csv", "-o", "calls.csv", "calls.txt.out").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(filepath.Join(r.dir, "calls.csv")); err != nil || !strings.Contains(string(text), "pentode:backtrace") {
		t.Errorf("%v, and the calls are not in\n%s", err, text)
	}
}
