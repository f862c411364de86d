package sprokit

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// piece reports whether the document is only a piece of a pipeline, which no other file includes: it has unconnected ports and no process that
// begins the flow. That is one warning, and the unconnected ports are not reported.
func (c *checker) piece(problems problem.List) bool {
	if c.m.Cluster != nil || c.m.partial || c.m.tree.Problems().HasErrors() {
		return false
	}
	open := slices.IndexFunc(problems, func(p *problem.Problem) bool {
		return p.Kind == pipe.MissingConnection && !p.Subject.Output || p.Kind == pipe.UnknownProcess && p.Subject.Output
	})
	if open < 0 || c.begins() {
		return false
	}
	c.list = slices.DeleteFunc(c.list, func(d *diag.Diagnostic) bool { // the file that includes this one may define these macros
		return d.Code == undefinedMacro && !strings.HasPrefix(d.Span.Text(), "$"+string(fromEnv)+"{")
	})
	p := problems[open]
	c.report(noSource, nil, c.anywhere(c.problemSpan(p)), "nothing here begins the flow, so this is only a piece of a pipeline: %s", p.Message).
		Helped("for a file that others include, write `fragments = [\"%s\"]` below `[sprokit]` in pentode.toml", filepath.Base(c.m.tree.File().Path()))
	return true
}

// begins reports whether some process does not need data from others. A process of an unknown type counts as one.
func (c *checker) begins() bool {
	fed := map[string]bool{}
	for i := range c.m.Connections {
		fed[c.m.Connections[i].To.Process] = true
	}
	return slices.ContainsFunc(c.m.Processes, func(p Process) bool {
		if fed[p.Name] {
			return false
		}
		t, known := c.m.Registry.Lookup(p.Type)
		return !known || !slices.ContainsFunc(t.In, func(in pipe.Port) bool { return in.Flags&pipe.Required != 0 })
	})
}

// fillsIn reports whether the value of a setting is a placeholder in a template, which a tool replaces.
func (c *checker) fillsIn(s *Setting) bool {
	if s == nil || s.unit == nil || !c.m.template(s.unit.frame.File.Path()) {
		return false
	}
	_, rest, ok := strings.Cut(s.Raw, "[-")
	return ok && strings.Contains(rest, "-]")
}

// placeholders reports placeholders of a template that differ from the imported ones only in their capital letters. It does not report a
// placeholder with another name, because a program may compute its name.
func (c *checker) placeholders() {
	file := c.m.tree.File()
	if len(c.m.Registry.Placeholders) == 0 || !c.m.template(file.Path()) {
		return
	}
	known := slices.Sorted(maps.Keys(c.m.Registry.Placeholders))
	for i := range c.m.tree.Stmts {
		s := &c.m.tree.Stmts[i]
		at := c.m.tree.StmtSpan(s)
		if s.Kind == syntax.EntryStmt {
			at = c.m.tree.Span(s.Value)
		}
		for start, rest := at.Start, at.Text(); ; {
			before, inside, opened := strings.Cut(rest, "[-")
			name, behind, closed := strings.Cut(inside, "-]")
			if !opened || !closed {
				break
			}
			start += len(before)
			end := start + len("[-") + len(name) + len("-]")
			if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 && !slices.Contains(known, name) {
				c.report(placeholder, nil, file.Span(start, end), "nothing replaces `[-%s-]`: `%s` replaces `[-%s-]`", name, c.m.Registry.Placeholders[known[i]], known[i]).
					As(diag.Error).Spell(true, "[-"+known[i]+"-]")
			}
			start, rest = end, behind
		}
	}
}
