//go:build linux

package collect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
)

// pythonScript writes a program to a file.
func pythonScript(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.py")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The tracer keeps no object of the program alive: code objects are freed as usual, and called objects
// have as many references as before.
func TestPythonKeepsNothing(t *testing.T) {
	b, interpreters := newPython(t)
	script := pythonScript(t, `
import gc, sys, weakref

def called(x):
    return len(x)

def count(what):
    before = [sys.getrefcount(o) for o in what]
    for _ in range(20000):
        called("text")
    return [a - b for a, b in zip([sys.getrefcount(o) for o in what], before)]

def made(n):
    space = {"__name__": "__main__"}
    exec(compile("def f%d(x): return abs(x)" % n, "made.py", "exec"), space)
    f = space["f%d" % n]
    f(1)
    return weakref.ref(f.__code__)

what = [called, called.__code__, called.__globals__, len, None, "called", called.__code__.co_filename]
count(what)
print([n < 100 for n in count(what)])
alive = [made(n) for n in range(50)]
gc.collect()
print(sum(r() is not None for r in alive))
blocks = []
for _ in range(4):
    for _ in range(5000):
        called("text")
    gc.collect()
    blocks.append(sys.getallocatedblocks())
print(blocks[3] - blocks[1] < 100)
`)
	for _, interpreter := range interpreters {
		_, out, _ := b.python(pythonConfig(), func(o *Options) { o.RingBytes = 8 << 20 }, interpreter, script)
		if out != "[True, True, True, True, True, True, True]\n0\nTrue\n" {
			t.Errorf("%s: %s; want %q", interpreter, out, "[True, True, True, True, True, True, True]\n0\nTrue\n")
		}
	}
}

// pathsProgram prints the settings of its Python.
const pathsProgram = `
import sys

def own():
    return sorted(sys.modules), sys.path, sys.prefix, sys.executable, sys.flags, sys.argv[1:], getattr(__builtins__, "customized", 0)

print(own())
`

// A traced program finds its Python unchanged: imports, paths, its own sitecustomize, flags, and output.
func TestPythonIsLeftAlone(t *testing.T) {
	need.Slow(t)
	b, interpreters := newPython(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"), []byte("import builtins\nbuiltins.customized = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", dir)
	script := pythonScript(t, pathsProgram)
	for _, interpreter := range interpreters {
		for _, flags := range [][]string{nil, {"-I"}, {"-S"}, {"-E", "-s"}} {
			args := append(append([]string{interpreter}, flags...), script, "a", "b c")
			traced, out, _ := b.python(pythonConfig(), nil, args...)
			plain, err := output(args)
			if err != nil {
				t.Fatal(err)
			}
			if out != plain || out == "" {
				t.Errorf("%q prints %s with a tracer, and %s without", args, out, plain)
			}
			if customized := strings.HasSuffix(out, ", 1)\n"); customized != (flags == nil) {
				t.Errorf("%q: the program's own sitecustomize was run: %v, want %v", args, customized, (flags == nil))
			}
			if got := counted(pythonEvents(b.read(traced)))["calls own"]; got != 1 {
				t.Errorf("%q: own was called %d times, want 1", args, got)
			}
		}
	}
}

// A program in a virtual environment is traced as usual, with the modules installed there.
func TestPythonVirtual(t *testing.T) {
	b, interpreters := newPython(t)
	script := pythonScript(t, "import inside\ninside.work()\n"+pathsProgram)
	for _, interpreter := range interpreters {
		dir := filepath.Join(t.TempDir(), "env")
		if out, err := output([]string{interpreter, "-m", "venv", "--without-pip", dir}); err != nil {
			need.Ability(t, "the module venv of Python", fmt.Errorf("%w: %s", err, out))
		}
		packages, err := filepath.Glob(filepath.Join(dir, "lib", "python3*", "site-packages"))
		if err != nil || len(packages) != 1 {
			t.Fatal(packages, err)
		}
		if err := os.WriteFile(filepath.Join(packages[0], "inside.py"), []byte("def work():\n    pass\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{filepath.Join(dir, "bin", "python3"), "-B", script}
		traced, out, _ := b.python(pythonConfig("__main__", "inside"), nil, args...)
		plain, err := output(args)
		if err != nil || out != plain || !strings.Contains(out, packages[0]) {
			t.Errorf("%q prints %s with a tracer, and %s without, %v", args, out, plain, err)
		}
		if got := counted(pythonEvents(b.read(traced))); got["calls own"] != 1 || got["calls work"] != 1 {
			t.Errorf("%q: %v, want got[\"calls own\"] = 1 and got[\"calls work\"] = 1", args, got)
		}
	}
}

// Code without a module, for example while the interpreter ends, is traced if all modules are.
func TestPythonWithoutModule(t *testing.T) {
	b, interpreters := newPython(t)
	script := pythonScript(t, `
class Last:
    def __del__(self):
        apart()

exec("def apart(): pass\napart()", space := {})
apart = space["apart"]
last = Last()
`)
	for _, interpreter := range interpreters {
		for _, c := range []struct {
			modules []string
			want    int
		}{{nil, 0}, {[]string{"*"}, 2}} {
			dir, _, _ := b.python(pythonConfig(c.modules...), nil, interpreter, script)
			if got := counted(pythonEvents(b.read(dir)))["calls apart"]; got != c.want {
				t.Errorf("%s, modules %q: apart was traced %d times, want %d", interpreter, c.modules, got, c.want)
			}
		}
	}
}

// A program with its own profile function keeps it, and the run reports this. From 3.12 on both work.
func TestPythonProfiled(t *testing.T) {
	b, interpreters := newPython(t)
	script := pythonScript(t, `
import sys
seen = []

def before():
    pass

def after():
    pass

before()
sys.setprofile(lambda frame, event, arg: seen.append(event))
after()
sys.setprofile(None)
print(seen.count("call"), sys.version_info >= (3, 12))
`)
	for _, interpreter := range interpreters {
		dir, out, c := b.python(pythonConfig(), nil, interpreter, script)
		counts, both := counted(pythonEvents(b.read(dir))), strings.HasSuffix(out, "True\n")
		if !strings.HasPrefix(out, "1 ") || counts["calls before"] != 1 || c.Python.Taken == both || (counts["calls after"] == 1) != both {
			t.Errorf("%s: prints %s; %v, %+v; want out = %q at the start, counts[\"calls before\"] = 1, c.Python.Taken other than %v and (counts[\"calls after\"] == 1) = %v", interpreter, out, counts, c.Python, "1 ", both, both)
		}
	}
}

// In the mode MONITORING functions are counted and not recorded; in OFF and STANDBY they are not counted either.
func TestPythonModes(t *testing.T) {
	need.Slow(t)
	b, interpreters := newPython(t)
	for _, interpreter := range interpreters {
		for mode, want := range map[trace.Mode]uint64{trace.Off: 0, trace.Standby: 0, trace.Monitoring: 177} {
			config := &trace.Config{Domains: map[string]trace.DomainLayer{trace.Python: {Mode: mode}}}
			_, _, c := b.python(config, nil, interpreter, filepath.Join("testdata", "python", "recursion.py"))
			got := uint64(0)
			for _, m := range c.Monitored {
				if m.Domain == trace.Python && m.Region == "fib" {
					got = m.Count
				}
			}
			if got != want || c.Counts.Events != 0 {
				t.Errorf("%s, %v: fib was counted %d times, and there are %d events; want %d and none", interpreter, mode, got, c.Counts.Events, want)
			}
		}
	}
}

// output returns what a program prints without being traced.
func output(args []string) (string, error) {
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	return string(out), err
}
