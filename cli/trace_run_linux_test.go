package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// seen identifies events of a trace that are counted together.
type seen struct {
	name, function string
	thread         uint64
}

// tracer traces the test program of run/trace/collect with different configurations.
type tracer struct {
	t       *testing.T
	program string
	place   map[string]string // addresses of parallel regions by function
	names   map[uint64]string
	lines   map[uint64]int // source lines by region address
}

func newTracer(t *testing.T) *tracer {
	t.Helper()
	need.Compiler(t, "cc") // for building the tracer
	clang := need.Program(t, "clang", "--version")
	source, err := filepath.Abs(filepath.Join("..", "run", "trace", "collect", "testdata", "program.c"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pentode_trace.h"), agent.Header, 0o600); err != nil {
		t.Fatal(err)
	}
	r := &tracer{t: t, program: filepath.Join(dir, "program"), place: map[string]string{}, names: map[uint64]string{}, lines: map[uint64]int{}}
	if out, err := exec.Command(clang, "-g", "-fopenmp", "-I", dir, source, "-o", r.program).CombinedOutput(); err != nil {
		need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
	}
	t.Setenv("OMP_NUM_THREADS", "3")
	t.Setenv("OMP_WAIT_POLICY", "passive") // waiting threads leave the processor to others
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Chdir(dir)

	code, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(code), "void shared(void)")
	r.place["line of shared"] = strconv.Itoa(strings.Count(before, "\n") + 3) // the pragma is two lines after the function

	out, _ := r.trace("", "2")
	text, err := os.ReadFile(filepath.Join(out, "regions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Regions []struct {
			Address, Function, File string
			Line                    int
		}
	}
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	for _, g := range found.Regions {
		address, err := strconv.ParseUint(g.Address, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		r.place[g.Function], r.names[address] = g.Address, g.Function
		if filepath.Base(g.File) == "program.c" {
			r.lines[address] = g.Line
		}
	}
	return r
}

// trace runs the program and returns the folder of the trace, and the messages.
func (r *tracer) trace(config, rounds string, flags ...string) (string, string) {
	r.t.Helper()
	for name, address := range r.place {
		config = strings.ReplaceAll(config, "{"+name+"}", address)
	}
	dir := r.t.TempDir()
	file := filepath.Join(dir, "trace_config.txt")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		r.t.Fatal(err)
	}
	out := filepath.Join(dir, "traced")
	args := append([]string{"trace", "record", "-o", out, "--policy", file}, flags...)
	var errs bytes.Buffer
	if code := Run(Options{}, append(args, "--", r.program, rounds), strings.NewReader(""), &bytes.Buffer{}, &errs); code != 0 {
		r.t.Fatalf("trace run ended with %d: %s", code, errs.String())
	}
	if strings.Contains(errs.String(), "lost") {
		r.t.Errorf("the default rings lose events: %s", errs.String())
	}
	return out, errs.String()
}

// events runs the program for ten rounds and counts the events in the trace.
func (r *tracer) events(config string, flags ...string) map[seen]int {
	r.t.Helper()
	out, _ := r.trace(config, "10", flags...)
	schema := collect.Schema()
	reader, err := ctf.Open(filepath.Join(out, "ctf"))
	if err != nil {
		r.t.Fatal(err)
	}
	got := map[seen]int{}
	for _, stream := range reader.Streams {
		for o, err := range reader.Events(stream) {
			if err != nil {
				r.t.Fatal(err)
			}
			s := seen{name: agent.Records[o.Event].Name, thread: o.Context[5].Number}
			if f := schema.Events[o.Event].Fields; f[0].Name == "parallel_codeptr" {
				s.function = r.names[o.Fields[0].Number]
			}
			got[s]++
		}
	}
	return got
}

// sum adds up the counts of the chosen events.
func sum(got map[seen]int, chosen func(seen) bool) int {
	n := 0
	for s, count := range got {
		if chosen(s) {
			n += count
		}
	}
	return n
}

