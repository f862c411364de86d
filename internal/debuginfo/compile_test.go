package debuginfo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// tool finds a program the tests need, or skips the test under its name.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("PENTODE_REQUIRE") == "1" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}

func run(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(tool(t, name), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// compile makes a program from C text and returns its path.
func compile(t testing.TB, dir, source string, flags ...string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "program")
	run(t, dir, "gcc", append(flags, "main.c", "-o", out)...)
	return out
}

func open(t testing.TB, path string, o Options) *File {
	t.Helper()
	f, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
