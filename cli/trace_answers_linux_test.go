package cli_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/report"
)

// between is the possible range of a duration that the program has measured itself. A program reads the clock before and after a call: low is
// the time between its inner readings, and high the time between its outer ones.
type between struct{ low, high float64 }

func (b between) plus(c between) between  { return between{b.low + c.low, b.high + c.high} }
func (b between) minus(c between) between { return between{b.low - c.high, b.high - c.low} }

// holds reports whether a duration in the trace lies in the range. It allows some slack, because the kernel continuously adjusts the two clocks
// to each other.
func (b between) holds(n float64) bool {
	slack := 2e3 + 0.01*math.Abs(n)
	return n >= b.low-slack && n <= b.high+slack
}

// execution is one execution of a region, as the program has measured it.
type execution struct {
	region string
	thread string // thread, with its process
	at     [4]float64
	took   between
	inside between // time in regions directly inside this one
	alone  bool    // no execution of the same region is around it
}

// answers reads the executions that a process has measured.
func answers(t *testing.T, path, process string) []*execution {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []*execution
	for line := range strings.Lines(string(text)) {
		x := &execution{alone: true}
		var thread int
		if _, err := fmt.Sscan(line, &x.region, &thread, &x.at[0], &x.at[1], &x.at[2], &x.at[3]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		x.thread = process + ", " + strconv.Itoa(thread)
		x.took = between{x.at[2] - x.at[1], x.at[3] - x.at[0]}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b *execution) int { return cmp.Compare(a.at[0], b.at[0]) })
	open := map[string][]*execution{}
	for _, x := range list {
		stack := open[x.thread]
		for len(stack) > 0 && stack[len(stack)-1].at[3] <= x.at[0] {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			around := stack[len(stack)-1]
			around.inside = around.inside.plus(x.took)
			x.alone = !slices.ContainsFunc(stack, func(o *execution) bool { return o.region == x.region })
		}
		open[x.thread] = append(stack, x)
	}
	return list
}

// answer is what the report must contain for some executions.
type answer struct {
	count              int
	total, self, waste between
	longest, median    between
	p99, mean, spread  between
	threads            int
	slowest            string // the slowest thread; empty: too close to tell
	imbalance          between
}

func answerOf(list []*execution) answer {
	a := answer{count: len(list)}
	byThread := map[string]between{}
	side := func(of func(between) float64) (sorted []float64, sum float64) {
		for _, x := range list {
			sorted = append(sorted, of(x.took))
			sum += of(x.took)
		}
		slices.Sort(sorted)
		return sorted, sum
	}
	for _, x := range list {
		a.self = a.self.plus(x.took.minus(x.inside))
		byThread[x.thread] = byThread[x.thread].plus(between{})
		if x.alone {
			a.total = a.total.plus(x.took)
			byThread[x.thread] = byThread[x.thread].plus(x.took)
		}
	}
	low, lows := side(func(b between) float64 { return b.low })
	high, highs := side(func(b between) float64 { return b.high })
	n := float64(len(list))
	at := func(part float64) between {
		i := min(int(part*n), len(low)-1)
		return between{0.99 * low[i], 1.01 * high[i]}
	}
	a.longest = between{low[len(low)-1], high[len(high)-1]}
	a.median, a.p99 = at(0.5), at(0.99)
	a.mean = between{lows / n, highs / n}
	a.spread = spreadOf(list, highs/n)
	a.threads = len(byThread)
	most := between{}
	for _, b := range byThread {
		most = between{max(most.low, b.low), max(most.high, b.high)}
	}
	for name, b := range byThread {
		others := slices.DeleteFunc(slices.Collect(mapValues(byThread, name)), func(o between) bool { return o.high < b.low })
		if len(others) == 0 && len(byThread) > 1 {
			a.slowest = name
		}
	}
	k := float64(a.threads)
	a.waste = between{max(0, most.low*k-a.total.high), most.high*k - a.total.low}
	if a.total.low > 0 {
		a.imbalance = between{max(0, most.low*k/a.total.high-1), most.high*k/a.total.low - 1}
	}
	return a
}

// mapValues yields all values but that of one key.
func mapValues(m map[string]between, without string) func(func(between) bool) {
	return func(yield func(between) bool) {
		for name, b := range m {
			if name != without && !yield(b) {
				return
			}
		}
	}
}

