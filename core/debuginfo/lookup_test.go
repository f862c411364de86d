package debuginfo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

const jacobi = `#include <stdio.h>

static int helper(int a)
{
	return a * 2;
}

int jacobi(int n)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += helper(i);
	return sum;
}

int main(void)
{
	printf("%d\n", jacobi(4));
	return 0;
}
`

// checkLines checks everything that the line table of the program above contains.
func checkLines(t *testing.T, f *File) {
	t.Helper()
	addrs, err := f.Line("main.c", 5)
	if err != nil || len(addrs) == 0 {
		t.Fatalf("line 5: %v, %v", addrs, err)
	}
	frame, ok := f.Lookup(addrs[0])
	if !ok || frame.Function != "helper" || filepath.Base(frame.File) != "main.c" || frame.Line != 5 || frame.Column == 0 {
		t.Errorf("0x%x is %+v, want helper in main.c at line 5, with a column", addrs[0], frame)
	}
	addrs, err = f.Line("main.c", 13)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if frame, _ := f.Lookup(a); frame.Function != "jacobi" || frame.Line != 13 {
			t.Errorf("0x%x is %+v, want jacobi at line 13", a, frame)
		}
	}
	for _, c := range []struct {
		file string
		line int
		want string
	}{
		{"main.c", 7, "line 7 of `main.c` has no code: the nearest lines with code are 6 and 9"},
		{"main.c", 900, "line 900 of `main.c` has no code: the last line with code is 21"},
		{"ain.c", 5, "no code in `program` was compiled from a file `ain.c`"},
	} {
		if _, err := f.Line(c.file, c.line); err == nil || err.Error() != c.want {
			t.Errorf("line %d: %v, want %s", c.line, err, c.want)
		}
	}
}

// checkFunctions checks everything that the symbol table contains.
func checkFunctions(t *testing.T, f *File) {
	t.Helper()
	for name, user := range map[string]string{"main": "main", "jacobi": "jacobi", "helper": "helper", "jacobi._omp_fn.0": "jacobi"} {
		ranges, ok := f.Function(name)
		if !ok || len(ranges) != 1 || ranges[0].Low >= ranges[0].High {
			t.Errorf("%s: %v, want one range that is not empty", name, ranges)
			continue
		}
		for _, addr := range []uint64{ranges[0].Low, ranges[0].High - 1} {
			if frame, ok := f.Lookup(addr); !ok || frame.Function != user {
				t.Errorf("0x%x is %+v, want %s", addr, frame, user)
			}
		}
	}
	if _, ok := f.Function("nothing"); ok {
		t.Error("`nothing` was found")
	}
	if frame, ok := f.Lookup(1 << 60); ok {
		t.Errorf("an address outside is %+v, want nothing found", frame)
	}
	funcs, err := f.Functions()
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(funcs); i++ {
		if funcs[i-1].Low > funcs[i].Low {
			t.Errorf("%s before %s", funcs[i-1].Name, funcs[i].Name)
		}
	}
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name  string
		pie   bool
		flags []string
	}{
		{"pie", true, []string{"-fPIE", "-pie"}},
		{"fixed", false, []string{"-fno-pie", "-no-pie"}},
		{"dwarf 4", true, []string{"-gdwarf-4"}},
		{"compressed", true, []string{"-gz"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, compile(t, t.TempDir(), jacobi, append(c.flags, "-g", "-O0", "-fopenmp")...), Options{})
			if f.PIE != c.pie {
				t.Errorf("PIE is %v, want %v", f.PIE, c.pie)
			}
			if f.from == nil || f.why != "" {
				t.Errorf("no debug information: %s", f.why)
			}
			checkFunctions(t, f)
			checkLines(t, f)
		})
	}
}

