package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// TestTracePython: a Python program is traced without any flag or configuration for it. Its
// functions are regions with their files and lines, also in the report, and errors in a
// configuration are reported.
func TestTracePython(t *testing.T) {
	need.Slow(t)
	python := need.Python(t)
	need.Compiler(t, "cc")
	t.Chdir(t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	const program = `import sys


def solve(n):
    return len(range(n))


for n in range(3):
    solve(n)
if len(sys.argv) > 1:
    sys.setprofile(lambda *event: None)
`
	for name, text := range map[string]string{"program.py": program, "c.txt": "[Lexgion(Python:solve)]\n    max_num_traces = 2\n\n[Lexgion(Python:other.py:solve)]\n    max_num_traces = 1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := Run(Options{}, args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%q ended with %d: %s", args, code, errs.String())
		}
		return out.String(), errs.String()
	}
	_, said := run("trace", "record", "-o", "traced", "--policy", "c.txt", "--", python, "program.py")
	if want := "no region of this run matched `Lexgion(Python:other.py:solve)`"; !strings.Contains(said, want) || strings.Contains(said, "Python was not traced") {
		t.Errorf("%s\nwant: %s", said, want)
	}
	var found *recorded.Region
	regions := recorded.ReadRegions("traced")
	for i, r := range regions.Regions {
		if r.Function == "solve" {
			found = &regions.Regions[i]
		}
	}
	if found == nil || !strings.HasSuffix(found.File, "/program.py") || found.Line != 4 {
		t.Errorf("the regions are %+v, want found not nil, found.File = %q at the end and found.Line = 4", regions.Regions, "/program.py")
	}
	report, _ := run("trace", "report", "traced")
	for _, row := range []string{"function program.py:4 in `solve` +2 ", "len +3 "} {
		if !regexp.MustCompile("(?m)^" + row).MatchString(report) {
			t.Errorf("the report lacks `%s`:\n%s", row, report)
		}
	}
	run("trace", "export", "-o", "trace.json", "traced")
	text, err := os.ReadFile("trace.json")
	if err != nil || !strings.Contains(string(text), `"name":"solve"`) {
		t.Errorf("trace.json lacks the function: %v", err)
	}
	_, said = run("trace", "record", "-o", "profiled", "--", python, "program.py", "profiled")
	// Since Python 3.12, a profile function and the tracer can be used together.
	both := exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 12))").Run() == nil
	if warned := strings.Contains(said, "Python was not traced while the program had its own profile function"); warned == both {
		t.Errorf("a profile function beside the tracer: %v; %s; want other than %v", both, said, both)
	}
}

// TestTracePythonPipeline: processes that are Python classes are traced together with their
// pipeline.
func TestTracePythonPipeline(t *testing.T) {
	need.Slow(t)
	need.Python(t)
	need.Compiler(t, "cc")
	sources, err := filepath.Abs(filepath.Join("..", "python"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("PYTHONPATH", sources)
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	for name, text := range map[string]string{
		"effects.py": "from pentode import Process, port\n\n\nclass Twice(Process):\n    number = port.input(\"integer\")\n    product = port.output(\"integer\")\n\n    def step(self, number):\n        return 2 * number\n",
		"twice.pipe": "process n :: numbers\n  end = 5\nprocess t :: python\n  class = effects.Twice\nprocess d :: sink\nconnect from n.number to t.number\nconnect from t.product to d.sink\n",
		"c.txt":      "[Python.default]\n    modules = effects\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	if code := Run(Options{}, []string{"trace", "record", "-o", "traced", "--policy", "c.txt", "--", "pentode", "run", "twice.pipe"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("it ended with %d: %s", code, errs.String())
	}
	out.Reset()
	if code := Run(Options{}, []string{"trace", "report", "traced"}, strings.NewReader(""), &out, &errs); code != 0 || !regexp.MustCompile("(?m)^function effects.py:8 in `Twice.step` +5 ").MatchString(out.String()) {
		t.Errorf("the report ended with %d: %s%s", code, out.String(), errs.String())
	}
}

// TestTracePythonRefused: an interpreter that cannot be traced is reported. The test uses a fake
// Python that has the functions the tracer looks for, but they do nothing.
func TestTracePythonRefused(t *testing.T) {
	need.Slow(t)
	cc := need.Compiler(t, "cc")
	header, err := os.ReadFile(filepath.Join("..", "run", "trace", "agent", "src", "python_api.h"))
	if err != nil {
		t.Fatal(err)
	}
	var stubs strings.Builder
	for _, name := range slices.Compact(slices.Sorted(slices.Values(regexp.MustCompile(`\b_?Py[A-Z_]\w+`).FindAllString(string(header), -1)))) {
		if name != "Py_GetVersion" && name != "Py_IncRef" {
			fmt.Fprintf(&stubs, "void %s(void) {}\n", name)
		}
	}
	stubs.WriteString(`#ifndef MISSING
void Py_IncRef(void) {}
#endif
char _Py_NoneStruct[64], PyCFunction_Type[64], PyCMethod_Type[64], PyMethodDescr_Type[64];
const char *Py_GetVersion(void) { return VERSION; }
static int (*hook)(const char *, void *, void *);
int PySys_AddAuditHook(int (*f)(const char *, void *, void *), void *data) { return data ? -1 : (hook = f, 0); }
int main(void) { return hook ? hook("cpython.run_command", 0, 0) : 1; }
`)
	t.Chdir(t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if err := os.WriteFile("standin.c", []byte(stubs.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ version, define, want string }{
		{"3.8.10 (default)", "-DPRESENT", "it is older than 3.9"},
		{"2.7.18 (default)", "-DPRESENT", "it is older than 3.9"},
		{"3.13.0 experimental free-threading build (main)", "-DPRESENT", "this is a free-threaded build"},
		{"3.12.3 (main)", "-DMISSING", "the interpreter does not export the functions of its C interface"},
	} {
		if out, err := exec.Command(cc, "-rdynamic", c.define, fmt.Sprintf("-DVERSION=%q", c.version), "standin.c", "-o", "standin").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var out, errs bytes.Buffer
		if code := Run(Options{}, []string{"trace", "record", "-o", "traced", "--", "./standin"}, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%s ended with %d: %s", c.version, code, errs.String())
		}
		if want := "Python was not traced: " + c.want; !strings.Contains(errs.String(), want) || strings.Count(errs.String(), "not traced") != 1 {
			t.Errorf("%s: %s\nwant: %s", c.version, errs.String(), want)
		}
		if err := os.RemoveAll("traced"); err != nil {
			t.Fatal(err)
		}
	}
}
