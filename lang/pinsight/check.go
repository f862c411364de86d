package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// check returns what resolving found, and where an installed PInsight reads a
// line differently.
func check(m *Model) diag.List {
	l := &linter{Model: m}
	l.lint()
	list := m.problems[:len(m.problems):len(m.problems)]
	wrong := wrongLines(m.problems)
	if len(wrong) == 0 {
		return append(list, l.found...)
	}
	for _, d := range l.found {
		// A line that is wrong anyway has its message already.
		if !wrong[d.Span.Position().Line] {
			list = append(list, d)
		}
	}
	return list
}

func wrongLines(list diag.List) map[int]bool {
	lines := map[int]bool{}
	for _, d := range list {
		if d.Severity == diag.Error {
			lines[d.Span.Position().Line] = true
		}
	}
	return lines
}

// judge gives findings their severity. To an installed PInsight nothing but a
// missing bracket is an error; where it reads a line differently matters more when
// its reading was asked for.
func judge(d load.Dialect, code *diag.Code, s diag.Severity) diag.Severity {
	if d != load.Upstream || code == syntax.MissingBracket {
		return s
	}
	if s == diag.Error || strings.HasPrefix(code.ID, "pinsight/upstream-") {
		return diag.Warning
	}
	return s
}
