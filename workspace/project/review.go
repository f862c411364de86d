package project

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// Review returns the findings that the project does not ignore, with the
// severities that it sets. It does not change the given list.
func (p *Project) Review(list diag.List) diag.List {
	optional := slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code.Optional })
	if len(p.ignored)+len(p.selected)+len(p.perFile)+len(p.severity) == 0 && !optional {
		return list
	}
	var out diag.List
	for _, d := range list {
		if d.Code == diag.TooMany {
			out = append(out, d)
			continue
		}
		severity, ok := p.severityOf(d.Code.ID)
		if !p.Wants(d.Code.ID, d.Span.File) || d.Code.Optional && !ok && !matchAny(p.selected, d.Code.ID) {
			continue
		}
		if ok && severity != d.Severity {
			other := *d
			d = other.As(severity)
		}
		out = append(out, d)
	}
	return out
}

// Wants reports whether findings of a code in a file are shown.
func (p *Project) Wants(code string, f *source.File) bool {
	if len(p.selected) > 0 && !matchAny(p.selected, code) || matchAny(p.ignored, code) {
		return false
	}
	if len(p.perFile) == 0 || f == nil {
		return true
	}
	below, ok := p.below(f.Path())
	return !ok || !slices.ContainsFunc(p.perFile, func(r rule[[]string]) bool {
		return r.patterns.Covers(below) && matchAny(r.value, code)
	})
}

// severityOf returns the severity for a code that the last matching pattern
// sets.
func (p *Project) severityOf(code string) (diag.Severity, bool) {
	for i := len(p.severity) - 1; i >= 0; i-- {
		if MatchCode(p.severity[i].code, code) {
			return p.severity[i].value, true
		}
	}
	return 0, false
}

func matchAny(patterns []string, code string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return MatchCode(p, code) })
}

// MatchCode reports whether a code matches a pattern, in which `*` matches any
// text.
func MatchCode(pattern, code string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == code
	}
	code, ok := strings.CutPrefix(code, head)
	if !ok {
		return false
	}
	for {
		piece, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(code, piece)
		}
		i := strings.Index(code, piece)
		if i < 0 {
			return false
		}
		code, rest = code[i+len(piece):], more
	}
}
