package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// within checks that --overhead keeps a busy region within the budget: while the program runs, the region is recorded less
// often, the log says so, and the edit suggested at the end has its final rate.
func within(t *testing.T, program string) {
	r := startTraced(t, program, "--overhead", "0.001%", "--config=trace.gaps=false") // with gaps, other rates would be used
	const again = "s  the configuration was read again, and its rates apply\n"
	changes := func() (rates []uint64) {
		text, _ := os.ReadFile(filepath.Join(r.dir, "traced", "overhead.log")) // the file appears with the first change of a rate
		for _, m := range regexp.MustCompile(`(?m)^ *[0-9.]+s  Lexgion\(User:work\) tracing_rate (\d+), was \d+: tracing took .*0\.001 %.*$`).FindAllStringSubmatch(string(text), -1) {
			var rate uint64
			fmt.Sscan(m[1], &rate)
			rates = append(rates, rate)
		}
		if lines := strings.Count(string(text), "\n") - strings.Count(string(text), again); lines != len(rates) {
			t.Fatalf("a line of the log is not understood:\n%s", text)
		}
		return rates
	}
	r.wait("a change of a rate", func() bool { return len(changes()) > 0 })
	r.wait("a region that is recorded less often", func() bool {
		rates := changes()
		return slices.ContainsFunc(steady(executions(r.dir)), func(rate uint64) bool { return rate > 1 && slices.Contains(rates, rate) })
	})
	// After a reload, the rates of the file apply at first.
	r.file("again.txt", "# as it was\n")
	before := len(changes())
	if code, said := r.reload("again.txt"); code != 0 {
		t.Errorf("the reload ended with %d and said %s; want 0", code, said)
	}
	r.wait("the rate once more", func() bool { return len(changes()) > before })
	if text, err := os.ReadFile(filepath.Join(r.dir, "traced", "overhead.log")); err != nil || strings.Count(string(text), again) != 1 {
		t.Errorf("the log does not say that rates are those of the configuration: %s, %v", text, err)
	}
	if _, late := r.end(); late > 1 {
		t.Errorf("`late` was recorded %d times, want at most 1", late)
	}
	rates := changes()
	for _, rate := range steady(executions(r.dir)) {
		if rate != 1 && !slices.Contains(rates, rate) {
			t.Errorf("a rate of %d is in the trace and not in the log, which has %v", rate, rates)
		}
	}
	said := r.err.String()
	for _, want := range []string{
		fmt.Sprintf("%d change", len(rates)), "in `traced/overhead.log`", "+++ trace_config.txt", "+[Lexgion(User:work)]", fmt.Sprintf("+    tracing_rate = %d", slices.Max(rates)),
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it did not say %q:\n%s", want, said)
		}
	}
	if text, err := os.ReadFile(filepath.Join(r.dir, "trace_config.txt")); err != nil || len(text) > 0 {
		t.Errorf("the configuration was written: %s, %v", text, err)
	}
}

// withGaps checks that executions are left out in gaps, that a message at the end says how many gaps there are and what they
// show, and that the trace is marked as having gaps, so that it cannot be used for forecasts.
func withGaps(t *testing.T, program string) {
	r := startTraced(t, program, "--overhead", "1%")
	r.wait("gaps with executions, more than there are in a second", func() bool {
		reader, err := ctf.Open(filepath.Join(r.dir, "traced", "ctf"))
		if err != nil {
			return false
		}
		gaps := 0
		for _, stream := range reader.Streams {
			for o, err := range reader.Events(stream) {
				if err != nil {
					return false
				}
				if agent.Records[o.Event].Name == "gap_end" && o.Fields[1].Number > 0 {
					gaps++
				}
			}
		}
		return gaps > 11
	})
	r.end()
	said := r.err.String()
	for _, want := range []string{`(?m)^gaps of 4ms have left [0-9,]+ executions? out of the trace; ` + "`gaps = false`" + ` in ` + "`\\[trace\\]`" + ` of pentode.toml makes no gaps$`, `(?m)^.*\d+ gaps .*(recording|it).*$`} {
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("it did not say %q:\n%s", want, said)
		}
	}
	if text, err := os.ReadFile(filepath.Join(r.dir, "traced", "overhead.log")); err != nil || !strings.Contains(string(text), " gaps ") {
		t.Errorf("the log is %s, %v", text, err)
	}
	cmd := r.pentode("trace", "forecast", "--record", "traced", "trace_config.txt")
	if out, err := cmd.CombinedOutput(); exitOf(t, err) == 0 || !strings.Contains(string(out), "the run was recorded with gaps, and what began in them is not known; record it without --overhead, or with `gaps = false` in `[trace]` of pentode.toml") {
		t.Errorf("a forecast from it: %s; want exitOf(t, err) other than 0 and %q in out", out, "the run was recorded with gaps, and what began in them is not known; record it without --overhead, or with `gaps = false` in `[trace]` of pentode.toml")
	}
}

// executions returns the numbers of the executions of `work` in the trace of a folder so far.
func executions(dir string) (list []uint64) {
	reader, err := ctf.Open(filepath.Join(dir, "traced", "ctf"))
	if err != nil {
		return nil
	}
	for _, stream := range reader.Streams {
		for o, err := range reader.Events(stream) {
			if err != nil {
				return list
			}
			if agent.Records[o.Event].Name == "region_begin" && o.Fields[0].Text == "work" {
				list = append(list, o.Fields[1].Number)
			}
		}
	}
	return list
}

// steady returns the distances between successive executions that occur twice in a row.
func steady(executions []uint64) (steps []uint64) {
	for i := 2; i < len(executions); i++ {
		step := executions[i] - executions[i-1]
		if step == executions[i-1]-executions[i-2] && !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	return steps
}

func TestTraceOverheadRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, flags := range map[string][]string{
		"--overhead takes a share such as 1%, not `much`": {"--overhead", "much"},
		"--audit records every event at any rate":         {"--overhead", "1%", "--audit"},
		"--overhead works only in the documented dialect": {"--overhead", "1%", "--as", "upstream"},
	} {
		code, _, said := pentode(t, append(append([]string{"trace", "record"}, flags...), "--", "true")...)
		if code != 2 || !strings.Contains(said, want) {
			t.Errorf("%v: %d, %s; want code = 2 and %q in said", flags, code, said, want)
		}
	}
}
