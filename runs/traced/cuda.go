package traced

import (
	"os"

	"github.com/pentode-dev/pentode/run/trace/collect"
)

// cuda says why the CUDA of a program was not traced, where it uses it.
func (r *Run) cuda(c collect.CUDA) {
	switch {
	case c.NoLibrary:
		r.warn("CUDA was not traced: there is no libcupti where the program finds its libraries; it belongs to the CUDA toolkit, and LD_LIBRARY_PATH may name its folder")
	case c.Taken:
		r.warn("CUDA was not traced: another profiler has CUPTI already, which lets in only one; start the program without that profiler")
	case c.Refused:
		r.warn("CUDA was not traced: CUPTI refused; its version is %d", c.Version)
	case c.Elsewhere:
		r.warn("CUDA was not traced: %s names another tool, `%s`, which CUDA loads in the tracer's place", collect.InjectCUDA, os.Getenv(collect.InjectCUDA))
	}
}
