package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The inner tests of this package are skipped unless they run as a child; their
// results are read from the output.
const inner = "PENTODE_NEED_INNER"

// run runs tests of this package in a process with these variables, and returns
// what they print.
func run(t *testing.T, pattern string, env ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.v", "-test.run="+pattern)
	cmd.Env = append(os.Environ(), "PENTODE_REQUIRE=", "PENTODE_FULL=", "PENTODE_WITHOUT=", "PENTODE_ASKED=", inner+"=1")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func onlyInner(t *testing.T) {
	t.Helper()
	if os.Getenv(inner) == "" {
		t.Skip("another test runs it")
	}
}

// folder makes a folder with programs that do nothing, with a blank in its name.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts of a shell")
	}
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestInnerMissing(t *testing.T) {
	onlyInner(t)
	Program(t, "no such program")
	t.Error("it goes on")
}

func TestInnerProgram(t *testing.T) {
	onlyInner(t)
	Program(t, "alpha", "--version")
}

func TestInnerCompiler(t *testing.T) {
	onlyInner(t)
	for range 2 {
		Compiler(t, "alpha")
		Compiler(t, "alpha", "-g")
	}
}

func TestInnerHas(t *testing.T) {
	onlyInner(t)
	t.Logf("has alpha: %v", Has(t, "alpha"))
}

func TestInnerAbility(t *testing.T) {
	onlyInner(t)
	Ability(t, "time travel", nil)
}

