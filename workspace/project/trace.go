package project

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/bytesize"
	"github.com/pentode-dev/pentode/core/problem"
)

// ParseShare reads a share, such as `1%` or `0.01`. It reports whether the text is one, above 0 and up to 1.
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
	r.project.TraceOverhead = share
}

func (r *reader) traceBytes(e entry) {
	text, ok := r.text(e)
	if !ok {
		return
	}
	n, ok := bytesize.Parse(text)
	if !ok || n == 0 {
		r.report(badValue, e.at, "`%s` is not a number of bytes", problem.Clip(text, problem.Short)).Helped("write one such as `2GB`")
		return
	}
	r.project.TraceBytes = n
}
