package traced

import (
	"os"

	"github.com/pentode-dev/pentode/run/trace/collect"
)

// cuda explains why the CUDA of a program was not traced, if the program uses CUDA.
func (r *Run) cuda(c collect.CUDA) {
	switch {
	case c.NoLibrary:
		r.warn("CUDA was not traced: libcupti was not found in the program's library folders; it is part of the CUDA toolkit: add its folder to LD_LIBRARY_PATH")
	case c.Taken:
		r.warn("CUDA was not traced: another profiler already uses CUPTI, which allows only one; start the program without that profiler")
	case c.Refused:
		r.warn("CUDA was not traced: CUPTI version %d refused", c.Version)
	case c.Elsewhere:
		r.warn("CUDA was not traced: %s names another tool, `%s`, which CUDA loads instead of the tracer", collect.InjectCUDA, os.Getenv(collect.InjectCUDA))
	}
}
