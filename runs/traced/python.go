package traced

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/collect"
)

// python says why functions of Python were not traced, where a process runs it.
func (r *Run) python(p collect.Python) {
	switch {
	case p.TooOld:
		r.warn("Python was not traced: it is older than 3.9, which is the first that lets a tracer in")
	case p.NoInterface:
		r.warn("Python was not traced: the interpreter does not export the functions of its C interface; one of a Linux distribution does")
	case p.Free:
		r.warn("Python was not traced: this is a free-threaded build, whose threads run without the interpreter's lock; trace the program with a build that has it")
	case p.Taken:
		r.warn("Python was not traced where the program has a profile function of its own, as a profiler or debugger sets it; start it without that one")
	}
}

// isPython reports whether a program is called like an interpreter of Python.
func isPython(path string) bool { return strings.HasPrefix(filepath.Base(path), "python") }

// isOwn reports whether a program is this one, which the tracer need not be loaded into: what a
// pipeline starts is traced.
func isOwn(path string) bool {
	own, err := os.Executable()
	if err != nil {
		return false
	}
	a, errA := os.Stat(own)
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