// TestDocumentedExamples: the ten example configurations in the documentation of the format, applied to our
// test program, trace what the documentation says. docs/tracing.md shows the same examples.
func TestDocumentedExamples(t *testing.T) {
	r := newTracer(t)
	plain := r.events("")
	begins := func(function string) func(seen) bool {
		return func(s seen) bool { return s.name == "parallel_begin" && s.function == function }
	}
	named := func(name string) func(seen) bool { return func(s seen) bool { return s.name == name } }
	for _, c := range []struct {
		name, config string
		check        func(t *testing.T, got map[seen]int)
	}{
		{"1 a domain", "[OpenMP.default]\n    OpenMP.team = (0-4)\n    omp_task_create = on\n", func(t *testing.T, got map[seen]int) {
			if n := sum(got, named("task_create")); n != 15 {
				t.Errorf("%d tasks were created, want 3 in each of 5 rounds", n)
			}
		}},
		{"2 back to the defaults", "[OpenMP.default]\n    omp_work = off\n[RESET OpenMP.default]\n", func(t *testing.T, got map[seen]int) {
			if n, want := sum(got, named("work_begin")), sum(plain, named("work_begin")); n != want {
				t.Errorf("%d worksharing regions, want %d as without a configuration", n, want)
			}
		}},
		{"3 some threads", "[OpenMP.default]\n    omp_work = off\n[OpenMP.thread(0-1)] : OpenMP.default\n    omp_work = on\n", func(t *testing.T, got map[seen]int) {
			for thread := range uint64(3) {
				n := sum(got, func(s seen) bool { return s.name == "work_begin" && s.thread == thread })
				if (n > 0) != (thread < 2) {
					t.Errorf("thread %d has %d worksharing regions, want %v", thread, n, (thread < 2))
				}
			}
		}},
		{"4 all regions of a domain", "[Lexgion(OpenMP).default]\n    omp_thread_begin = on\n    omp_thread_end = on\n    omp_task_create = on\n    omp_task_schedule = on\n    trace_starts_at = 0\n    max_num_traces = 4\n    tracing_rate = 1\n", func(t *testing.T, got map[seen]int) {
			for _, f := range []string{"loop", "shared", "locked"} {
				if n := sum(got, begins(f)); n != 4 {
					t.Errorf("`%s` was traced %d times, want 4", f, n)
				}
			}
		}},
		{"5 back to the computed default", "[Lexgion(OpenMP).default]\n    max_num_traces = 4\n[RESET Lexgion(OpenMP).default]\n", func(t *testing.T, got map[seen]int) {
			if n := sum(got, begins("loop")); n != 10 {
				t.Errorf("`loop` was traced %d times, want 10", n)
			}
		}},
		{"6 not this region", "[REMOVE Lexgion({loop})]\n", func(t *testing.T, got map[seen]int) {
			if n := sum(got, func(s seen) bool { return s.function == "loop" }); n != 0 {
				t.Errorf("`loop` has %d events, want none", n)
			}
			if n := sum(got, begins("shared")); n != 10 {
				t.Errorf("`shared` was traced %d times, want 10", n)
			}
		}},
		{"7 several regions", "[Lexgion({loop}, {shared}, {tasks})]\n    max_num_traces = 100\n    tracing_rate = 5\n", func(t *testing.T, got map[seen]int) {
			for f, want := range map[string]int{"loop": 2, "shared": 2, "tasks": 1, "locked": 10} {
				if n := sum(got, begins(f)); n != want {
					t.Errorf("`%s` was traced %d times, want %d", f, n, want)
				}
			}
		}},
		{"8 not these regions", "[REMOVE Lexgion({loop}, {shared})]\n", func(t *testing.T, got map[seen]int) {
			if n := sum(got, func(s seen) bool { return s.function == "loop" || s.function == "shared" }); n != 0 {
				t.Errorf("the removed regions have %d events, want 0", n)
			}
		}},
		{"9 some threads no longer", "[OpenMP.thread(0-1)]\n    omp_work = off\n[REMOVE OpenMP.thread(0-1)]\n", func(t *testing.T, got map[seen]int) {
			if n, want := sum(got, named("work_begin")), sum(plain, named("work_begin")); n != want {
				t.Errorf("%d worksharing regions, want %d", n, want)
			}
		}},
		{"10 no threads any more", "[OpenMP.thread(0)]\n    omp_work = off\n[OpenMP.thread(1-2)]\n    omp_work = off\n[REMOVE OpenMP.thread(*)]\n", func(t *testing.T, got map[seen]int) {
			if n, want := sum(got, named("work_begin")), sum(plain, named("work_begin")); n != want {
				t.Errorf("%d worksharing regions, want %d", n, want)
			}
		}},
		{"by function and by line", "[Lexgion(loop)]\n    tracing_rate = 5\n[REMOVE Lexgion(program.c:{line of shared})]\n", func(t *testing.T, got map[seen]int) {
			if n := sum(got, begins("loop")); n != 2 {
				t.Errorf("`loop` was traced %d times, want 2", n)
			}
			if n := sum(got, begins("shared")); n != 0 {
				t.Errorf("`shared`, removed by its line, was traced %d times; want 0", n)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			c.check(t, r.events(c.config))
		})
	}
}

// TestLinesAreRegions: a section that names a file and line applies to the region that the tracer reports for
// that line.
func TestLinesAreRegions(t *testing.T) {
	r := newTracer(t)
	program, err := debuginfo.Open(r.program, debuginfo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if len(r.lines) < 5 {
		t.Fatalf("the program has %d regions, want at least 5", len(r.lines))
	}
	for address, line := range r.lines {
		sites, err := pinsight.Regions(program, "program.c", line)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(sites, func(s debuginfo.Site) bool { return s.Address == address && s.Callee != "" }) {
			t.Errorf("line %d was traced as 0x%x and stands for %+v, want a call at that address among these", line, address, sites)
		}
	}
}

// TestLossesAreNamed: if a buffer is full, the losses are reported with the thread and the region in which
// they began.
func TestLossesAreNamed(t *testing.T) {
	need.Slow(t)
	r := newTracer(t)
	var errs bytes.Buffer
	args := []string{"trace", "record", "-o", filepath.Join(t.TempDir(), "traced"), "--config", "trace.ring=" + strconv.Itoa(os.Getpagesize()), "--", r.program, "2000"}
	if code := Run(Options{}, args, strings.NewReader(""), &bytes.Buffer{}, &errs); code != 0 {
		t.Fatalf("trace run ended with %d: %s", code, errs.String())
	}
	for _, want := range []string{
		`[1-9]\d* lost to full buffers; a larger .ring. in .\[trace\]. of pentode.toml, or .full = "wait"., keeps them`,
		"\n  thread 0 of process [1-9]\\d* lost [1-9]\\d*, the first (program.c:[1-9]\\d* )?in `[\\w.]+`\n",
	} {
		if !regexp.MustCompile(want).MatchString(errs.String()) {
			t.Errorf("`%s` is not in %s", want, errs.String())
		}
	}
}

// TestOwnTool: the tracer warns if the program's OpenMP runtime starts another tool instead of the tracer, and
// if the tracer replaces the program's own tool.
func TestOwnTool(t *testing.T) {
	need.Slow(t)
	clang := need.Program(t, "clang", "--version")
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("OMP_NUM_THREADS", "2")
	for name, text := range map[string]string{
		"main.c":   "int main(void)\n{\n#pragma omp parallel\n\t__asm__ volatile(\"\" : : : \"memory\");\n\treturn 0;\n}\n",
		"tool.c":   "void *ompt_start_tool(unsigned version, const char *runtime) { return version && runtime ? 0 : &version; }\n",
		"empty.c":  "int main(void) { return 0; }\n",
		"more.txt": "[OpenMP.default]\n    omp_target_map_emi = on\n    omp_masked = on\n[Lexgion.default]\n    OpenMP.omp_target_map_emi = on\n    OpenMP.omp_device_load = off\n",
		"hip.txt":  "[HIP.default]\n    HIP_malloc = on\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{
		"-fopenmp main.c -o plain", "-w -fopenmp main.c tool.c -o own", "-w -shared -fPIC tool.c -o libtool.so",
		"-fopenmp main.c -L. -Wl,--no-as-needed -ltool -Wl,-rpath,$ORIGIN -o linked",
		"-fopenmp -Wl,--no-as-needed empty.c -o empty",
	} {
		if out, err := exec.Command(clang, strings.Fields(command)...).CombinedOutput(); err != nil {
			need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
		}
	}
	if err := os.WriteFile("none.txt", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ program, config, want, not string }{
		{"plain", "none.txt", " events of 2 threads", "tool"},
		{"plain", "hip.txt", "warning[pinsight/untraced-domain]: `pentode trace record` does not trace the domain `HIP`", "tool"},
		{"plain", "more.txt", "the OpenMP runtime of this program does not offer `omp_target_map_emi`, which the configuration enables\n", "omp_masked"},
		{"empty", "more.txt", "calls none of its functions", "does not offer"},
		{"own", "none.txt", "the program has its own OpenMP tool, `ompt_start_tool`, which is started instead of the tracer", "no event happened"},
		{"linked", "none.txt", "`libtool.so` has its own OpenMP tool, `ompt_start_tool`, which is not started", "libomp"},
		{"empty", "none.txt", "the program is linked with OpenMP, but calls none of its functions", "no event happened"},
	} {
		var errs bytes.Buffer
		args := []string{"trace", "record", "-o", filepath.Join(t.TempDir(), "out"), "--policy", c.config, "--", "./" + c.program}
		code := Run(Options{}, args, strings.NewReader(""), &bytes.Buffer{}, &errs)
		if code != 0 || !strings.Contains(errs.String(), c.want) || strings.Contains(errs.String(), c.not) {
			t.Errorf("%s with %s ended with %d and said\n%s\nwant %s", c.program, c.config, code, errs.String(), c.want)
		}
	}
}

// TestTraceRunRefuses: a program that cannot be traced is refused with the reason.
func TestTraceRunRefuses(t *testing.T) {
	need.Slow(t)
	cc := need.Compiler(t, "cc")
	dir := t.TempDir()
	source := filepath.Join(dir, "p.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 7; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	for name, flags := range map[string][]string{"plain": nil, "static": {"-static"}, "setuid": nil, "gnu": {"-fopenmp", "-Wl,--no-as-needed"}} {
		if out, err := exec.Command(cc, append([]string{source, "-o", name}, flags...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.Chmod("setuid", 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("bad.txt", []byte("[OpenMP.default]\nomp_wrk = on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("warned.txt", []byte("[Knob]\n    depth = 1\n    depth = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-x", "c", os.DevNull, "-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1"},
		{source, "-Wl,--no-as-needed", "./libcuda.so.1", "-Wl,-rpath,$ORIGIN", "-o", "gpu"},
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	t.Setenv("PINSIGHT_TRACE_OPENMP", "OFF")
	t.Setenv("PINSIGHT_TRACE_WINDOW", "1:2:3")
	t.Setenv(collect.InjectCUDA, "/opt/profiler.so")
	const notTraced = "pentode: CUDA was not traced: CUDA_INJECTION64_PATH names another tool, `/opt/profiler.so`, which CUDA loads instead of the tracer\n`gpu.out`: 0 events of 0 threads\n"
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--policy", "warned.txt", "-o", "warned", "--", "./plain"}, 7, "warning[pinsight/repeated-key]"},
		{[]string{"-o", "set", "--", "./plain"}, 7, "pentode: PINSIGHT_TRACE_OPENMP has no effect: only `--as upstream` reads it; set `trace_mode` in `[OpenMP.default]` in the configuration instead\n"},
		{[]string{"-o", "window", "--", "./plain"}, 7, "pentode: PINSIGHT_TRACE_WINDOW has no effect"},
		{nil, 2, "give the program after --"},
		{[]string{"--", "./missing"}, 2, "there is no program `./missing`"},
		{[]string{"--", "./static"}, 2, "`./static` is linked statically"},
		{[]string{"--", "./setuid"}, 2, "`./setuid` runs as another user"},
		{[]string{"--policy", "bad.txt", "--", "./plain"}, 1, "`omp_wrk` is not an event"},
		{[]string{"--config", "trace.ring=1000", "--", "./plain"}, 2, "the size of a buffer must be a power of two"},
		{[]string{"--flush", "-1s", "--", "./plain"}, 2, "--flush takes a duration such as 1s, or 0, not `-1s`"},
		{[]string{"--config", "trace.full=later", "--", "./plain"}, 2, "`later` is not a choice; write `drop` or `wait`"},
		{[]string{"-o", ".", "--", "./plain"}, 2, "`.` exists already"},
		{[]string{"-o", "new", "--", "./plain"}, 7, "the program does not use OpenMP, MPI, CUDA or Python"},
		{[]string{"-o", "other", "--", "./gnu"}, 7, "the program's OpenMP is GCC's, which has no interface for tools; build it with clang"},
		{[]string{"-o", "gpu.out", "--", "./gpu"}, 7, notTraced},
	} {
		var errs bytes.Buffer
		code := Run(Options{}, append([]string{"trace", "record"}, c.args...), strings.NewReader(""), &bytes.Buffer{}, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q ended with %d and said\n%s\nwant %d and %s", c.args, code, errs.String(), c.code, c.want)
		}
		if c.want != notTraced && strings.Contains(errs.String(), "CUDA was not traced") {
			t.Errorf("%q: a program without CUDA is told of it:\n%s", c.args, errs.String())
		}
	}
}
