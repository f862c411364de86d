package project

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
)

// Tracing has the project's settings for traced programs. In the zero value, nothing is set.
type Tracing struct {
	Overhead float64 // the largest share of a run's time that tracing may take; 0 means no limit
	Bytes    int64   // the largest total size of a traced run's streams; 0 means no limit
	Ring     int64   // bytes of each thread's buffer; 0 means the tracer's default
	Wait     bool    // wait until a full buffer has space, instead of dropping events
	NoGaps   bool    // do not stop tracing now and then to measure the overhead
	Compiler string  // the compiler that builds the tracer; empty means cc, or the compiler of the program's MPI
}

// traceKeys are the keys of `[trace]`.
func traceKeys() []Key {
	return []Key{
		{Name: "trace.bytes", Takes: "a size such as `\"2GB\"`", Doc: "the largest size of the streams of a traced run, for `pentode trace forecast --budget project`", set: func(r *reader, e entry) { r.size(e, &r.project.Trace.Bytes) }},
		{Name: "trace.compiler", Takes: "a C compiler", Doc: "the compiler that builds the tracer, by default `cc`, or the compiler of the program's MPI", set: func(r *reader, e entry) { r.project.Trace.Compiler, _ = r.text(e) }},
		{Name: "trace.full", Takes: "`drop` or `wait`", Doc: "what happens when a buffer is full: by default (`drop`), events are dropped and counted; with `wait`, the program waits", Words: []string{"drop", "wait"}, set: (*reader).traceFull},
		{Name: "trace.gaps", Takes: "`true` or `false`", Doc: "whether `trace record --overhead` may leave short gaps in the trace to measure the cost of tracing, by default `true`", set: func(r *reader, e entry) { r.project.Trace.NoGaps = !r.isTrue(e) }},
		{Name: "trace.overhead", Takes: "a share such as `\"1%\"`", Doc: "the largest share of a run's time for tracing, for `pentode trace forecast --budget project`", set: (*reader).traceOverhead},
		{Name: "trace.ring", Takes: "a size such as `\"4MB\"`", Doc: "the size of each thread's buffer, a power of two, by default 4MB", set: (*reader).traceRing},
	}
}

// ParseShare reads a share above 0 and up to 1, such as `1%` or `0.01`. It returns false for other texts.
func ParseShare(text string) (float64, bool) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	return share, err == nil && share > 0 && share <= 1
}

func (r *reader) traceOverhead(e entry) {
	text, ok := r.text(e)
	if !ok {
		return
	}
	share, ok := ParseShare(text)
	if !ok {
		r.report(badValue, e.at, "`%s` is not a share", problem.Clip(text, problem.Short)).Helped("write one such as `1%%`")
		return
	}
	r.project.Trace.Overhead = share
}

// size reads a size above 0 into to.
func (r *reader) size(e entry, to *int64) {
	value, _ := r.plain(e.value)
	n, ok := bytesize.Parse(value.Text)
	if !ok || n == 0 {
		r.report(badValue, e.at, "`%s` is not a size", problem.Clip(value.String(), problem.Short)).Helped("write one such as `4MB`")
		return
	}
	*to = n
}

// traceRing reads the size of a buffer. The tracer requires a power of two.
func (r *reader) traceRing(e entry) {
	var n int64
	if r.size(e, &n); n&(n-1) != 0 {
		r.report(badValue, e.at, "the size of a buffer must be a power of two, such as `8MB`")
		return
	}
	r.project.Trace.Ring = n
}

func (r *reader) traceFull(e entry) {
	text, ok := r.text(e)
	if ok && text != "drop" && text != "wait" {
		r.report(badValue, e.at, "`%s` is not a choice", problem.Clip(text, problem.Short)).Helped("write `drop` or `wait`")
	}
	r.project.Trace.Wait = text == "wait"
}