func TestSeparateDebugFile(t *testing.T) {
	need.Slow(t)
	for _, c := range []struct {
		name  string
		flags []string
		place func(dir, program string) string // returns the path of the debug file
	}{
		{"beside", []string{"-Wl,--build-id=none"}, func(dir, _ string) string { return filepath.Join(dir, "program.debug") }},
		{".debug", []string{"-Wl,--build-id=none"}, func(dir, _ string) string { return filepath.Join(dir, ".debug/program.debug") }},
		{"debug folder", []string{"-Wl,--build-id=none"}, func(dir, _ string) string { return filepath.Join(dir, "lib", dir, "program.debug") }},
		{"build id", []string{"-Wl,--build-id=0xabcdef0123"}, func(dir, _ string) string {
			return filepath.Join(dir, "lib/.build-id/ab/cdef0123.debug")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			program := compile(t, dir, jacobi, append(c.flags, "-g", "-O0", "-fopenmp")...)
			debug := c.place(dir, program)
			run(t, dir, "mkdir", "-p", filepath.Dir(debug))
			run(t, dir, "objcopy", "--only-keep-debug", program, debug)
			run(t, dir, "objcopy", "--strip-debug", "--add-gnu-debuglink="+debug, program)
			link := filepath.Join(t.TempDir(), "program") // debuggers look for the debug file in the folder of the program itself, not of a link to it
			if err := os.Symlink(program, link); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{program, link} {
				f := open(t, path, Options{DebugDirs: []string{filepath.Join(dir, "lib")}})
				if f.DebugPath == "" {
					t.Fatalf("%v; want other than nothing", f.why)
				}
				checkFunctions(t, f)
				checkLines(t, f)
			}
		})
	}
}

func TestWithoutDebugInformation(t *testing.T) {
	dir := t.TempDir()
	program := compile(t, dir, jacobi, "-O0", "-fopenmp")
	f := open(t, program, Options{})
	checkFunctions(t, f)
	const want = "`program` has no debug information: compile with -g"
	if _, err := f.Line("main.c", 5); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if err := f.DWARF(nil); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	run(t, dir, "strip", "--strip-all", program)
	f = open(t, program, Options{})
	if _, ok := f.Function("helper"); ok {
		t.Error("a stripped program names `helper`")
	}
}

func TestWrongDebugFile(t *testing.T) {
	dir := t.TempDir()
	program := compile(t, dir, jacobi, "-g", "-fopenmp", "-Wl,--build-id=none")
	debug := filepath.Join(dir, "program.debug")
	run(t, dir, "objcopy", "--only-keep-debug", program, debug)
	run(t, dir, "objcopy", "--strip-debug", "--add-gnu-debuglink="+debug, program)
	run(t, dir, "cp", program, debug)
	f := open(t, program, Options{DebugDirs: []string{}})
	if !strings.Contains(f.why, "program.debug` does not belong to this build of `program`") {
		t.Errorf("%v; want %q in it", f.why, "program.debug` does not belong to this build of `program`")
	}
	run(t, dir, "rm", debug)
	f = open(t, program, Options{DebugDirs: []string{"/nowhere"}})
	if f.why != "`program` has no debug information: its debug file `program.debug` was not found beside it nor in /nowhere" {
		t.Errorf("%v; want %q", f.why, "`program` has no debug information: its debug file `program.debug` was not found beside it nor in /nowhere")
	}
}

