package golden

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Full reports whether PENTODE_REQUIRE=1 is set: everything that tests need is
// there, and they run at their full size.
func Full() bool { return os.Getenv("PENTODE_REQUIRE") == "1" }

// Slow skips a test that takes long where tests run at their short size.
func Slow(t testing.TB) {
	t.Helper()
	if !Full() {
		t.Skip("PENTODE_REQUIRE=1 runs it")
	}
}

// Rounds makes a fault again and again: once, five times at full size, or as
// often as PENTODE_ROUNDS says. Each round takes away what it has made.
func Rounds(t *testing.T, each func(t *testing.T, round int)) {
	t.Helper()
	n := 1
	if Full() {
		n = 5
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

// Needs ends a test for which something is missing: it is skipped by name, and
// fails where everything must be there. A nil error means that nothing is.
func Needs(t testing.TB, what string, missing error) {
	t.Helper()
	switch {
	case missing == nil:
	case Full():
		t.Fatalf("the test needs %s, and PENTODE_REQUIRE=1 says that it is there: %v", what, missing)
	default:
		t.Skipf("the test needs %s: %v", what, missing)
	}
}

// Program is the path of a program that a test needs. Where there are
// arguments, a run with them must succeed: a program can be there and not work.
func Program(t testing.TB, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil && len(args) > 0 {
		err = works(path, args...)
	}
	Needs(t, name, err)
	return path
}

// tried is what came of programs that were run to see whether they work: many
// tests of a package ask for the same ones.
var tried sync.Map // of string to func() error

func works(path string, args ...string) error {
	once := sync.OnceValue(func() error { return exec.Command(path, args...).Run() })
	try, _ := tried.LoadOrStore(strings.Join(append([]string{path}, args...), "\x00"), once)
	return try.(func() error)()
}

// Compiler asks for a C compiler that makes a program with a header of the C
// library from these flags, and returns its path.
func Compiler(t testing.TB, name string, flags ...string) string {
	t.Helper()
	return compiles(t, "#include <stdint.h>\nint main(void) { return (int)INT8_C(0); }\n", name, append(slices.Clone(flags), "-o", "a.out")...)
}

// Assembler asks for a C compiler that makes assembly from a text without
// headers, so that it need not have the library of the machine named by the flags.
func Assembler(t testing.TB, name string, flags ...string) string {
	t.Helper()
	return compiles(t, "extern int f(void);\nint g(void) { return f(); }\n", name, append(slices.Clone(flags), "-S", "-o", "a.s")...)
}

func compiles(t testing.TB, text, name string, args ...string) string {
	t.Helper()
	path := Program(t, name)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(args, "a.c")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		Needs(t, fmt.Sprintf("`%s %s`", name, strings.Join(args, " ")), fmt.Errorf("%w\n%.300s", err, out))
	}
	return path
}
