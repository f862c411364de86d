//go:build linux

package collect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// newStacks builds the program with regions at known depths. Optimised code has no frame pointers.
func newStacks(t testing.TB) *testBed {
	t.Helper()
	clang := need.Program(t, "clang", "--version")
	b := &testBed{t: t, catalog: pinsight.Builtin().Catalog}
	b.compile("stacks.c", clang, "-O2", "-fopenmp")
	b.build(agent.Options{Compiler: need.Compiler(t, "gcc"), Flags: unoptimized(t)})
	return b
}

// backtraces returns options that record the given number of calls with each region, or with only
// one region.
func (b *testBed) backtraces(calls uint32, region string) Options {
	b.t.Helper()
	layer := trace.RegionLayer{Backtrace: trace.Number{Value: calls, Set: true}}
	config := &trace.Config{Default: layer}
	if region != "" {
		config = &trace.Config{Regions: []trace.RegionEntry{{Match: trace.Match{Name: region}, RegionLayer: layer}}}
	}
	p, err := trace.Compile(b.catalog, config)
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(p)
	o.Audit = false
	return o
}

// TestBacktrace: a region is recorded with the calls that led to it, the innermost first and as
// many as its section asks for, through code without frame pointers and through libraries.
func TestBacktrace(t *testing.T) {
	need.Slow(t)
	b := newStacks(t)
	for _, c := range []struct {
		calls  uint32
		region string
		want   map[string]string // by region or construct; `…` means calls in libraries
	}{
		{8, "", map[string]string{"step": "step solve main …", "send": "send step solve main …", "parallel": "relax step solve main …", "compared": "compare … main …"}},
		{2, "", map[string]string{"step": "step solve", "send": "send step", "parallel": "relax step", "compared": "compare …"}},
		{64, "send", map[string]string{"send": "send step solve main …"}},
		{3, "relax", map[string]string{"parallel": "relax step solve"}},
		{0, "", map[string]string{}},
	} {
		dir, _ := b.run(b.backtraces(c.calls, c.region), "3")
		got := map[string]string{}
		counts := map[string]int{}
		for _, stream := range b.read(dir) {
			var calls []string
			for _, o := range stream {
				f := fieldsOf(&o)
				name := agent.Records[o.Event].Name
				if o.Event == agent.BacktraceRecord {
					calls = b.functions(f["frame_codeptr"].List)
					if n := f["frame_codeptr_length"].Number; n == 0 || n > uint64(c.calls) || int(n) != len(f["frame_codeptr"].List) {
						t.Errorf("%d calls where %d were asked for, want n other than 0, n at most %v and int(n) = %v", n, c.calls, uint64(c.calls), len(f["frame_codeptr"].List))
					}
					continue
				}
				if calls != nil {
					what := strings.TrimSuffix(name, "_begin")
					if agent.Records[o.Event].Family == agent.User {
						what = f["name"].Text
					}
					if text := strings.Join(calls, " "); got[what] != "" && got[what] != text {
						t.Errorf("%s was led to by %s, and by %s; want %v", what, got[what], text, text)
					} else {
						got[what] = text
					}
					counts[what]++
				}
				calls = nil
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d calls of %q:\n%v, want\n%v", c.calls, c.region, got, c.want)
		}
		if n, wanted := counts["send"], c.want["send"] != ""; wanted && n != 3 {
			t.Errorf("%d of 3 executions have their calls, want 3", n)
		}
	}
}

// functions returns the program's functions in a list of calls. It replaces consecutive functions
// of other modules by one `…`.
func (b *testBed) functions(calls []ctf.Value) (names []string) {
	for _, v := range calls {
		name := b.function(v.Number)
		if name == "" || v.Number>>moduleBits != 0 || name == "_start" {
			name = "…"
		}
		if name != "…" || len(names) == 0 || names[len(names)-1] != "…" {
			names = append(names, name)
		}
	}
	return names
}

// TestBacktraceMerged: merging traces does not change the calls.
func TestBacktraceMerged(t *testing.T) {
	need.Slow(t)
	b := newStacks(t)
	dir, _ := b.run(b.backtraces(4, ""), "1")
	merged := t.TempDir() + "/merged"
	if _, _, err := Merge(merged, []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	calls := func(dir string) (list []string) {
		for _, stream := range b.read(dir) {
			for _, o := range stream {
				for _, v := range o.Fields {
					if len(v.List) > 0 {
						list = append(list, strings.Join(b.functions(v.List), " "))
					}
				}
			}
		}
		slices.Sort(list)
		return list
	}
	if before, after := calls(dir), calls(merged); len(before) < 4 || !slices.Equal(before, after) {
		t.Errorf("%q became %q, want len(before) at least 4 and before = %v", before, after, after)
	}
}

// BenchmarkBacktrace measures an execution of a region whose calls are recorded, relative to one
// without. The variants alternate.
func BenchmarkBacktrace(b *testing.B) {
	bed := newFaults(b)
	bed.compile("pairs.c", "gcc", "-O2")
	for _, calls := range []uint32{1, 4} { // main, and its caller
		least := [2]float64{1e9, 1e9}
		for range 5 {
			for i, n := range []uint32{0, calls} {
				o := bed.backtraces(n, "")
				o.RingBytes = 64 << 20
				pair, _ := bed.figures(b, o, "20000")
				least[i] = min(least[i], pair)
			}
		}
		b.ReportMetric(least[1]-least[0], fmt.Sprintf("ns/execution-with-%d-calls", calls))
	}
	b.ReportMetric(0, "ns/op") // the time to start the programs
}
