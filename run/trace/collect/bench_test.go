//go:build linux

package collect

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// BenchmarkEvent times an OpenMP event of two integers in C: where its domain
// is off, where the event is off, where the rate decides against it, and where it is
// recorded. Where LTTng is there with a session that records
// `pentode_bench:two`, its tracepoint is timed in the same run.
func BenchmarkEvent(b *testing.B) {
	cc := golden.Compiler(b, "gcc")
	dir := b.TempDir()
	bed := &bed{t: b, catalog: pinsight.Builtin().Catalog, program: filepath.Join(dir, "bench")}
	args := []string{"-O2", "-I", "testdata", filepath.Join("testdata", "bench.c"), "-ldl", "-o", bed.program}
	if exec.Command(cc, append(args, "-DLTTNG", "-llttng-ust")...).Run() != nil {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	var err error
	if bed.library, err = agent.Build(agent.Options{Compiler: cc, Cache: dir}); err != nil {
		b.Fatal(err)
	}
	cancel := func(on bool) map[string]trace.DomainLayer {
		return map[string]trace.DomainLayer{"OpenMP": {Events: trace.Events{"omp_cancel": {On: on}}}}
	}
	for _, c := range []struct {
		name   string
		config trace.Config
		rounds int
	}{
		{"domain off", trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Mode: trace.Off}}}, 5_000_000},
		{"event off", trace.Config{Domains: cancel(false)}, 5_000_000},
		{"decided against", trace.Config{Domains: cancel(true), Default: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 1000, Set: true}}}}, 5_000_000},
		{"recorded", trace.Config{Domains: cancel(true)}, 5_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := trace.Compile(bed.catalog, &c.config)
			if err != nil {
				b.Fatal(err)
			}
			o := bed.options(p)
			o.Audit, o.Wait, o.RingBytes = false, false, 4<<20
			var out bytes.Buffer
			_, collector, err := Run(o, Program{
				Args: []string{bed.program, strconv.Itoa(c.rounds)}, Library: bed.library, Dir: filepath.Join(b.TempDir(), "trace"),
				Out: &out, Err: os.Stderr,
			})
			if err != nil || collector.Counts.Dropped > 0 {
				b.Fatal(err, collector.Counts)
			}
			var empty, event, lttng float64
			if n, _ := fmt.Sscan(out.String(), &empty, &event, &lttng); n < 2 {
				b.Fatalf("the program printed %q", out.String())
			}
			b.ReportMetric(event-empty, "ns/event")
			if lttng > 0 {
				b.ReportMetric(lttng-empty, "ns/tracepoint")
			}
		})
	}
}
