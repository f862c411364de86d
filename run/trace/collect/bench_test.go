//go:build linux

package collect

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// BenchmarkEvent measures an OpenMP event of two integers in C, relative to an empty callback: if its domain is off, if
// the event is off, if the rate decides against it, and if it is recorded, by one thread and by two at once. LTTng's
// tracepoint is measured after each of these in a separate program, so that problems with LTTng do not disturb the
// others.
func BenchmarkEvent(b *testing.B) {
	cc := need.Compiler(b, "gcc")
	bed := &testBed{t: b, catalog: pinsight.Builtin().Catalog}
	lttng := newLTTng(b, cc)
	bed.compile("bench.c", cc, "-O2", "-ldl", "-lpthread")
	bed.build(agent.Options{Compiler: cc})
	cancel := func(on bool) map[string]trace.DomainLayer {
		return map[string]trace.DomainLayer{"OpenMP": {Events: trace.Events{"omp_cancel": {On: on}}}}
	}
	for _, c := range []struct {
		name   string
		config trace.Config
		rounds int
	}{
		{"domain off", trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Mode: trace.Off}}}, 1_000_000},
		{"event off", trace.Config{Domains: cancel(false)}, 1_000_000},
		{"decided against", trace.Config{Domains: cancel(true), Default: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 1000, Set: true}}}}, 1_000_000},
		{"recorded", trace.Config{Domains: cancel(true)}, 5_000},
	} {
		p, err := trace.Compile(bed.catalog, &c.config)
		if err != nil {
			b.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d", c.name, threads), func(b *testing.B) {
				o := bed.options(p)
				o.Audit, o.RingBytes = false, 1<<20
				empty, event := bed.figures(b, o, strconv.Itoa(c.rounds), strconv.Itoa(threads))
				b.ReportMetric(0, "ns/op") // the time to start the program
				b.ReportMetric(event-empty, "ns/event")
				if ns, ok := lttng.tracepoint(b, threads); ok {
					b.ReportMetric(ns, "ns/tracepoint")
				}
			})
		}
	}
}

// figures runs a program that prints one or two measured values.
func (b *testBed) figures(t testing.TB, o Options, args ...string) (first, second float64) {
	t.Helper()
	var out bytes.Buffer
	_, collector, err := Run(context.Background(), o, Program{
		Args: append([]string{b.program}, args...), Library: b.library, Dir: filepath.Join(t.TempDir(), "trace"), Out: &out, Err: os.Stderr,
	})
	if err != nil || collector.Counts.Dropped > 0 {
		t.Fatal(err, collector.Counts)
	}
	if n, _ := fmt.Sscan(out.String(), &first, &second); n == 0 {
		t.Fatalf("the program printed %q, want other than 0", out.String())
	}
	return first, second
}

// BenchmarkRegion measures a parallel region of one thread: without a tool, with a tool
// that registers no callback, and with the agent when everything is off. The variants
// alternate, because the speed of the machine changes over time.
func BenchmarkRegion(b *testing.B) {
	clang := need.Program(b, "clang", "--version")
	b.Setenv("OMP_NUM_THREADS", "1")
	bed := &testBed{t: b, catalog: pinsight.Builtin().Catalog}
	bed.build(agent.Options{Compiler: "cc"})
	off := map[string]trace.DomainLayer{}
	for _, d := range layout.DomainNames {
		off[d] = trace.DomainLayer{Mode: trace.Off}
	}
	p, err := trace.Compile(bed.catalog, &trace.Config{Domains: off})
	if err != nil {
		b.Fatal(err)
	}
	o := bed.options(p)
	o.Audit = false
	alone := func(flags ...string) float64 {
		bed.compile("regions.c", clang, append([]string{"-O2", "-fopenmp", "-rdynamic"}, flags...)...)
		out, err := exec.Command(bed.program).Output()
		if err != nil {
			b.Fatal(err)
		}
		ns, err := strconv.ParseFloat(string(bytes.TrimSpace(out)), 64)
		if err != nil {
			b.Fatal(err)
		}
		return ns
	}
	none, empty, agent := math.Inf(1), math.Inf(1), math.Inf(1)
	for range 10 {
		empty = min(empty, alone("-DEMPTY_TOOL"))
		none = min(none, alone())
		ns, _ := bed.figures(b, o)
		agent = min(agent, ns)
	}
	b.ReportMetric(0, "ns/op") // the time to start the programs
	b.ReportMetric(none, "ns/region-without-tool")
	b.ReportMetric(empty, "ns/region-with-empty-tool")
	b.ReportMetric(agent, "ns/region-with-everything-off")
}
