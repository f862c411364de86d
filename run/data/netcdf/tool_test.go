package netcdf

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// build compiles a program of testdata that uses libnetcdf.
func build(t testing.TB, source string) string {
	t.Helper()
	cc := need.Compiler(t, "gcc")
	need.Program(t, "nc-config")
	program := filepath.Join(t.TempDir(), "program")
	run(t, cc, "-O1", "-Wall", "-Werror", "-o", program, filepath.Join("testdata", source), "-lnetcdf")
	return program
}

// run runs a program and returns its output.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
