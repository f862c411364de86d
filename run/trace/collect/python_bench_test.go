//go:build linux

package collect

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
)

// BenchmarkPython times what the call of an empty function takes, in time of the processor: without a
// tracer, with one that is not asked about Python, decided against, traced as often as it may be, and
// recorded. What a profile function costs that does nothing is Python's: it is there until 3.11.
func BenchmarkPython(b *testing.B) {
	d, interpreters := newPython(b)
	script := filepath.Join("testdata", "python", "bench.py")
	functions := trace.DomainLayer{Events: trace.Events{"pysysmon_c_start": {}, "pysysmon_c_return": {}}} // from 3.12 on these are heard at every call
	called := func(r trace.RateLayer) *trace.Config {
		return &trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: functions}, Regions: []trace.RegionEntry{{Match: trace.Match{Name: "called"}, RegionLayer: trace.RegionLayer{Rate: r}}}}
	}
	number := func(n uint32) trace.Number { return trace.Number{Value: n, Set: true} }
	for _, interpreter := range interpreters {
		measure := func(name string, run func() string) {
			b.Run(filepath.Base(interpreter)+"/"+name, func(b *testing.B) {
				d.t = b
				for range b.N {
					ns, err := strconv.ParseFloat(strings.TrimSpace(run()), 64)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(0, "ns/op") // of starting the program
					b.ReportMetric(ns, "ns/call")
				}
			})
		}
		plain := func(args ...string) string {
			out, err := output(append([]string{interpreter}, args...))
			if err != nil {
				b.Fatal(err, out)
			}
			return out
		}
		measure("untraced", func() string { return plain(script) })
		measure("empty profile function", func() string { return plain(emptyProfile(b, script)) })
		for _, c := range []struct {
			name   string
			config *trace.Config
		}{
			{"off", &trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: {Mode: trace.Off}}}},
			{"decided against", called(trace.RateLayer{Start: number(1 << 31)})},
			{"exhausted", called(trace.RateLayer{Max: number(10)})},
			{"monitored", &trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: {Mode: trace.Monitoring}}}},
			{"recorded", called(trace.RateLayer{})},
			{"recorded with calls of C", &trace.Config{}},
		} {
			measure(c.name, func() string {
				_, out, _ := d.python(c.config, func(o *Options) { o.RingBytes = 1 << 26 }, interpreter, script)
				return out
			})
		}
	}
}

// emptyProfile writes the program with a profile function in C that does nothing.
func emptyProfile(b *testing.B, script string) string {
	dir := b.TempDir()
	source, library, path := filepath.Join(dir, "empty.c"), filepath.Join(dir, "empty.so"), filepath.Join(dir, "bench.py")
	text, err := os.ReadFile(script)
	if err != nil {
		b.Fatal(err)
	}
	text = append([]byte("import ctypes\nctypes.pythonapi.PyEval_SetProfile(ctypes.CDLL('"+library+"').empty, None)\n"), text...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(source, []byte("int empty(void *a, void *b, int c, void *d) { return (void)a, (void)b, (void)c, (void)d, 0; }\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := output([]string{need.Compiler(b, "gcc"), "-O2", "-shared", "-fPIC", source, "-o", library}); err != nil {
		b.Fatal(err, out)
	}
	return path
}
