package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// made is the folder of the installation, or "" if no test has needed one.
var made string

// whole installs everything once for all tests.
var whole = sync.OnceValues(func() (in *installation, err error) {
	if made, err = os.MkdirTemp("", "pdi-install-"); err != nil {
		return nil, err
	}
	in, err = install(made, runtime.GOARCH, false)
	in.prefix = made
	return in, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(made)
	os.Exit(code)
}

// prefix returns the installation for a test that needs one.
func prefix(t testing.TB) string {
	t.Helper()
	need.Compiler(t, "cc")
	in, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	return in.prefix
}

// testdata returns the path of a test file.
func testdata(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// compile compiles a C program against an installation.
func compile(t testing.TB, prefix, name string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", "-rdynamic", "-I", filepath.Join(prefix, "include"), testdata(t, name),
		"-o", program, "-L", filepath.Join(prefix, "lib"), "-lpdi", "-lparaconf", "-lpthread", "-lm", "-ldl", "-Wl,-rpath," + filepath.Join(prefix, "lib")}, flags...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%s does not compile: %v\n%s", name, err, out)
	}
	return program
}

// start runs a program in a new folder and returns its exit status and its output.
func start(t testing.TB, prefix, program string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(prefix, "lib/python3/dist-packages"))
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(out)
}

// TestC runs each C program in testdata and checks its exit status.
func TestC(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
	}{
		{"calls.c", 0},
		{"handlers.c", 7}, // the default handler ends the program with the error's status
		{"memory.c", 0},
		{"paraconf.c", 0},
		{"process.c", 0},
		{"async.c", 0},
		{"hdf5.c", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := prefix(t)
			var args []string
			if c.name == "handlers.c" && need.Full() {
				args = []string{"3000000"} // number of times that it leaves a handler with longjmp
			}
			if status, out := start(t, p, compile(t, p, c.name), args...); status != c.status {
				t.Errorf("ended with %d, want %d\n%s", status, c.status, out)
			}
		})
	}
}

// TestFaults ends programs by faults: each must end by its own signal. A fault in the library prints one line first,
// a fault in the program prints none. A program that handles the signal must get it.
func TestFaults(t *testing.T) {
	p := prefix(t)
	program := compile(t, p, "fault.c")
	for _, c := range []struct {
		way    string
		signal syscall.Signal // 0: none
		line   string
	}{
		{"library", syscall.SIGSEGV, "libpdi: PDI_expose of `n` uses memory at 0x7123456000, which does not exist: "},
		{"function", syscall.SIGSEGV, ""},
		{"program", syscall.SIGSEGV, ""},
		{"null", syscall.SIGSEGV, ""},
		{"sent", syscall.SIGSEGV, ""},
		{"division", syscall.SIGFPE, ""},
		{"nil", 0, ""},
		{"handled", 0, ""},
	} {
		t.Run(c.way, func(t *testing.T) {
			out, err := exec.Command("/bin/sh", "-c", "ulimit -c 0; exec \"$0\" "+c.way, program).CombinedOutput()
			var ended syscall.Signal
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
					ended, err = status.Signal(), nil
				}
			}
			lines := strings.Count(string(out), "\n")
			if err != nil || ended != c.signal || !strings.HasPrefix(string(out), c.line) || lines != min(1, len(c.line)) {
				t.Errorf("ended with %v, signal %d, want %d\n%s", err, ended, c.signal, out)
			}
		})
	}
}

// TestHeap checks that the library leaves no remains in the heap: after it has read its tree, memory that the
// program allocates must not contain parts of the tree.
func TestHeap(t *testing.T) {
	need.Slow(t)
	p := prefix(t)
	tree := filepath.Join(t.TempDir(), "tree.yml")
	text := "sizes: [4, 8]\npdi:\n  metadata: {width: int}\n  data: {field: {type: array, subtype: double, size: [$width, $width]}}\n" +
		"  plugins:\n    trace:\n    decl_hdf5: {file: a.h5, on_event: start, write: [width]}\n" + strings.Repeat("# a line that makes it longer\n", 5000)
	if err := os.WriteFile(tree, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, out := start(t, p, compile(t, p, "heap.c"), tree); status != 0 {
		t.Errorf("ended with %d\n%s\nwant 0", status, out)
	}
}

// TestLog checks that lines of the log and output of the program appear in the order in which they were written.
func TestLog(t *testing.T) {
	p := prefix(t)
	program := compile(t, p, "log.c")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "first\nInitialization successful\nsecond\nFinalization\nthird\n"},
		{[]string{"leave"}, "first\nInitialization successful\nsecond\nthird\nFinalization\n"},
	} {
		if status, out := start(t, p, program, c.args...); status != 0 || out != c.want {
			t.Errorf("ended with %d\n%s\nwant\n%s", status, out, c.want)
		}
	}
}

