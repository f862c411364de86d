package agent

import (
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

// The agent compiles without a warning, with and without each MPI.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		compiler string
		mpi      bool
	}{{"gcc", false}, {"clang", false}, {"mpicc.openmpi", true}, {"mpicc.mpich", true}} {
		t.Run(c.compiler, func(t *testing.T) {
			if c.mpi && !golden.Full() {
				t.Skip("PENTODE_REQUIRE=1 runs it")
			}
			cc := golden.Program(t, c.compiler, "--version")
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