func TestInnerPath(t *testing.T) {
	onlyInner(t)
	alpha, err := exec.LookPath("alpha")
	t.Logf("alpha: %s %v", alpha, err != nil)
	if out, err := exec.Command("beta").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestInnerSize(t *testing.T) {
	onlyInner(t)
	t.Logf("full size: %v", FullSize())
}

func TestInnerChild(t *testing.T) {
	onlyInner(t)
	t.Run("a test (of its own)", func(t *testing.T) {
		if Child(t) {
			Program(t, os.Getenv("PENTODE_NEED_PROGRAM"))
			if os.Getenv("PENTODE_NEED_FAIL") != "" {
				t.Error("wrong")
			}
		}
	})
}

func TestMissing(t *testing.T) {
	if out, err := run(t, "^TestInnerMissing$"); err != nil || !strings.Contains(out, "--- SKIP: TestInnerMissing") || !strings.Contains(out, "the test needs no such program") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := run(t, "^TestInnerMissing$", "PENTODE_REQUIRE=1"); err == nil || !strings.Contains(out, "PENTODE_REQUIRE=1 says that it is there") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWithout(t *testing.T) {
	path := "PATH=" + folder(t, "alpha", "beta") + string(filepath.ListSeparator) + os.Getenv("PATH")
	temp := "TMPDIR=" + t.TempDir()
	if out, err := run(t, "^TestInner(Program|Path|Ability)$", path, temp); err != nil || strings.Contains(out, "SKIP") || strings.Contains(out, "alpha:  true") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := run(t, "^TestInner(Program|Path|Ability)$", path, temp, "PENTODE_WITHOUT=alpha,time travel")
	if err != nil || !strings.Contains(out, "--- SKIP: TestInnerProgram") || !strings.Contains(out, "--- SKIP: TestInnerAbility") || !strings.Contains(out, "alpha:  true") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := run(t, "^TestInnerProgram$", path, temp, "PENTODE_WITHOUT=alpha", "PENTODE_REQUIRE=1"); err == nil || !strings.Contains(out, "PENTODE_WITHOUT hides it") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCompilerIsTriedOnce checks that a compiler is tried only once with the same flags,
// and that the output of a failing compiler is the reason for skipping.
func TestCompilerIsTriedOnce(t *testing.T) {
	dir := folder(t)
	for _, c := range []struct{ end, says, tried string }{
		{"exit 0", "--- PASS: TestInnerCompiler", "-o a.out a.c\n-g -o a.out a.c\n"},
		{"echo no header; exit 1", "`alpha -o a.out`: exit status 1\nno header", "-o a.out a.c\n"},
	} {
		tried := filepath.Join(t.TempDir(), "tried")
		if err := os.WriteFile(filepath.Join(dir, "alpha"), []byte("#!/bin/sh\necho \"$@\" >> \"$TRIED\"\n"+c.end+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := run(t, "^TestInnerCompiler$", "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "TRIED="+tried)
		text, _ := os.ReadFile(tried)
		if err != nil || !strings.Contains(strings.ReplaceAll(out, "\n        ", "\n"), c.says) || string(text) != c.tried {
			t.Errorf("%v: it was called with\n%s\n%s", err, text, out)
		}
	}
}

func TestHydraFailed(t *testing.T) {
	const failed = "[mpiexec@n] control_cb (pm/pmiserv/pmiserv_cb.c:206): assert (!closed) failed\n[mpiexec@n] HYD_pmci_wait_for_completion (pm/pmiserv/pmiserv_pmci.c:160): error waiting for event\n"
	if !HydraFailed("round\n"+failed) || HydraFailed("= BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n") {
		t.Error("its own error is not told from that of a program")
	}
}

func TestHas(t *testing.T) {
	path := "PATH=" + folder(t, "alpha") + string(filepath.ListSeparator) + os.Getenv("PATH")
	temp := "TMPDIR=" + t.TempDir()
	for _, c := range []struct {
		env  []string
		says string
		ok   bool
	}{
		{[]string{path}, "has alpha: true", true},
		{[]string{path, "PENTODE_WITHOUT=alpha"}, "has alpha: false", true},
		{[]string{path, "PENTODE_WITHOUT=alpha", "PENTODE_REQUIRE=1"}, "PENTODE_REQUIRE=1 says that it is there", false},
	} {
		if out, err := run(t, "^TestInnerHas$", append(c.env, temp)...); (err == nil) != c.ok || !strings.Contains(out, c.says) {
			t.Errorf("%q: %v\n%s", c.env, err, out)
		}
	}
}

// TestLinks checks that the folder of links is made only once, and that a search path
// without the hidden program stays unchanged.
func TestLinks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	one, other := folder(t, "alpha", "beta"), folder(t, "beta")
	path := one + string(filepath.ListSeparator) + other
	first, err := without(path, []string{"alpha"})
	if err != nil {
		t.Fatal(err)
	}
	dirs := filepath.SplitList(first)
	if len(dirs) != 2 || dirs[0] == one || dirs[1] != other {
		t.Errorf("`%s` became `%s`, want len(dirs) = 2, dirs[0] other than %v and dirs[1] = %v", path, first, one, other)
	}
	for _, input := range []string{path, first} {
		if again, err := without(input, []string{"alpha"}); err != nil || again != first {
			t.Errorf("`%s` became `%s`, %v, and before `%s`", input, again, err, first)
		}
	}
}

func TestChild(t *testing.T) {
	path := "PATH=" + folder(t, "alpha") + string(filepath.ListSeparator) + os.Getenv("PATH")
	for _, c := range []struct{ program, fail, ends string }{
		{"alpha", "", "--- PASS: TestInnerChild/a_test_(of_its_own)"},
		{"no such program", "", "--- SKIP: TestInnerChild/a_test_(of_its_own)"},
		{"alpha", "1", "--- FAIL: TestInnerChild/a_test_(of_its_own)"},
	} {
		out, err := run(t, "^TestInnerChild$", path, "PENTODE_NEED_PROGRAM="+c.program, "PENTODE_NEED_FAIL="+c.fail)
		if (err != nil) != (c.fail != "") || !strings.Contains(out, c.ends) {
			t.Errorf("%+v: %v\n%s", c, err, out)
		}
	}
}

// TestFullSize checks, by running this test program as a child, that no test runs at full
// size under the race detector.
func TestFullSize(t *testing.T) {
	for full, want := range map[string]bool{"": false, "1": !raced} {
		out, err := run(t, "^TestInnerSize$", "PENTODE_FULL="+full)
		if err != nil || !strings.Contains(out, fmt.Sprintf("full size: %v\n", want)) {
			t.Errorf("PENTODE_FULL=%s: %v\n%s", full, err, out)
		}
	}
}

func TestAsked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "asked")
	if out, err := run(t, "^TestInner(Missing|Ability)$", "PENTODE_ASKED="+file); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(file)
	const pkg = "\tgithub.com/pentode-dev/pentode/internal/need\t"
	if want := "no such program" + pkg + "TestInnerMissing\ntime travel" + pkg + "TestInnerAbility\n"; err != nil || string(got) != want {
		t.Errorf("%v: `%s`, want `%s`", err, got, want)
	}
}