// TestCheck checks the output of PDI_init for a tree: errors and unknown keys, or all findings, on the first rank.
// The status stays the same.
func TestCheck(t *testing.T) {
	p := prefix(t)
	program := compile(t, p, "errors.c")
	const (
		wrong  = "data: {x: nosuch}\n"
		key    = "data: {x: int, y: {type: int, size: 3}}\n"
		plugin = "data: {x: int}\nplugins: {trace: {levle: info}}\n"
		root   = "dta: {x: int}\n"
		unused = "metadata: {x: int}\n"
	)
	for _, c := range []struct{ env, tree, status, says string }{
		{"", wrong, "2 ", "unknown type `nosuch`"},
		{"OMPI_COMM_WORLD_RANK=0", wrong, "2 ", "unknown type `nosuch`"},
		{"OMPI_COMM_WORLD_RANK=1", wrong, "2 ", ""},
		{"PENTODE_CHECK=off", wrong, "2 ", ""},
		{"", key, "0 ", "only an `array` has a size"},
		{"", plugin, "0 ", "`levle`"},
		{"", root, "0 ", "`dta` is not a section and is ignored"},
		{"", unused, "0 ", ""},
		{"OMPI_COMM_WORLD_RANK=1", key, "0 ", ""},
		{"PENTODE_CHECK=errors", key, "0 ", ""},
		{"PENTODE_CHECK=off", key, "0 ", ""},
		{"PENTODE_CHECK=all", unused, "0 ", "nothing in the tree reads the metadata `x`"},
	} {
		cmd := exec.Command(program)
		cmd.Stdin = strings.NewReader(strconv.Itoa(len(c.tree)) + "\n" + c.tree)
		cmd.Env = append(os.Environ(), c.env)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		findings, answer := "", stderr.String()
		if i := strings.LastIndex(answer, "\n"+c.status); i >= 0 {
			findings, answer = answer[:i+1], answer[i+1:]
		}
		if !strings.HasPrefix(answer, c.status) || !strings.Contains(findings, c.says) || c.says == "" && findings != "" {
			t.Errorf("with %q, %s gives\n%s; want %q in the findings (nothing found if that is empty), then %q", c.env, c.tree, stderr.String(), c.says, c.status)
		}
	}
}

// complaints returns valgrind's findings, each a paragraph of lines `==PID== text`. Go's memory is in anonymous
// segments, which valgrind does not know.
func complaints(out string) []string {
	var list []string
	var paragraph []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "==") {
			continue
		}
		if _, text, _ := strings.Cut(line[2:], "== "); strings.TrimSpace(text) != "" {
			paragraph = append(paragraph, line)
			continue
		}
		if all := strings.Join(paragraph, ""); all != "" && !strings.Contains(all, "anonymous segment") {
			list = append(list, all)
		}
		paragraph = nil
	}
	return list
}

// TestMemory runs programs with a memory checker: no memory may leak or be misused.
func TestMemory(t *testing.T) {
	need.Slow(t)
	for _, name := range []string{"calls.c", "memory.c", "paraconf.c"} {
		t.Run("valgrind "+name, func(t *testing.T) {
			valgrind := need.Program(t, "valgrind", "--version")
			p := prefix(t)
			status, out := start(t, p, valgrind, "-q", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
				"--undef-value-errors=no", "--suppressions="+testdata(t, "go.supp"), compile(t, p, name))
			if status != 0 {
				t.Errorf("ended with %d\n%s\nwant 0", status, out)
			}
			for _, found := range complaints(out) {
				t.Errorf("valgrind says\n%s; want no complaint", found)
			}
		})
		t.Run("sanitizer "+name, func(t *testing.T) {
			need.Compiler(t, "cc", "-fsanitize=address")
			p := prefix(t)
			if status, out := start(t, p, compile(t, p, name, "-fsanitize=address")); status != 0 {
				t.Errorf("ended with %d\n%s\nwant 0", status, out)
			}
		})
	}
}

// TestOtherPDI reads a tree while another libpdi is loaded. It represents the original's libpdi, whose programs may
// use our trees.
func TestOtherPDI(t *testing.T) {
	p := prefix(t)
	other := filepath.Join(t.TempDir(), "libpdi.so.1")
	if out, err := exec.Command("cc", "-shared", "-o", other, "-Wl,-soname,libpdi.so.1", "-x", "c", "/dev/null").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := compile(t, p, "reader.c")
	t.Setenv("LD_PRELOAD", other)
	if status, out := start(t, p, program); status != 0 {
		t.Errorf("ended with %d\n%s\nwant 0", status, out)
	}
}

