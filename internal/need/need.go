// Package need lets tests ask for things that a machine may lack: programs such
// as clang, abilities such as being root, the time for a long test.
//
//	gcc := need.Compiler(t, "gcc")
//	need.Program(t, "h5dump")
//
// A test that lacks something is skipped with its name. Under PENTODE_REQUIRE=1, which
// promises that nothing is missing, it fails.
//
// PENTODE_FULL=1 runs tests at their full size, and also runs long tests.
//
// PENTODE_WITHOUT=clang,root hides what it names: every test that asks for it is
// told that it is missing, and programs are no longer in PATH, so that a test
// that uses them without asking fails.
//
// PENTODE_ASKED=FILE records the requests: a line for each, with what was asked for,
// the package and the test, separated by tabs.
package need

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Full reports whether PENTODE_FULL=1 is set: tests run at their full size.
func Full() bool { return os.Getenv("PENTODE_FULL") == "1" }

// required reports whether PENTODE_REQUIRE=1 is set, which promises that nothing is missing.
func required() bool { return os.Getenv("PENTODE_REQUIRE") == "1" }

// FullSize reports whether a long computation runs at full size: not under the race
// detector, which makes it ten times as long without finding more.
func FullSize() bool { return Full() && !raceDetector() }

// raceDetector reports whether the test program was built with the race detector.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Slow skips a long test unless tests run at full size. At the short size, the tests show within two minutes that
// each feature works; faults, limits, large sizes and further compilers are tested at full size, in CI.
func Slow(t testing.TB) {
	t.Helper()
	if !Full() {
		t.Skip("PENTODE_FULL=1 runs it")
	}
}

// Rounds calls each repeatedly, for tests that cause a fault at a random moment: once at short size, `full` times at
// full size, or as often as PENTODE_ROUNDS says. Each round is a subtest, so its temporary files are removed when it
// ends.
func Rounds(t *testing.T, full int, each func(t *testing.T, round int)) {
	t.Helper()
	n := 1
	if Full() {
		n = full
	}
	if text := os.Getenv("PENTODE_ROUNDS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			t.Fatalf("PENTODE_ROUNDS is a whole number from 1 on, not `%s`", text)
		}
	}
	for round := range n {
		t.Run(strconv.Itoa(round), func(t *testing.T) { each(t, round) })
	}
}

// HydraFailed reports whether the output shows an internal error of MPICH's mpiexec. On a busy machine, mpiexec
// fails like this in about one run of 15, whatever program it runs, after all processes of the program have ended.
func HydraFailed(said string) bool {
	return strings.Contains(said, "HYD_pmci_wait_for_completion") && strings.Contains(said, "assert (!closed) failed")
}

// Ability asks for something that is not a program, such as a right. missing is nil if the machine has it, and
// otherwise says why it does not.
func Ability(t testing.TB, name string, missing error) {
	t.Helper()
	record(t, name)
	if hidden(name) {
		missing = errHidden
	}
	end(t, name, missing)
}

// end skips the test that needs name, or fails it if nothing may be missing.
func end(t testing.TB, name string, missing error) {
	t.Helper()
	switch {
	case missing == nil:
	case required():
		t.Fatalf("the test needs %s, and PENTODE_REQUIRE=1 says that it is there: %v", name, missing)
	default:
		t.Skipf("the test needs %s: %v", name, missing)
	}
}

// Program asks for a program and returns its path. If there are arguments, the program must also succeed when it is
// run with them: an installed program may still not work.
func Program(t testing.TB, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil && len(args) > 0 {
		err = works(path, args...)
	}
	Ability(t, name, err)
	return path
}

// Has reports whether a program exists that a test can do without. Under PENTODE_REQUIRE=1 the test fails if it does
// not.
func Has(t testing.TB, name string) bool {
	t.Helper()
	_, err := exec.LookPath(name)
	if record(t, name); err != nil && required() {
		end(t, name, err)
	}
	return err == nil
}

// Python asks for a Python with these modules and returns its path: the Python in
// PATH or, if that lacks a module, the system's.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	python := Program(t, "python3", "-c", "")
	for _, module := range modules {
		err := works(python, "-c", "import "+module)
		if err != nil && works("/usr/bin/python3", "-c", "import "+module) == nil {
			python, err = "/usr/bin/python3", nil
		}
		Ability(t, module, err)
	}
	return python
}

// File asks for a file or folder that the system may not have, such as /dev/full.
func File(t testing.TB, path string) {
	t.Helper()
	_, err := os.Stat(path)
	Ability(t, path, err)
}

// Root asks that the test runs as root.
func Root(t testing.TB) {
	t.Helper()
	var err error
	if os.Getuid() != 0 {
		err = errors.New("this is another user")
	}
	Ability(t, "root", err)
}

// NoRoot asks that the test runs as a user to whom file modes apply, unlike root.
func NoRoot(t testing.TB) {
	t.Helper()
	if os.Getuid() == 0 {
		t.Skip("modes of files do not hold an administrator back")
	}
}

// tried maps a requested program to the result of trying it, because many tests of a package ask for the same one.
var tried sync.Map // of string to func() error

// once calls try on the first request and returns the same result for later ones. A request is identified by what
// and words.
func once(what string, words []string, try func() error) error {
	known, _ := tried.LoadOrStore(what+"\x00"+strings.Join(words, "\x00"), sync.OnceValue(try))
	return known.(func() error)()
}

func works(path string, args ...string) error {
	return once("run", append([]string{path}, args...), func() error { return exec.Command(path, args...).Run() })
}

// Compiler asks for a C compiler and returns its path. With the flags, it must be able to compile a program that
// includes a header of the C library.
func Compiler(t testing.TB, name string, flags ...string) string {
	t.Helper()
	return compiles(t, "#include <stdint.h>\nint main(void) { return (int)INT8_C(0); }\n", name, append(slices.Clone(flags), "-o", "a.out")...)
}

// Assembler asks for a C compiler and returns its path. It only has to compile a text without headers to assembly,
// so the C library of the flags' target machine need not be installed.
func Assembler(t testing.TB, name string, flags ...string) string {
	t.Helper()
	return compiles(t, "extern int f(void);\nint g(void) { return f(); }\n", name, append(slices.Clone(flags), "-S", "-o", "a.s")...)
}

func compiles(t testing.TB, text, name string, args ...string) string {
	t.Helper()
	path := Program(t, name)
	if err := once("compile", append([]string{path, text}, args...), func() error { return compile(path, text, args) }); err != nil {
		end(t, fmt.Sprintf("`%s %s`", name, strings.Join(args, " ")), err)
	}
	return path
}

func compile(path, text string, args []string) (err error) {
	dir, err := os.MkdirTemp("", "need")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
		return err
	}
	cmd := exec.Command(path, append(args, "a.c")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%.300s", err, out)
	}
	return nil
}

// record appends a request to the file of PENTODE_ASKED.
func record(t testing.TB, name string) {
	t.Helper()
	file := os.Getenv("PENTODE_ASKED")
	if file == "" {
		return
	}
	pkg := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		pkg = strings.TrimSuffix(info.Path, ".test")
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	// Write the line at once, because other processes append to the same file.
	_, err = fmt.Fprintf(f, "%s\t%s\t%s\n", name, pkg, t.Name())
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}
