//go:build linux

package collect

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// However Fortran spells a call, and whatever the call passes through on its
// way, it is in the trace once.
func TestFortran(t *testing.T) {
	need.Slow(t)
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			b := newBed(t, mpi)
			compiler := need.Program(t, "mpif90."+mpi, "--version")
			for _, binding := range []string{"mpi", "mpi_f08"} {
				b.program = filepath.Join(t.TempDir(), "messages")
				args := []string{"-cpp", "-DBINDING=" + binding, filepath.Join("testdata", "messages.f90"), "-o", b.program}
				if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				p, err := trace.Compile(b.catalog, &trace.Config{})
				if err != nil {
					t.Fatal(err)
				}
				o := b.options(p)
				o.Audit = false
				dir, _ := b.run(o)
				got := map[string]int{}
				for _, stream := range b.read(dir) {
					for _, o := range stream {
						got[agent.Records[o.Event].Name]++
					}
				}
				for name, want := range map[string]int{"MPI_Init": 4, "MPI_Send": 1, "MPI_Recv": 1, "MPI_Barrier": 4, "MPI_Finalize": 4} {
					if got[name+"_begin"] != want || got[name+"_end"] != want {
						t.Errorf("%s: %s began %d times and ended %d times, want %d", binding, name, got[name+"_begin"], got[name+"_end"], want)
					}
				}
				if got["clock"] != 8 {
					t.Errorf("%s: %d marks for the clocks, want one at the start and one at the end of each rank", binding, got["clock"])
				}
			}
		})
	}
}

// To an installed PInsight the name of a region of MPI is that of the call.
func TestCallNames(t *testing.T) {
	b := newBed(t, "mpich")
	p, err := trace.Compile(b.catalog, &trace.Config{Regions: []trace.RegionEntry{{
		Match: trace.Match{Name: "MPI_Barrier"}, RegionLayer: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 3, Set: true}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for upstream, want := range map[bool]int{false: 4 * 6, true: 4 * 2} {
		o := b.options(p)
		o.Audit, o.Upstream = false, upstream
		dir, _ := b.run(o, "6")
		if got := count(b.read(dir))["MPI_Barrier_begin"]; got != want {
			t.Errorf("as an installed PInsight %v: %d barriers, want %d", upstream, got, want)
		}
	}
}
