package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/run/trace/played"
)

// playedRun is a folder with a record, as `trace run` leaves it, and a configuration to ask about.
func playedRun(t *testing.T, text, was, file string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := played.Write("traced", text); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join("traced", "trace_config.txt"): was, "trace_config.txt": file} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "traced"
}

// steps are executions of a region on a rank.
func steps(rank, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d\n0s clock end=0\n", rank)
	for i := range n {
		fmt.Fprintf(&b, "%dms region_begin name=step execution=%d\n%dms region_end name=step execution=%d\n", 2*i+1, i, 2*i+2, i)
	}
	return b.String()
}

// ask runs a verb and returns its exit code, its answer and what it said besides.
func ask(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := Run(Options{}, args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTraceSimulatePrints(t *testing.T) {
	playedRun(t, steps(0, 10)+steps(1, 4), "", "[Lexgion.default]\n    tracing_rate = 3\n[Lexgion(User:step)] : : MPI.rank(0)\n")
	code, out, said := ask("trace", "simulate", "--record", "traced", "trace_config.txt")
	want := `heat: 6 of 28 events, 8,192 bytes, about 276ns of all threads, 0.00133% of the one with most

region  event        traced  of  first  last  bytes  time
step    user_region  6       28  2      8     264    276ns

rank  user_region
0     6
1     0
`
	if code != 0 || out != want || said != "" {
		t.Errorf("%d, said %q, printed\n%s", code, said, out)
	}
	if _, out, _ = ask("trace", "simulate", "--record", "traced", "--units", "trace_config.txt"); !strings.Contains(out, "step    user_region  0     0     0       6       20") || !strings.Contains(out, "1     0     0       0       8") {
		t.Errorf("--units printed\n%s", out)
	}
	// -s is about the configuration that is asked about, and not about the record.
	code, out, said = ask("trace", "simulate", "--record", "traced", "-s", "Lexgion.default.tracing_rate=5", "--format", "json", "trace_config.txt")
	var f forecast.Forecast
	if err := json.Unmarshal([]byte(out), &f); code != 0 || err != nil || f.Traced != 4 || len(f.Ranks) != 2 || f.Ranks[0].Events["user_region"] != 4 || f.Cost.Measured {
		t.Errorf("%d, %v, said %q: %+v", code, err, said, f)
	}
}

func TestTraceRecordRefuses(t *testing.T) {
	playedRun(t, steps(0, 3), "[Lexgion.default]\n    tracing_rate = 2\n", "")
	for _, c := range []struct {
		args []string
		code int
		said string
	}{
		{[]string{"simulate", "trace_config.txt"}, exitMisuse, "give the recorded run with --record"},
		{[]string{"simulate", "--record", "elsewhere", "trace_config.txt"}, exitMisuse, "`elsewhere` holds no trace"},
		{[]string{"simulate", "--record", "traced", "trace_config.txt"}, exitNo, "the record is not complete for `omp_parallel_begin` of OpenMP, which the configuration traces: a rate or limit left some out in other regions; record the run once with every event on, or with --audit"},
		{[]string{"simulate", "--record", "traced", "--as", "upstream", "trace_config.txt"}, exitMisuse, "what an installed PInsight would do is not simulated"},
	} {
		if code, out, said := ask(append([]string{"trace"}, c.args...)...); code != c.code || !strings.Contains(said, c.said) || out != "" {
			t.Errorf("%v: %d, %q, %q; want %d, %q", c.args, code, said, out, c.code, c.said)
		}
	}
	if err := os.Remove(filepath.Join("traced", "trace_config.txt")); err != nil {
		t.Fatal(err)
	}
	if code, _, said := ask("trace", "simulate", "--record", "traced", "trace_config.txt"); code == 0 || !strings.Contains(said, "`traced` has no `trace_config.txt`, which says what was recorded") {
		t.Errorf("%d, %q", code, said)
	}
}
