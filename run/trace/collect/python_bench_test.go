//go:build linux

package collect

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
)

// BenchmarkPython measures the processor time to call an empty function. It reports `untraced-ns` and the
// additional time in these cases: an empty callback in C, which is Python's own share; a tracer with Python
// turned off; decided against; traced as often as allowed; counted; recorded; and recorded with calls of C
// functions. Each round runs all cases once, and the medians of the rounds are reported, so `-benchtime 9x`
// gives a comparison even on a busy machine.
func BenchmarkPython(b *testing.B) {
	d, interpreters := newPython(b)
	script := filepath.Join("testdata", "python", "bench.py")
	functions := trace.DomainLayer{Events: trace.Events{"pysysmon_c_start": {}, "pysysmon_c_return": {}}} // from 3.12 on these are reported at every call
	called := func(r trace.RateLayer) *trace.Config {
		return &trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: functions}, Regions: []trace.RegionEntry{{Match: trace.Match{Name: "called"}, RegionLayer: trace.RegionLayer{Rate: r}}}}
	}
	mode := func(m trace.Mode) *trace.Config {
		return &trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: {Mode: m}}}
	}
	number := func(n uint32) trace.Number { return trace.Number{Value: n, Set: true} }
	heard := emptyCallback(b, script)
	for _, interpreter := range interpreters {
		plain := func(args ...string) string {
			out, err := output(append([]string{interpreter}, args...))
			if err != nil {
				b.Fatal(err, out)
			}
			return out
		}
		traced := func(c *trace.Config) func() string {
			return func() string {
				_, out, _ := d.python(c, func(o *Options) { o.RingBytes = 1 << 26 }, interpreter, script)
				return out
			}
		}
		cases := []struct {
			name string
			run  func() string
		}{
			{"untraced", func() string { return plain(script) }},
			{"empty", func() string { return plain(heard...) }},
			{"off", traced(mode(trace.Off))},
			{"against", traced(called(trace.RateLayer{Start: number(1 << 31)}))},
			{"exhausted", traced(called(trace.RateLayer{Max: number(10)}))},
			{"monitored", traced(mode(trace.Monitoring))},
			{"recorded", traced(called(trace.RateLayer{}))},
			{"with-C", traced(&trace.Config{})},
		}
		b.Run(filepath.Base(interpreter), func(b *testing.B) {
			d.t = b
			took := make([][]float64, len(cases))
			for range b.N {
				for i, c := range cases {
					ns, err := strconv.ParseFloat(strings.TrimSpace(c.run()), 64)
					if err != nil {
						b.Fatal(err)
					}
					took[i] = append(took[i], ns)
				}
			}
			b.ReportMetric(0, "ns/op") // the time to start programs
			for i, c := range cases {
				slices.Sort(took[i])
				median := took[i][len(took[i])/2]
				if i > 0 {
					median -= took[0][len(took[0])/2]
				}
				b.ReportMetric(median, c.name+"-ns")
			}
		})
	}
}

// emptyCallback returns the program with an empty callback in C: a profile function, or from 3.12 on a callback of sys.monitoring.
func emptyCallback(b *testing.B, script string) []string {
	dir := b.TempDir()
	source, library, path := filepath.Join(dir, "empty.c"), filepath.Join(dir, "empty.so"), filepath.Join(dir, "empty.py")
	for file, text := range map[string]string{
		source: `#include <stddef.h>
extern char _Py_NoneStruct[];
int profiled(void *a, void *b, int c, void *d) { return (void)a, (void)b, (void)c, (void)d, 0; }
static void *heard(void *self, void **args, ptrdiff_t count) { return (void)self, (void)args, (void)count, _Py_NoneStruct; }
struct { const char *name; void *(*call)(void *, void **, ptrdiff_t); int flags; const char *doc; } definition = {"heard", heard, 0x80, NULL};
`,
		path: `import ctypes, runpy, sys
library = ctypes.CDLL(sys.argv[1])
if sys.version_info < (3, 12):
    ctypes.pythonapi.PyEval_SetProfile(library.profiled, None)
else:
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.argtypes, make.restype = [ctypes.c_void_p] * 3, ctypes.py_object
    heard = make(ctypes.addressof(ctypes.c_char.in_dll(library, "definition")), None, None)
    of = sys.monitoring
    of.use_tool_id(3, "empty")
    for event in (of.events.PY_START, of.events.PY_RETURN):
        of.register_callback(3, event, heard)
    of.set_events(3, of.events.PY_START | of.events.PY_RETURN)
runpy.run_path(sys.argv[2])
`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if out, err := output([]string{need.Compiler(b, "gcc"), "-O2", "-shared", "-fPIC", source, "-o", library}); err != nil {
		b.Fatal(err, out)
	}
	return []string{path, library, script}
}
