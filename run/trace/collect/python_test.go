//go:build linux

package collect

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// newPython builds the agent for Python programs. interpreters are the machine's own, and the ones in
// PENTODE_PYTHON, a list like PATH.
func newPython(t testing.TB) (b *testBed, interpreters []string) {
	t.Helper()
	interpreters = append([]string{need.Python(t)}, filepath.SplitList(os.Getenv("PENTODE_PYTHON"))...)
	b = &testBed{t: t, catalog: pinsight.Builtin().Catalog}
	b.build(agent.Options{Compiler: need.Compiler(t, "gcc"), Flags: unoptimized(t)})
	return b, interpreters
}

// pythonConfig returns a configuration that traces Python modules; without arguments, only the program itself.
func pythonConfig(modules ...string) *trace.Config {
	l := trace.DomainLayer{Modules: trace.Modules{Patterns: modules, Set: modules != nil}}
	return &trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: l}}
}

// has reports whether an interpreter can run a line.
func has(interpreter, line string) bool { return exec.Command(interpreter, "-c", line).Run() == nil }

// knownName returns how an interpreter names functions: the qualified name, or before 3.11 its last part.
func knownName(interpreter string) func(name string) string {
	if has(interpreter, "(lambda: 0).__code__.co_qualname") {
		return func(name string) string { return name }
	}
	return func(name string) string { return name[strings.LastIndex(name, ".")+1:] }
}

// python traces a Python program, and returns what it printed.
func (b *testBed) python(c *trace.Config, change func(*Options), args ...string) (string, string, *Collector) {
	b.t.Helper()
	p, err := trace.Compile(b.catalog, c)
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(p)
	o.Audit = false
	if change != nil {
		change(&o)
	}
	dir := filepath.Join(b.t.TempDir(), "trace")
	var out, errs bytes.Buffer
	code, collector, err := Run(context.Background(), o, Program{Args: args, Library: b.library, Dir: dir, Host: "node", Out: &out, Err: &errs})
	if err != nil || code != 0 || errs.Len() > 0 {
		b.t.Fatalf("%q ended with %d, %v: %s", args, code, err, errs.String())
	}
	if n := collector.Counts; n.Dropped+n.Damaged+n.Unwritten+n.Refused != 0 {
		b.t.Fatalf("%q: %+v", args, n)
	}
	return dir, out.String(), collector
}

// pythonEvent is a Python event in a trace.
type pythonEvent struct {
	kind, name, file, callee string
	line, execution, thread  uint64
	region                   uint64
	raised                   bool
}

// pythonEvents returns the Python events in each stream of a trace.
func pythonEvents(streams [][]ctf.Occurrence) [][]pythonEvent {
	schema := Schema()
	var list [][]pythonEvent
	for _, stream := range streams {
		var own []pythonEvent
		for _, o := range stream {
			r := agent.Records[o.Event]
			if r.Family != agent.Python {
				continue
			}
			e := pythonEvent{kind: r.Name}
			for i, f := range schema.Events[o.Event].Fields {
				switch v := o.Fields[i]; f.Name {
				case "qualname":
					e.name = v.Text
				case "filename":
					e.file = v.Text
				case "callee_name":
					e.callee = v.Text
				case "lineno":
					e.line = v.Number
				case "code_id":
					e.region = v.Number
				case "execution":
					e.execution = v.Number
				case "python_thread_id":
					e.thread = v.Number
				case "raised":
					e.raised = v.Number == 1
				}
			}
			own = append(own, e)
		}
		list = append(list, own)
	}
	return list
}

// counted counts the calls, the calls that raised an exception, and the calls of C functions in a
// trace.
func counted(streams [][]pythonEvent) map[string]int {
	counts := map[string]int{}
	for _, stream := range streams {
		for _, e := range stream {
			switch {
			case e.kind == "function_begin":
				counts["calls "+e.name]++
			case e.kind == "c_call_begin":
				counts["c "+e.callee]++
			case e.kind == "function_end" && e.raised:
				counts["raised "+e.name]++
			}
		}
	}
	return counts
}

// nested checks that executions are nested and that each has its end, unless the process ended within it.
func nested(t *testing.T, stream []pythonEvent) {
	t.Helper()
	var open []pythonEvent
	for i, e := range stream {
		switch e.kind {
		case "function_begin", "c_call_begin":
			open = append(open, e)
		case "function_end", "c_call_end":
			if len(open) == 0 {
				t.Fatalf("event %d is the end of %s, which has not begun", i, e.name)
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last.name != e.name || last.execution != e.execution || last.callee != e.callee || strings.TrimSuffix(last.kind, "_begin") != strings.TrimSuffix(e.kind, "_end") {
				t.Fatalf("event %d is the end of %s %s no. %d; the last that began is %s %s no. %d", i, e.name, e.callee, e.execution, last.name, last.callee, last.execution)
			}
		}
	}
	for _, e := range open {
		t.Errorf("%s %s no. %d does not end", e.name, e.callee, e.execution)
	}
}

// The trace of each test program has exactly the calls that the program makes, also in processes that
// it forks and starts.
func TestPythonCounts(t *testing.T) {
	need.Slow(t)
	b, interpreters := newPython(t)
	text, err := os.ReadFile(filepath.Join("testdata", "python", "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]int{}
	var order []string
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		f := strings.Fields(s.Text())
		if f[0] == "#" {
			continue
		}
		n, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatal(err)
		}
		if want[f[0]] == nil {
			want[f[0]] = map[string]int{}
			order = append(order, f[0])
		}
		want[f[0]][f[1]+" "+f[2]] = n
	}
	for _, interpreter := range interpreters {
		known := knownName(interpreter)
		for _, name := range order {
			t.Run(filepath.Base(interpreter)+"/"+name, func(t *testing.T) {
				b.t = t
				script := filepath.Join("testdata", "python", name+".py")
				dir, _, c := b.python(pythonConfig(), nil, interpreter, "-B", script)
				streams := pythonEvents(b.read(dir))
				got := counted(streams)
				expected := map[string]int{}
				for key, n := range want[name] {
					if kind, function, _ := strings.Cut(key, " "); kind != "c" {
						key = kind + " " + known(function)
					}
					expected[key] += n
				}
				for key, n := range expected {
					if got[key] != n {
						t.Errorf("%s: %d, want %d", key, got[key], n)
					}
				}
				if !c.Python.Traced || c.Python.Taken {
					t.Errorf("%+v, want it traced, and not taken by another", c.Python)
				}
				for _, stream := range streams {
					nested(t, stream)
				}
				if t.Failed() {
					t.Logf("%v", got)
				}
			})
		}
	}
}
