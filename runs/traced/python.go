package traced

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/collect"
)

// python explains why Python functions were not traced, if a process runs Python.
func (r *Run) python(p collect.Python) {
	switch {
	case p.TooOld:
		r.warn("Python was not traced: it is older than 3.9, the first version that supports tracers")
	case p.NoInterface:
		r.warn("Python was not traced: the interpreter does not export the functions of its C interface; use the interpreter of a Linux distribution")
	case p.Free:
		r.warn("Python was not traced: this is a free-threaded build, whose threads run without the interpreter's lock; use a build with the lock")
	case p.Taken:
		r.warn("Python was not traced while the program had its own profile function, as a profiler or debugger sets it; start the program without that")
	}
}

// isPython reports whether a program has the name of a Python interpreter.
func isPython(path string) bool { return strings.HasPrefix(filepath.Base(path), "python") }

// isOwn reports whether a program is this program. The tracer need not be loaded into it: the programs that a pipeline starts are traced.
func isOwn(path string) bool {
	own, err := os.Executable()
	if err != nil {
		return false
	}
	a, errA := os.Stat(own)
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
