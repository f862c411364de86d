package pinsight

import (
	"fmt"
	"strconv"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// maxUnit is the largest id of a unit.
const maxUnit = 1<<31 - 1

// setProblem is where in the text of a set what is wrong.
type setProblem struct {
	start, end int
	message    string
}

// parseSet reads `0-3, 7, 12-20` with ids up to largest. Commas may be
// repeated; nothing is the empty set. With a problem comes what stands before it.
func parseSet(text string, largest uint64) (trace.Set, *setProblem) {
	var spans []trace.Span
	i := 0
	skip := func(set string) {
		for i < len(text) && (isBlank(text[i]) || set != "" && text[i] == set[0]) {
			i++
		}
	}
	number := func() (uint32, *setProblem) {
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		if i == start {
			end := start
			for end < len(text) && text[end] != ',' && !isBlank(text[end]) {
				end++
			}
			if end == start {
				return 0, &setProblem{max(0, start-1), start, "a number is missing here"}
			}
			return 0, &setProblem{start, end, fmt.Sprintf("`%s` is not a number", text[start:end])}
		}
		n, err := strconv.ParseUint(text[start:i], 10, 64)
		if err != nil || n > largest {
			return 0, &setProblem{start, i, fmt.Sprintf("`%s` is larger than the largest id, %d", text[start:i], largest)}
		}
		return uint32(n), nil
	}
	for skip(","); i < len(text); skip(",") {
		start := i
		lo, problem := number()
		if problem != nil {
			return trace.NewSet(spans...), problem
		}
		hi := lo
		end := i
		skip("")
		if i < len(text) && text[i] == '-' {
			i++
			skip("")
			if hi, problem = number(); problem != nil {
				return trace.NewSet(spans...), problem
			}
			end = i
		}
		if lo > hi {
			return trace.NewSet(spans...), &setProblem{start, end, fmt.Sprintf("the range `%s` runs backwards", text[start:end])}
		}
		spans = append(spans, trace.Span{Lo: lo, Hi: hi})
		skip("")
		if i < len(text) && text[i] != ',' {
			return trace.NewSet(spans...), &setProblem{i, len(text), fmt.Sprintf("there is no comma before `%s`", text[i:])}
		}
	}
	return trace.NewSet(spans...), nil
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\v' || b == '\f' }

// set reads a set that stands in the file.
func (r *resolver) set(x syntax.Text) (trace.Set, bool) {
	set, problem := parseSet(r.tree.Of(x), maxUnit)
	if problem != nil {
		span := source.Span{File: r.tree.File(), Start: int(x.Start) + problem.start, End: int(x.Start) + problem.end}
		r.report(badSet, span, "%s", problem.message).
			Helped("a set is numbers and ranges with commas between them, for instance `0-3, 7`")
		return trace.Set{}, false
	}
	return set, true
}
