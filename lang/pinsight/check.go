package pinsight

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// check returns what resolving found, and where an installed PInsight reads a
// line differently.
func check(m *Model) diag.List {
	l := &linter{Model: m}
	l.lint()
	list := m.problems[:len(m.problems):len(m.problems)]
	var at lineFinder
	wrong := map[line]bool{}
	for _, d := range m.problems {
		if d.Severity == diag.Error {
			wrong[at.line(d.Span)] = true
		}
	}
	for _, d := range l.found {
		// A line that is wrong anyway has its message already.
		if len(wrong) == 0 || !wrong[at.line(d.Span)] {
			list = append(list, d)
		}
	}
	return list
}

// line is a line of a file by where it starts.
type line struct {
	file  *source.File
	start int
}

// lineFinder finds the lines of places, and is quick about many in one line.
type lineFinder struct {
	last line
	end  int
}

func (f *lineFinder) line(s source.Span) line {
	if s.IsZero() {
		return line{}
	}
	if s.File != f.last.file || s.Start < f.last.start || s.Start >= f.end {
		text := s.File.Text()
		f.last = line{s.File, strings.LastIndexByte(text[:s.Start], '\n') + 1}
		f.end = len(text) + 1
		if i := strings.IndexByte(text[s.Start:], '\n'); i >= 0 {
			f.end = s.Start + i + 1
		}
	}
	return f.last
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
