package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
)

// Regions returns the addresses that a source line of a program stands for. A
// tracer knows a region by the address that the call of a runtime returns to, so
// these are the calls of the line; a line without one stands for where its code
// begins, in each function that has some of it.
func Regions(program *debuginfo.File, file string, line int) ([]debuginfo.Site, error) {
	return program.Sites(file, line, ofRuntime)
}

// ofRuntime reports whether a function is one of an OpenMP or MPI runtime that
// can begin an event: of LLVM or GCC, called from C or from Fortran.
func ofRuntime(name string) bool {
	if strings.HasPrefix(name, "omp_get_") {
		return false
	}
	for _, prefix := range []string{"__kmpc_", "GOMP_", "omp_", "MPI_", "PMPI_", "mpi_", "pmpi_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