func TestNotAProgram(t *testing.T) {
	for path, want := range map[string]string{
		"/no/such/file":  "cannot read `/no/such/file`: no such file or directory",
		".":              "`.` is not a file",
		"lookup_test.go": "`lookup_test.go` is not a program in ELF format, or it is damaged",
	} {
		if _, err := Open(path, Options{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestSameFileNameTwice(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "mkdir", "a", "b")
	run(t, dir, "sh", "-c", `echo 'int one(void) { return 1; }' > a/part.c; echo 'int two(void) { return 2; }' > b/part.c`)
	run(t, dir, "sh", "-c", `echo 'int one(void), two(void); int main(void) { return one() + two(); }' > main.c`)
	run(t, dir, "gcc", "-g", "a/part.c", "b/part.c", "main.c", "-o", "program")
	f := open(t, filepath.Join(dir, "program"), Options{})
	if _, err := f.Line("part.c", 1); err == nil || !strings.Contains(err.Error(), "a/part.c` or `") {
		t.Errorf("got %v", err)
	}
	addrs, err := f.Line("b/part.c", 1)
	if err != nil {
		t.Fatal(err)
	}
	if frame, _ := f.Lookup(addrs[0]); frame.Function != "two" {
		t.Errorf("got %+v, want %q", frame, "two")
	}
}

// TestSharedHeader: a line of a header has code in every file that includes it,
// and the addresses are in order.
func TestSharedHeader(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "sh", "-c", `echo 'static int PLACE both(int n) { return n * 3; }' > part.h`)
	run(t, dir, "sh", "-c", `printf '#define PLACE\n#include "part.h"\nint one(int n) { return both(n); }\n' > a.c`)
	// The linker puts rarely executed code before the other code.
	run(t, dir, "sh", "-c", `printf '#define PLACE __attribute__((section(".text.unlikely.x")))\n#include "part.h"\nint two(int n) { return both(n); }\n' > b.c`)
	run(t, dir, "gcc", "-g", "-O0", "-shared", "-fPIC", "a.c", "b.c", "-o", "program")
	f := open(t, filepath.Join(dir, "program"), Options{})
	got, err := f.Line("part.h", 1)
	if err != nil {
		t.Fatal(err)
	}
	ranges, _ := f.Function("both")
	if len(got) != 2 || len(ranges) != 2 || got[0] != ranges[0].Low || got[1] != ranges[1].Low {
		t.Errorf("the line is at %x, and its functions at %x; want len(got) = 2, len(ranges) = 2, got[0] = %v and got[1] = %v", got, ranges, ranges[0].Low, ranges[1].Low)
	}
	if sites, err := f.Sites("part.h", 1, func(string) bool { return true }); err != nil || len(sites) != 2 || sites[0].Address != got[0] || sites[1].Address != got[1] {
		t.Errorf("sites %x, %v, want %x", sites, err, got)
	}
}

// TestFunctionsWithoutSize checks that an assembly function without a size ends
// where the next one begins, or with its section, and that the inner one of nested
// functions is returned.
func TestFunctionsWithoutSize(t *testing.T) {
	f := open(t, compile(t, t.TempDir(), `
__asm__(".section .own,\"ax\",@progbits\n"
	".type one,@function\none: .byte 0, 0\n"
	".type two,@function\ntwo: .byte 0, 0, 0\n"
	".section .nested,\"ax\",@progbits\n"
	".type outer,@function\nouter: .byte 0, 0\n"
	".type inner,@function\ninner: .byte 0, 0, 0\n"
	".size inner, 3\n.byte 0\n.size outer, 6\n.text\n");
int main(void) { return 0; }
`), Options{})
	for name, size := range map[string]uint64{"one": 2, "two": 3, "outer": 6, "inner": 3} {
		if got, ok := f.Function(name); !ok || got[0].High-got[0].Low != size {
			t.Errorf("%s: %x, want %d bytes", name, got, size)
		}
	}
	outer, _ := f.Function("outer")
	for at, want := range map[uint64]string{0: "outer", 1: "outer", 2: "inner", 4: "inner", 5: "outer", 6: ""} {
		if frame, _ := f.Lookup(outer[0].Low + at); frame.Function != want {
			t.Errorf("byte %d is in `%s`, want `%s`", at, frame.Function, want)
		}
	}
	two, _ := f.Function("two")
	if frame, ok := f.Lookup(two[0].Low + 2); !ok || frame.Function != "two" {
		t.Errorf("the last byte of a section is in %+v, want `two`", frame)
	}
}

// TestLongNames checks that a very long name is cut.
func TestLongNames(t *testing.T) {
	long, longer := strings.Repeat("f", maxName-1), strings.Repeat("f", maxName)
	f := open(t, compile(t, t.TempDir(), "int "+long+"(void) { return 1; } int "+longer+"(void) { return 2; } int main(void) { return 0; }"), Options{})
	if _, ok := f.Function(long); !ok {
		t.Errorf("a name of %d bytes is not found", len(long))
	}
	if _, ok := f.Function(longer); ok {
		t.Errorf("a name of %d bytes is found, want it not found", len(longer))
	}
}

func TestEndsIn(t *testing.T) {
	for _, c := range []struct {
		full, tail string
		want       bool
	}{
		{"/src/main.c", "main.c", true},
		{"/src/main.c", "src/main.c", true},
		{"/src/main.c", "./main.c", true},
		{"/src/main.c", "/src/main.c", true},
		{"/src/main.c", "/main.c", false},
		{"/src/domain.c", "main.c", false},
		{"main.c", "main.c", true},
		{"main.c", "src/main.c", false},
	} {
		if got := endsIn(c.full, c.tail); got != c.want {
			t.Errorf("%s in %s: %v, want %v", c.tail, c.full, got, c.want)
		}
	}
}

// TestSites checks that Sites returns one place for each function with code of a
// line, even if a loop makes the code of the line begin more than once in a
// function.
func TestSites(t *testing.T) {
	text := "volatile int g; int f(void) { return g; } int h(int n) { for (int i = 0; i < n; i++) g += f(); return g; }\n" +
		"int main(int n, char **v) {\n\th(n);\n\tf();\n\treturn 0;\n}\n"
	for _, flags := range [][]string{{"-g", "-O0"}, {"-g", "-O0", "-no-pie"}, {"-g", "-O2", "-fno-inline"}} {
		f := open(t, compile(t, t.TempDir(), text, flags...), Options{})
		got, err := f.Sites("main.c", 1, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, site := range got {
			frame, _ := f.Region(site.Address)
			names = append(names, fmt.Sprintf("%s:%d", frame.Function, frame.Line))
		}
		if text := strings.Join(names, " "); text != "f:1 h:1" {
			t.Errorf("%v: %s; want %q", flags, text, "f:1 h:1")
		}
		// The return address of a call belongs to the line of the call, even if
		// another line begins there.
		for _, c := range callsIn(t, f, "main") {
			frame, _ := f.Region(c.next)
			if want := map[string]int{"h": 3, "f": 4}[c.callee]; frame.Line != want || frame.Function != "main" {
				t.Errorf("%v: the call of `%s` stands at %+v, want line %d", flags, c.callee, frame, want)
			}
		}
	}
}

const calls = `#include <stdlib.h>
#include <string.h>
static __attribute__((noinline)) long own(long n) { return n * 3; }
int main(int n, char **v)
{
	char *s = malloc(n); free(s);
	s = getenv(v[0]);
	n = own(n) + strlen(v[0]);
	return n + !s;
}
`

// TestSitesOfCalls checks that Sites finds the return addresses of calls: of
// shared libraries, through the linker's stubs or the loader's slots, and within
// the program.
func TestSitesOfCalls(t *testing.T) {
	need.Slow(t)
	all := func(callee string) bool { return callee != "" }
	for _, c := range []struct{ compiler, flags string }{
		{"gcc", "-O0"}, {"gcc", "-O2"}, {"gcc", "-O2 -no-pie"}, {"gcc", "-O2 -fno-plt"}, {"gcc", "-O2 -fcf-protection -Wl,-z,ibtplt"},
		{"clang", "-O0"}, {"clang", "-O2"}, {"aarch64-linux-gnu-gcc", "-O2"}, {"aarch64-linux-gnu-gcc", "-O2 -mbranch-protection=standard"},
	} {
		t.Run(c.compiler+" "+c.flags, func(t *testing.T) {
			if c.flags != "-O2" {
				need.Slow(t)
			}
			dir := t.TempDir()
			flags := append(strings.Fields(c.flags), "-g", "-fno-builtin")
			need.Compiler(t, c.compiler, flags...)
			f := open(t, compileWith(t, dir, c.compiler, calls, flags...), Options{})
			for line, want := range map[int]string{6: "malloc free", 7: "getenv", 8: "own strlen"} {
				sites, err := f.Sites("main.c", line, all)
				if err != nil {
					t.Fatal(err)
				}
				var callees []string
				for _, s := range sites {
					callees = append(callees, s.Callee)
					if frame, _ := f.Region(s.Address); frame.Line != line || frame.Function != "main" {
						t.Errorf("the call of `%s` is at %+v, want frame.Line = %v and frame.Function = %q", s.Callee, frame, line, "main")
					}
				}
				slices.Sort(callees) // the compiler chooses the order of evaluation
				sorted := strings.Fields(want)
				slices.Sort(sorted)
				if !slices.Equal(callees, sorted) {
					t.Errorf("line %d calls %s, want %s", line, callees, want)
				}
			}
		})
	}
}

// TestOpenReadsLittle checks that the debug information of a program is read only
// when a request needs it.
func TestOpenReadsLittle(t *testing.T) {
	f := open(t, compile(t, t.TempDir(), "int main(void) { return 0; }\n", "-g", "-gz"), Options{})
	if f.tables != nil {
		t.Error("the debug information is read before it is asked for")
	}
	if _, err := f.Line("main.c", 1); err != nil || f.tables == nil {
		t.Errorf("%v; the debug information was read: %t", err, f.tables != nil)
	}
}
