package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// playedRun writes a folder with a recorded run, as `trace record` leaves it, and another configuration to
// apply to the run.
func playedRun(t *testing.T, text, was, file string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // saved measurements of this machine must not affect the test
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

// steps describes n executions of a region on a rank.
func steps(rank, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "rank %d\n0s clock end=0\n", rank)
	for i := range n {
		fmt.Fprintf(&b, "%dms region_begin name=step execution=%d\n%dms region_end name=step execution=%d\n", 2*i+1, i, 2*i+2, i)
	}
	return b.String()
}

// ask runs a verb and returns its exit code, its output and its messages.
func ask(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := Run(Options{}, args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTraceSimulatePrints(t *testing.T) {
	playedRun(t, steps(0, 10)+steps(1, 4), "", "[Lexgion.default]\n    tracing_rate = 3\n[Lexgion(User:step)] : : MPI.rank(0)\n")
	code, out, said := ask("trace", "forecast", "--record", "traced", "trace_config.txt")
	want := `heat: 6 of 28 events, 8,192 bytes, about 276 ns of all threads, 0.0013 % of the thread with the most

region  event        traced  of  first  last  bytes    time
step    user_region       6  28      2     8    264  276 ns

rank  user_region
   0            6
   1            0
`
	if code != 0 || out != want || said != "" {
		t.Errorf("%d, said %q, printed\n%s\nwant code = 0, out = %v and said = nothing", code, said, out, want)
	}
	if _, out, _ = ask("trace", "forecast", "--record", "traced", "--by", "unit", "trace_config.txt"); !strings.Contains(out, "step    user_region     0     0       0       6  20") || !strings.Contains(out, "   1     0       0       0   8") {
		t.Errorf("--by unit printed\n%s\nwant %q in out and %q in out", out, "step    user_region     0     0       0       6  20", "   1     0       0       0   8")
	}
	// -s changes the configuration that the forecast is for, not the one that the run was recorded with.
	code, out, said = ask("trace", "forecast", "--record", "traced", "-s", "Lexgion.default.tracing_rate=5", "--format", "json", "trace_config.txt")
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
		{[]string{"forecast", "trace_config.txt"}, exitMisuse, "give the recorded run with --record"},
		{[]string{"forecast", "--record", "elsewhere", "trace_config.txt"}, exitMisuse, "`elsewhere` contains no trace"},
		{[]string{"forecast", "--record", "traced", "trace_config.txt"}, exitNo, "the record is not complete for `omp_parallel_begin` of OpenMP, which the configuration traces: a rate or limit left some out in other regions; record the run once with every event on, or with --audit"},
		{[]string{"forecast", "--record", "traced", "--as", "upstream", "trace_config.txt"}, exitMisuse, "only the documented meaning of a configuration can be applied to a record"},
		{[]string{"decide", "--record", "traced"}, exitMisuse, "--record and --at need each other"},
		{[]string{"decide", "--record", "traced", "--at", "stream_0_0"}, exitMisuse, "--at takes STREAM:INDEX"},
		{[]string{"decide", "--record", "traced", "--at", "stream_0_0:1", "--event", "omp_work"}, exitMisuse, "leave --region and --event out"},
		{[]string{"decide", "--record", "traced", "--at", "stream_0_0:1", "--format", "json"}, exitMisuse, "an event of a record is explained as text only: leave --format out"},
		{[]string{"decide", "--record", "traced", "--at", "stream_0_0:0"}, exitNo, "it is `pentode:clock`, which no configuration decides about"},
		{[]string{"decide", "--record", "traced", "--at", "stream_0_0:7"}, exitMisuse, "the stream `stream_0_0` has the events 0 to 6, but no event 7"},
		{[]string{"decide", "--record", "traced", "--at", "stream_9:7"}, exitMisuse, "`traced` has no stream `stream_9`"},
	} {
		if code, out, said := ask(append([]string{"trace"}, c.args...)...); code != c.code || !strings.Contains(said, c.said) || out != "" {
			t.Errorf("%v: %d, %q, %q; want %d, %q", c.args, code, said, out, c.code, c.said)
		}
	}
	if err := os.Remove(filepath.Join("traced", "trace_config.txt")); err != nil {
		t.Fatal(err)
	}
	if code, _, said := ask("trace", "forecast", "--record", "traced", "trace_config.txt"); code == 0 || !strings.Contains(said, "`traced` has no `trace_config.txt`, the configuration of the recording") {
		t.Errorf("%d, %q; want code other than 0 and %q in said", code, said, "`traced` has no `trace_config.txt`, the configuration of the recording")
	}
}

// TestTraceExplainRecorded: for an event of a record, the verb shows the lines that let it through, and the
// lines that left out its neighbours.
func TestTraceExplainRecorded(t *testing.T) {
	events := `place 0x10 relax /src/heat.c:12
rank 3
0s clock end=0
1ms region_begin name=step execution=5
2ms region_end name=step execution=5
3ms region_begin name=step execution=8
4ms region_end name=step execution=8
5ms work_begin parallel_codeptr=0x10 parallel_record_id=5
`
	playedRun(t, events, "[OpenMP.default]\n    omp_masked = off\n[Lexgion.default]\n    trace_starts_at = 4\n    tracing_rate = 3\n    max_num_traces = 7\n[User.default]\n    user_mark = off\n[Lexgion(relax)]\n    omp_work = on\n",
		"[Lexgion(step)]\n    tracing_rate = 4\n[Lexgion(relax)]\n    omp_work = off\n")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"stream_3_0:1"}, []string{
			"stream_3_0:1: `user_region` of step, execution 5, rank 3, team 0, thread 0: pentode:region_begin", "traced: 1 in 3 executions",
			"executions 0 to 3  trace_starts_at = 4  Lexgion.default  traced/trace_config.txt:4:5",
			"execution 4        tracing_rate = 3     Lexgion.default  traced/trace_config.txt:5:5",
			"executions 6 to 7  tracing_rate = 3", "user_mark          user_mark = off      User.default     traced/trace_config.txt:8:5",
		}},
		{[]string{"stream_3_0:3"}, []string{"executions 6 to 7", "executions after the last  max_num_traces = 7  Lexgion.default  traced/trace_config.txt:6:5"}},
		{[]string{"stream_3_0:5"}, []string{"heat.c:12 in `relax` (0x10), execution 5", "event  on       Lexgion(relax)   traced/trace_config.txt:10:5", "omp_masked"}},
		{[]string{"stream_3_0:1", "trace_config.txt"}, []string{"execution 5 is left out by the rate", "Lexgion(step)   trace_config.txt:2:5"}},
		{[]string{"stream_3_0:5", "trace_config.txt"}, []string{"not traced: the event is off", "event  off      Lexgion(relax)  trace_config.txt:4:5"}},
	} {
		code, out, said := ask(append([]string{"trace", "decide", "--explain", "--record", "traced", "--at"}, c.args...)...)
		for _, w := range c.want {
			if code != 0 || !strings.Contains(out, w) {
				t.Errorf("%v: %d, %s, and not %q:\n%s", c.args, code, said, w, out)
			}
		}
	}
}