// spreadOf returns bounds of the standard deviation: the deviation of the upper times, plus or minus the deviation of the differences between
// upper and lower times.
func spreadOf(list []*execution, mean float64) between {
	if len(list) < 2 {
		return between{}
	}
	squares, off := 0.0, 0.0
	for _, x := range list {
		squares += (x.took.high - mean) * (x.took.high - mean)
		off += (x.took.high - x.took.low) * (x.took.high - x.took.low)
	}
	n := float64(len(list) - 1)
	s, d := math.Sqrt(squares/n), math.Sqrt(off/n)
	return between{s - d, s + d}
}

// check compares each column of a report row with what the program has measured.
func (a *answer) check(t *testing.T, row *report.Row, process func(slowest string) string) {
	t.Helper()
	if int(row.Count) != a.count || row.Threads != a.threads {
		t.Errorf("%s: %d executions by %d threads, want %d by %d, as the program has them", row.Name, row.Count, row.Threads, a.count, a.threads)
	}
	for column, c := range map[string]struct {
		have int64
		want between
	}{
		"total": {row.Total, a.total}, "self": {row.Self, a.self}, "longest": {row.Longest, a.longest}, "median": {row.Median, a.median},
		"p99": {row.P99, a.p99}, "mean": {row.Mean, a.mean}, "spread": {row.Spread, a.spread}, "waste": {row.Waste, a.waste},
	} {
		if !c.want.holds(float64(c.have)) {
			t.Errorf("%s: %s is %d ns, the program has measured %.0f to %.0f", row.Name, column, c.have, c.want.low, c.want.high)
		}
	}
	if row.Imbalance < a.imbalance.low-0.03 || row.Imbalance > a.imbalance.high+0.03 {
		t.Errorf("%s: the imbalance is %g, the program has measured %g to %g; want %g to %g", row.Name, row.Imbalance, a.imbalance.low, a.imbalance.high, a.imbalance.low-0.03, a.imbalance.high+0.03)
	}
	// The tracer numbers the threads of a process in the order in which they first appear.
	first := func(thread string) string {
		process, number, _ := strings.Cut(thread, ", ")
		return fmt.Sprintf("%s, the first thread: %t", process, number == "0")
	}
	if have := process(row.Slowest); a.slowest != "" && first(have) != first(a.slowest) {
		t.Errorf("%s: %s is the slowest, the program has %s; want the same process, and the first thread in both or in neither", row.Name, have, a.slowest)
	}
	if row.Wait < 0 || row.Wait > row.Total {
		t.Errorf("%s: %d of %d ns are waits, want 0 to all of them", row.Name, row.Wait, row.Total)
	}
}

// compileAnswers compiles the programs, with MPI or without.
func compileAnswers(t *testing.T, dir, compiler string, flags ...string) string {
	t.Helper()
	write(t, filepath.Join(dir, "pentode_trace.h"), string(agent.Header))
	program := filepath.Join(dir, filepath.Base(compiler)+"-answers")
	args := append([]string{"-g", "-O1", "-fopenmp", "-I", dir, filepath.Join("testdata", "answers", "answers.c"), "-o", program}, flags...)
	cmd := exec.Command(compiler, args...)
	cmd.Env = append(os.Environ(), "OMPI_CC=clang", "MPICH_CC=clang")
	if out, err := cmd.CombinedOutput(); err != nil {
		need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
	}
	t.Setenv("OMP_NUM_THREADS", "3")
	t.Setenv("OMP_WAIT_POLICY", "passive")
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return program
}

// reportOf returns the report of a trace, and its rows by name.
func reportOf(t *testing.T, dir, by string) (r report.Report, rows map[string]*report.Row) {
	t.Helper()
	code, out, errs := pentode(t, "trace", "report", "--by", by, "--format", "json", dir)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	rows = map[string]*report.Row{}
	for i := range r.Rows {
		rows[r.Rows[i].Name] = &r.Rows[i]
	}
	return r, rows
}

