package structs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/internal/need"
)

func run(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(need.Program(t, name), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// compile makes a program from C text and returns its path.
func compile(t testing.TB, dir, source string, flags ...string) string {
	t.Helper()
	need.Compiler(t, "gcc", flags...)
	return compileWith(t, dir, "gcc", source, flags...)
}

func compileWith(t testing.TB, dir, compiler, source string, flags ...string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "program")
	run(t, dir, compiler, append(flags, "main.c", "-o", out)...)
	return out
}

func open(t testing.TB, path string) *Program {
	t.Helper()
	f, err := debuginfo.Open(path, debuginfo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return Of(f)
}