// compileFortran compiles a program against an installation with gfortran.
func compileFortran(t *testing.T, prefix, name string) string {
	t.Helper()
	compiler := need.Program(t, "gfortran", "--version")
	modules, err := filepath.Glob(filepath.Join(prefix, "lib/*/finclude/*"))
	if err != nil || len(modules) != 2 {
		t.Fatalf("modules are in %q: %v", modules, err)
	}
	lib := filepath.Join(prefix, "lib")
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".f90"))
	out, err := exec.Command(compiler, testdata(t, name), "-J", t.TempDir(), "-I", modules[0], "-I", modules[1], "-o", program,
		"-L", lib, "-lpdi_f90", "-lparaconf_f90", "-lpdi", "-lparaconf", "-Wl,-rpath,"+lib).CombinedOutput()
	if err != nil {
		t.Fatalf("%s does not compile: %v\n%s", name, err, out)
	}
	return program
}

func TestFortran(t *testing.T) {
	need.Program(t, "gfortran", "--version")
	p := prefix(t)
	if status, out := start(t, p, compileFortran(t, p, "share.f90"), testdata(t, "share.yml")); status != 0 {
		t.Errorf("ended with %d\n%s\nwant 0", status, out)
	}
}

func TestPython(t *testing.T) {
	python := need.Python(t, "numpy")
	p := prefix(t)
	if status, out := start(t, p, filepath.Join(p, "bin/pdirun"), python, testdata(t, "arrays.py")); status != 0 {
		t.Errorf("ended with %d\n%s\nwant 0", status, out)
	}
}

// TestPythonOtherType shares a value of another type than declared, many times: the log must report it once for each
// name and store.
func TestPythonOtherType(t *testing.T) {
	python := need.Python(t, "numpy")
	p := prefix(t)
	const program = `
import pdi, numpy as np
for _ in range(2):
    pdi.init("logging: {level: warn, pattern: '%v'}\ndata: {a: int, b: int}")
    for _ in range(3):
        pdi.expose("a", np.array(3), pdi.OUT)
        pdi.expose("b", np.array(3), pdi.OUT)
    pdi.finalize()
`
	const want = "`a` is shared as `int64`, but the tree declares it as `int`\n`b` is shared as `int64`, but the tree declares it as `int`\n"
	if status, out := start(t, p, filepath.Join(p, "bin/pdirun"), python, "-c", program); status != 0 || out != want+want {
		t.Errorf("ended with %d\n%s\nwant\n%s", status, out, want+want)
	}
}

// TestWithoutNumpy installs with an interpreter that lacks numpy, and loads the module in it: both must report what
// is missing, and where.
func TestWithoutNumpy(t *testing.T) {
	need.Slow(t)
	python := need.Python(t, "numpy")
	in := installation{prefix: t.TempDir(), arch: runtime.GOARCH}
	t.Setenv("PYTHON", python)
	if err := in.pycall(); err != nil || strings.Contains(strings.Join(in.leftOut, "\n"), "numpy") {
		t.Errorf("with numpy: %v, left out %q", err, in.leftOut)
	}
	_, err := os.Stat(in.at("lib/pdi/libpython"))
	need.Ability(t, "the shared library of Python", err)

	bare := filepath.Join(t.TempDir(), "bare python")
	script := "#!/bin/sh\nexec '" + python + "' -I -S \"$@\"\n" // without the folders of installed packages
	if err := os.WriteFile(bare, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHON", bare)
	in.leftOut = nil
	if err := in.pycall(); err != nil || len(in.leftOut) != 1 || !strings.HasPrefix(in.leftOut[0], "numpy, which the Python module") || !strings.Contains(in.leftOut[0], bare) {
		t.Errorf("without numpy: %v, left out %q", err, in.leftOut)
	}
	out, err := exec.Command(bare, "-B", "-c", "import sys; sys.path.append('../python'); import pdi").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "ImportError: the module pdi needs numpy, which ") {
		t.Errorf("the module says %v\n%s", err, out)
	}
}

func TestPycall(t *testing.T) {
	need.Program(t, "python3", "-c", "import numpy")
	p := prefix(t)
	_, err := os.Stat(filepath.Join(p, "lib/pdi/libpython"))
	need.Ability(t, "the shared library of Python", err)
	if status, out := start(t, p, compile(t, p, "pycall.c")); status != 0 {
		t.Errorf("ended with %d\n%s\nwant 0", status, out)
	}
}