// checkRegions compares the report rows of all regions that the program has measured.
func checkRegions(t *testing.T, traced string, list []*execution, process func(string) string) {
	t.Helper()
	_, rows := reportOf(t, traced, "region")
	byRegion := map[string][]*execution{}
	regions := 0
	for _, x := range list {
		byRegion[x.region] = append(byRegion[x.region], x)
		if !strings.HasPrefix(x.region, ofCall) {
			regions++
		}
	}
	for region, executions := range byRegion {
		if strings.HasPrefix(region, ofCall) {
			continue
		}
		row := rows[region]
		if row == nil {
			t.Errorf("%s is not in the report", region)
			continue
		}
		a := answerOf(executions)
		a.check(t, row, process)
	}
	_, rows = reportOf(t, traced, "event")
	for _, event := range []string{"pentode:region_begin", "pentode:region_end"} {
		if row := rows[event]; row == nil || int(row.Count) != regions {
			t.Errorf("%s: %+v, the program has %d; want row not nil and int(row.Count) = %v", event, row, regions, regions)
		}
	}
}

// ofCall is the prefix of names that stand for calls, not regions.
const ofCall = "call:"

// answered are the test programs without MPI.
var answered = []string{"flat", "nested", "recursion", "even", "uneven", "barrier", "locked", "tasks", "sections"}

// TestReportAnswers: every column of a report agrees with what the program itself has measured around and inside its regions. This holds on any
// machine, however busy it is.
func TestReportAnswers(t *testing.T) {
	need.Slow(t)
	dir := t.TempDir()
	program := compileAnswers(t, dir, need.Program(t, "clang", "--version"))
	for _, name := range answered {
		t.Run(name, func(t *testing.T) {
			seen, traced := filepath.Join(t.TempDir(), "seen"), filepath.Join(t.TempDir(), "traced")
			if code, _, errs := pentode(t, "trace", "record", "-o", traced, "--", program, name, seen); code != 0 {
				t.Fatalf("exit %d: %s", code, errs)
			}
			// A report with only one process names it by its number.
			checkRegions(t, traced, answers(t, seen, "process"), func(slowest string) string {
				_, thread, _ := strings.Cut(slowest, ", thread ")
				return "process, " + thread
			})
		})
	}
}

// TestReportAnswersMPI does the same as TestReportAnswers for several ranks, with their messages and threads.
func TestReportAnswersMPI(t *testing.T) {
	need.Slow(t) // it builds the tracer with wrappers for hundreds of MPI calls
	need.Program(t, "clang", "--version")
	needMPI(t)
	dir := t.TempDir()
	program := compileAnswers(t, dir, "mpicc", "-DWITH_MPI")
	for _, name := range []string{"messages", "hybrid"} {
		t.Run(name, func(t *testing.T) {
			seen, traced := filepath.Join(t.TempDir(), "seen"), filepath.Join(t.TempDir(), "traced")
			if code, _, errs := pentode(t, "trace", "record", "-o", traced, "--", "mpirun", "-n", "2", program, name, seen); code != 0 {
				t.Fatalf("exit %d: %s", code, errs)
			}
			var list []*execution
			for rank := range 2 {
				list = append(list, answers(t, fmt.Sprintf("%s.%d", seen, rank), fmt.Sprintf("MPI rank %d", rank))...)
			}
			checkRegions(t, traced, list, func(slowest string) string { return strings.Replace(slowest, "thread ", "", 1) })
			r, rows := reportOf(t, traced, "call")
			call := map[string]string{"messages": "MPI_Sendrecv", "hybrid": "MPI_Allreduce"}[name]
			var around between
			calls := 0
			for _, x := range list {
				if x.region == ofCall+call {
					calls++
					around = around.plus(x.took)
				}
			}
			if row := rows[call]; row == nil || int(row.Count) != calls || row.Wait != row.Total || row.Self != row.Total || !around.holds(float64(row.Total)) {
				t.Errorf("%s: %+v, the program has %d in %.0f ns, want as many, a total about between %.0f and %.0f ns, and all of it the call's own and waited", call, row, calls, around.high, around.low, around.high)
			}
			if name == "hybrid" {
				return
			}
			want := []report.Traffic{{From: 0, To: 1, Count: 8, Bytes: 8 * 1024}, {From: 1, To: 0, Count: 8, Bytes: 8 * 2048}}
			if !slices.Equal(r.Messages, want) {
				t.Errorf("messages are %+v, want %+v", r.Messages, want)
			}
			sizes := map[uint64]report.Size{}
			for _, s := range r.Sizes {
				sizes[s.From] = s
			}
			if sizes[1024].Count+sizes[2048].Count != 16 {
				t.Errorf("messages have the sizes %+v, want 16", r.Sizes)
			}
		})
	}
}
