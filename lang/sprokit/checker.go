package sprokit

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// checker collects findings about a model.
type checker struct {
	m           *Model
	list        diag.List
	settings    map[source.Span]*Setting    // by the spans of their keys
	connections map[source.Span]*Connection // by the spans of their first words
	undefined   map[source.Span]int         // the indexes of findings about macros, by their spans
	searched    int                         // the number of files searched for settings that nothing seems to read
	reported    map[*Setting]bool           // settings reported for their mixed styles
	sourceless  bool                        // no process begins the flow: the document is a piece of a pipeline
	idle        map[string]int              // for each section that is not used at all: its number of entries, or -1 once it is reported
}

func (c *checker) report(code *diag.Code, u *unit, at source.Span, format string, args ...any) *diag.Diagnostic {
	d := c.list.Report(code, at, format, args...)
	if u != nil && u.frame.Parent != nil {
		d.Note("%s is included from %s", u.frame.File.Path(), u.frame.At)
	}
	return d
}

// anywhere returns s or, if s is zero, the start of the document.
func (c *checker) anywhere(s source.Span) source.Span {
	if s.IsZero() {
		return c.m.tree.File().Span(0, 0)
	}
	return s
}

// whole reports whether the document is a complete pipeline: not a cluster, not a piece that others include, and no file is missing.
func (c *checker) whole() bool {
	return len(c.m.Processes) > 0 && c.m.Cluster == nil && !c.m.partial && !c.sourceless
}

// emptied reports whether a value is wrong because a macro in it has no value. In that case the mistake is reported only once, at the macro,
// with the severity of the value.
func (c *checker) emptied(s *Setting, expected string, severity diag.Severity) bool {
	return c.emptiedIn(c.m, s, expected, severity)
}

// emptiedInside is like emptied, for a value inside a cluster.
func (c *checker) emptiedInside(m *Model, p *problem.Problem) bool {
	for i := range m.Processes {
		inside := m.Processes[i].Inside
		if inside == nil {
			continue
		}
		for s := range inside.each {
			if s.is(lacking) && s.keySpan() == p.Span && c.emptiedIn(inside, s, p.Expected, diag.Error) {
				return true
			}
		}
		if c.emptiedInside(inside, p) {
			return true
		}
	}
	return false
}

func (c *checker) emptiedIn(m *Model, s *Setting, expected string, severity diag.Severity) bool {
	if s == nil || !s.is(lacking) {
		return false
	}
	root, r := m.lack(s)
	if r == nil {
		return false
	}
	if c.undefined == nil {
		c.undefined = map[source.Span]int{}
		for i, d := range c.list {
			if d.Code == undefinedMacro {
				c.undefined[d.Span] = i
			}
		}
	}
	if i, ok := c.undefined[root.macroSpan(r)]; ok && c.list[i].Severity != diag.Error {
		d := *c.list[i] // copy it: the model keeps the original
		d.Notes = slices.Clone(d.Notes)
		c.list[i] = d.As(severity).Note("the value of `%s` is then `%s`: %s", s.Key, s.Value, expected)
	}
	return true
}

// lack returns the macro without a value on which a setting depends, and the setting that contains the macro.
func (m *Model) lack(s *Setting) (*Setting, *read) {
	for i := s.first; i < s.first+s.count && int(i) < len(m.reads); i++ {
		r := &m.reads[i]
		if r.missing {
			return s, r
		}
		if r.of >= 0 && m.settings[r.of].is(lacking) {
			return m.lack(&m.settings[r.of])
		}
	}
	return nil, nil
}

// mixed reports an entry in the older style that was probably meant in the newer style. It reports each entry once, as an error if the value
// is wrong.
func (c *checker) mixed(s *Setting, severity diag.Severity) bool {
	if s == nil || s.unit == nil || !s.stmt.Has(syntax.OldStyle) || strings.IndexAny(s.Raw, "=[") != 0 {
		return false
	}
	key := s.unit.tree.Name(s.stmt)
	attrs, rest, listed := strings.Cut(s.Raw, "]")
	rest = trim(rest)
	switch {
	case strings.HasPrefix(s.Raw, "="):
		attrs, rest = "", trim(s.Raw[1:])
	case listed && (strings.EqualFold(attrs, "[ro") || strings.EqualFold(attrs, "[tunable")):
		attrs += "]"
	default:
		return false
	}
	if c.reported[s] {
		return true
	}
	if severity == diag.Error {
		c.reported[s] = true
	}
	c.report(mixedStyle, s.unit, s.ValueSpan(), "the value of `%s` is `%s`: in the older style everything after the blank is the value", s.Key, s.Raw).
		As(severity).Helped("write `%s%s = %s`, or `:%s%s %s`", key, attrs, rest, key, attrs, rest)
	return true
}

// problemSpan returns the smallest place that a problem is about.
func (c *checker) problemSpan(p *problem.Problem) source.Span {
	if conn := c.connectionAt(p); conn != nil {
		refs := conn.unit.tree.Refs(conn.stmt)
		ref := refs[1]
		if p.Subject.Output {
			ref = refs[0]
		}
		switch p.Kind {
		case pipe.UnknownProcess, pipe.NotADAG:
			return conn.unit.tree.Span(ref.Process)
		case pipe.UnknownPort:
			return conn.unit.tree.Span(ref.Port)
		}
		return conn.unit.tree.Span(ref.Text())
	}
	if p.Kind == pipe.BadValue || p.Kind == pipe.UnknownAlgorithm {
		if s := c.settingAt(p); s != nil {
			return s.ValueSpan()
		}
	}
	if p.Kind == pipe.UnknownType {
		if proc := c.m.process(p.Subject.Name); proc != nil {
			return proc.unit.tree.Span(proc.stmt.Value)
		}
	}
	return p.Span
}

// settingAt returns the setting at the place of a problem, or nil.
func (c *checker) settingAt(p *problem.Problem) *Setting { return c.settingWith(p.Span) }

// settingWith returns the setting whose key is at a place, or nil.
func (c *checker) settingWith(at source.Span) *Setting {
	if at.IsZero() {
		return nil
	}
	if c.settings == nil {
		c.settings = make(map[source.Span]*Setting, len(c.m.settings))
		for s := range c.m.each {
			c.settings[s.keySpan()] = s
		}
	}
	return c.settings[at]
}

// connectionAt returns the connection at the place of a problem, or nil.
func (c *checker) connectionAt(p *problem.Problem) *Connection {
	if p.Span.IsZero() {
		return nil
	}
	if c.connections == nil {
		c.connections = make(map[source.Span]*Connection, len(c.m.Connections))
		for i := range c.m.Connections {
			c.connections[c.m.Connections[i].head()] = &c.m.Connections[i]
		}
	}
	return c.connections[p.Span]
}
