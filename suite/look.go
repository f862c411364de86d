package suite

import (
	"debug/elf"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Runtimes are the runtimes with which a compiled program is linked, as far as a run must know them.
type Runtimes struct {
	OpenMP   bool // a runtime with an interface for tools
	GNU      bool // GCC's runtime, which has no interface for tools
	MPI      bool
	MPICH    bool // the MPI is MPICH, or compatible with it
	PDI      bool
	Static   bool     // no tracer can be loaded into it
	Parallel []string // its functions with parallel regions, if symbol names show them
}

// Look reads with which libraries a program is linked; false if it is not a compiled program, for example a script.
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

// parallel returns the functions from which compilers extracted parallel regions.
func parallel(symbols []elf.Symbol) (names []string) {
	for _, s := range symbols {
		if m := outlined().FindStringSubmatch(s.Name); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return names
}

// outlined finds the function in the name that LLVM or GCC gives to one of its parallel regions.
var outlined = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z_]\w*)\.(?:omp_outlined|_omp_fn\.\d+$)`)
})