// TestSymbols checks that the libraries export the same names as the original's.
func TestSymbols(t *testing.T) {
	nm := need.Program(t, "nm", "--version")
	p := prefix(t)
	f, err := elf.Open(filepath.Join(p, "lib/libpdi.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Go cannot be unloaded.
	if flags, err := f.DynValue(elf.DT_FLAGS_1); err != nil || len(flags) != 1 || elf.DynFlag1(flags[0])&elf.DF_1_NODELETE == 0 {
		t.Errorf("dlclose would unload the library: %v %v", flags, err)
	}
	for library, want := range map[string]string{
		"libpdi.so.1": `PDI_ASSERT_HANDLER PDI_NULL_HANDLER PDI_WARN_HANDLER PDI_access PDI_errhandler PDI_errmsg PDI_event PDI_expose PDI_finalize
			PDI_init PDI_multi_expose PDI_reclaim PDI_release PDI_share PDI_transaction_begin PDI_transaction_end PDI_version`,
		"libparaconf.so.1": `PC_ASSERT_HANDLER PC_NULL_HANDLER PC_bool PC_double PC_errhandler PC_errmsg PC_get PC_int PC_len PC_parse_file
			PC_parse_path PC_parse_string PC_root PC_sget PC_string PC_tree_destroy PC_vget`,
	} {
		out, err := exec.Command(nm, "-D", "--defined-only", filepath.Join(p, "lib", library)).Output()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			got = append(got, fields[len(fields)-1])
		}
		slices.Sort(got)
		if wanted := strings.Fields(want); !slices.Equal(got, wanted) {
			t.Errorf("%s exports\n%s\nwant\n%s", library, strings.Join(got, " "), strings.Join(wanted, " "))
		}
	}
}

// TestCMake checks that a CMake project that was written for the original builds with this installation.
func TestCMake(t *testing.T) {
	cmake := need.Program(t, "cmake", "--version")
	need.Program(t, "make", "--version")
	noBlanks(t, os.Getenv("PATH")) // make is called by its path there
	p := prefix(t)
	dir := t.TempDir()
	project := "cmake_minimum_required(VERSION 3.16)\nproject(example C)\nfind_package(paraconf 1.0 REQUIRED COMPONENTS C)\nfind_package(PDI 1.9 REQUIRED COMPONENTS C plugins)\n" +
		"add_executable(hdf5 \"" + testdata(t, "hdf5.c") + "\")\ntarget_link_libraries(hdf5 PDI::PDI_C)\n"
	if err := os.WriteFile(filepath.Join(dir, "CMakeLists.txt"), []byte(project), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-S", dir, "-B", dir, "-DCMAKE_PREFIX_PATH=" + p}, {"--build", dir}} {
		if out, err := exec.Command(cmake, args...).CombinedOutput(); err != nil {
			t.Fatalf("cmake %s: %v\n%s", args, err, out)
		}
	}
	if status, out := start(t, p, filepath.Join(dir, "hdf5")); status != 0 {
		t.Errorf("ended with %d\n%s\nwant 0", status, out)
	}
}

// TestFirstSteps follows the first steps of docs/for-pdi-users.md, and what the installation advises for a prefix
// with a blank.
func TestFirstSteps(t *testing.T) {
	need.Program(t, "pkg-config", "--version")
	p := prefix(t)
	compile := "cc " + word(testdata(t, "hdf5.c")) + " -o simulation -rdynamic $(pkg-config --cflags --libs pdi)"
	for name, command := range map[string]string{"plain": compile, "a blank": `eval "` + compile + `"`} {
		t.Run(name, func(t *testing.T) {
			link := filepath.Join(t.TempDir(), name)
			if name == "plain" {
				noBlanks(t, link)
			}
			if err := os.Symlink(p, link); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PDI_ENV", filepath.Join(link, "share/pdi/env.sh")) // sh does not tell a sourced file its own path
			if status, out := start(t, p, "/bin/sh", "-c", `. "$PDI_ENV" && `+command+" && ./simulation"); status != 0 {
				t.Errorf("ended with %d\n%s\nwant 0", status, out)
			}
		})
	}
}

// TestPrefix checks prefixes in which programs would not find the installation, or only with other commands.
func TestPrefix(t *testing.T) {
	need.Compiler(t, "cc")
	dir := filepath.Join(t.TempDir(), "a:b")
	if _, err := install(dir, runtime.GOARCH, true); err == nil || !strings.Contains(err.Error(), "separated by colons: choose a name without a colon") {
		t.Errorf("of a colon it says: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something is installed where nobody finds it")
	}
	if got, want := (&installation{prefix: "/opt/it's"}).use(), `to use it: . '/opt/it'\''s/share/pdi/env.sh'`+"\n"; !strings.HasSuffix(got, want) {
		t.Errorf("it says %swant %s", got, want)
	}
	if got := (&installation{prefix: "/my own"}).use(); !strings.Contains(got, `write eval "cc FILE $(pkg-config --cflags --libs pdi)"`) {
		t.Errorf("of a blank it says %s; want %q in it", got, `write eval "cc FILE $(pkg-config --cflags --libs pdi)"`)
	}
}

// noBlanks requires paths without blanks, because shells and make split paths at blanks.
func noBlanks(t *testing.T, paths ...string) {
	t.Helper()
	var missing error
	for _, path := range paths {
		if strings.ContainsAny(path, blanks) {
			missing = fmt.Errorf("`%s` has one", path)
		}
	}
	need.Ability(t, "paths without blanks", missing)
}

// TestOtherFortran installs with a compiler of another vendor, with other options, without some kinds and without
// arguments of any rank. It is gfortran wrapped by a script.
func TestOtherFortran(t *testing.T) {
	need.Slow(t) // builds the Fortran interface again
	gfortran := need.Program(t, "gfortran", "--version")
	dir := t.TempDir()
	fc := filepath.Join(dir, "ifx")
	script := `#!/bin/sh
case "$1" in
--version) echo "ifx (IFX) 2024.1.0 20240308"; exit ;;
esac
for a; do
	shift
	case "$a" in
	-module) a=-J ;;
	-J) echo "unknown option -J" >&2; exit 1 ;;
	*.f90) if grep -q -e 'integer(kind=16)' -e 'data(\.\.)' "$a"; then echo "no such kind" >&2; exit 1; fi ;;
	esac
	set -- "$@" "$a"
done
exec ` + gfortran + ` "$@"
`
	if err := os.WriteFile(fc, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p := prefix(t)
	in := &installation{prefix: dir, source: testdata(t, ".."), arch: runtime.GOARCH, fc: fc}
	if err := os.MkdirAll(in.at("lib"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"libpdi.so", "libpdi.so.1", "libparaconf.so", "libparaconf.so.1", "libpdi_private.so.1"} {
		if err := os.Symlink(filepath.Join(p, "lib", name), in.at("lib/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.fortran(); err != nil {
		t.Fatal(err)
	}
	if len(in.found) != 1 || !strings.Contains(in.found[0], "which says `ifx (IFX) 2024.1.0 20240308`: programs of IntelLLVM-2024.1 can use the modules") {
		t.Errorf("found %q, want len(in.found) = 1 and %q in in.found[0]", in.found, "which says `ifx (IFX) 2024.1.0 20240308`: programs of IntelLLVM-2024.1 can use the modules")
	}
	if len(in.leftOut) != 1 || !strings.HasPrefix(in.leftOut[0], "PDI_access for integer(kind=16), which ") {
		t.Errorf("left out %q", in.leftOut)
	}
	for _, name := range []string{"lib/pdi/finclude/IntelLLVM-2024.1/pdi.mod", "lib/paraconf/finclude/IntelLLVM-2024.1/paraconf.mod", "lib/libpdi_f90.so"} {
		if _, err := os.Stat(in.at(name)); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(in.at("lib/pdi/finclude/IntelLLVM-2024.1/pdif.h")); err != nil || strings.Contains(string(text), "integer16") || !strings.Contains(string(text), "integer8") ||
		strings.Count(string(text), "!dir$ ignore_tkr data") != 2 {
		t.Errorf("pdif.h: %v\n%s", err, text)
	}
	if _, err := newFortranCompiler(need.Program(t, "true")); err == nil || !strings.Contains(err.Error(), "known Fortran compilers (GNU Fortran, flang,") {
		t.Errorf("a program that is no compiler: %v", err)
	}
}

// TestFound checks that an installation reports what it found.
func TestFound(t *testing.T) {
	prefix(t)
	in, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(append(slices.Clone(in.found), in.leftOut...), "\n")
	wanted := []string{"the C compiler `cc`, which says `", "Fortran", "Python inside other programs"}
	if need.Has(t, "python3") && exec.Command("python3", "-c", "").Run() == nil {
		wanted = append(wanted, "numpy")
	}
	for _, want := range wanted {
		if !strings.Contains(said, want) {
			t.Errorf("no word about %s:\n%s", want, said)
		}
	}
}
