package suite

import (
	"debug/elf"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Runtimes are those that a compiled program is linked with, as far as a run has to know them.
type Runtimes struct {
	OpenMP   bool // a runtime with an interface for tools
	GNU      bool // GCC's runtime, which has none
	MPI      bool
	MPICH    bool // the MPI is MPICH, or has its interface
	PDI      bool
	Static   bool     // no tracer can be loaded into it
	Parallel []string // its functions that have parallel regions, where their names say so
}

// Look reads what a program is linked with; false where it is no compiled program, such as
// a script.
func Look(path string) (Runtimes, bool) {
	b := readExecutable(path)
	if b == nil {
		return Runtimes{}, false
	}
	l := Runtimes{OpenMP: b.linked(LLVMOpenMP), GNU: b.linked(GNUOpenMP), MPI: b.linked(MPILibrary), PDI: b.linked(pdiLibrary), Static: b.static}
	l.MPICH = b.linked(func(library string) bool { return strings.HasPrefix(library, "libmpich") })
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		symbols, _ := f.Symbols() // a stripped program has none
		l.Parallel = parallel(symbols)
	}
	return l, true
}

// parallel are the functions from which compilers took parallel regions.
func parallel(symbols []elf.Symbol) (names []string) {
	for _, s := range symbols {
		if m := outlined().FindStringSubmatch(s.Name); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return names
}

// outlined finds the function in the name that LLVM or GCC gives to one of its regions.
var outlined = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_]\w*)\.(?:omp_outlined|_omp_fn\.\d+$)`)
})
