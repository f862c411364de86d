package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// The agent compiles without a warning, with and without each MPI.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		compiler string
		mpi      bool
	}{{"gcc", false}, {"clang", false}, {"mpicc.openmpi", true}, {"mpicc.mpich", true}} {
		t.Run(c.compiler, func(t *testing.T) {
			if c.mpi {
				need.Slow(t)
			}
			cc := need.Program(t, c.compiler, "--version")
			events := map[string]int{}
			for i, c := range calls {
				events[c.name] = i
			}
			o := Options{Compiler: cc, MPI: c.mpi, Events: events, Cache: t.TempDir(), Flags: []string{"-Werror"}}
			first, err := Build(o)
			if err != nil {
				t.Fatal(err)
			}
			if second, err := Build(o); err != nil || second != first {
				t.Errorf("the second build is %s, %v; want %s from the cache", second, err, first)
			}
		})
	}
}

// A library that cannot be built is an error that says why.
func TestBuildFails(t *testing.T) {
	cc := need.Program(t, "gcc", "--version")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"no compiler", Options{Compiler: "no-such-cc", Cache: t.TempDir()}, "the compiler `no-such-cc`, which does not run"},
		{"no folder", Options{Compiler: cc, Cache: filepath.Join(file, "cache")}, "not a directory"},
		{"unknown flag", Options{Compiler: cc, Cache: t.TempDir(), Flags: []string{"--no-such-flag"}}, "cannot build the tracer:\n"},
	} {
		if _, err := Build(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
