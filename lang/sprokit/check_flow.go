package sprokit

import (
	"regexp"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow"
)

// flow lets the engine judge the pipeline, so that what passes here runs.
func (c *checker) flow() {
	if c.m.unbounded {
		return
	}
	c.places = make([]source.Span, 0, len(c.m.Processes)+len(c.m.Connections)+len(c.m.settings))
	graph, edges := c.m.flowGraph(c.place)
	for i := range edges {
		if p := &edges[i]; p.Code != flow.BadValue || !c.emptied(c.settingAt(p), "what an edge takes", diag.Warning) {
			c.problem(p, nil)
		}
	}
	if len(graph.Processes) == 0 {
		if c.m.Cluster == nil && c.m.isPipe() && !c.m.partial && !c.m.tree.Problems().HasErrors() {
			d := c.report(flowCode[flow.NoProcesses], nil, c.m.tree.File().Span(0, 0), "the pipeline has no processes").
				Helped("add one: `process NAME :: TYPE`")
			if len(c.m.settings) > 0 {
				d.As(diag.Warning).Note("a file that others include is better called `.conf`")
			}
		}
		return
	}
	problems := flow.Check(graph, c.m.Registry)
	meant := c.meant(problems)
	outside := c.mappings(meant)
	for i := range problems {
		p := &problems[i]
		switch {
		case meant.explains(p):
		case p.Code == flow.UnknownPort && meant.backwards[p.Connection]:
			if p.Output {
				c.backwards(p.Connection)
			}
		case p.Code == flow.BadValue && c.mixed(c.settingAt(p), diag.Error):
		case p.Code == flow.BadValue && c.emptied(c.settingAt(p), strings.TrimPrefix(p.Help, "expected "), diag.Error):
		default:
			c.problem(p, outside)
		}
	}
}

// problem turns what the engine found into a finding at the smallest place.
func (c *checker) problem(p *flow.Problem, outside map[sidedPort]bool) {
	if outside != nil && c.fromOutside(p, outside) {
		return
	}
	code := flowCode[p.Code]
	if code == nil {
		return
	}
	d := diag.New(code, c.anywhere(c.problemSpan(p)), "%s", p.Message)
	if p.Severity == flow.Warning {
		d.As(diag.Warning)
	}
	switch {
	case p.Code == flow.UnknownType:
		d.As(diag.Warning)
		if !c.unknownType(d, p) {
			return
		}
		d.Note("its ports and keys are not checked, and it cannot run here; `--types FILE` declares types")
	case p.Code == flow.BadValue && strings.HasPrefix(p.Key, "_pipeline:"):
		d.As(diag.Warning)
		d.Note("the default is used instead")
	}
	if p.Help != "" {
		d.Helped("%s", p.Help)
		c.fix(d, p)
	}
	if p.Code == flow.BadValue {
		c.writing(d)
		if start, ok := c.streamed(c.settingAt(p)); ok {
			d.As(diag.Warning).Note("the original program reads `%s` and ignores the rest", start)
		}
	}
	for _, r := range p.Related {
		d.At(c.span(r.Place), "%s", r.Message)
	}
	c.add(d)
}

// unknownType says what is known about a type that is not: a cluster with a
// name near it, a cluster file that has something else in it. It is false
// where the file that should have it has a finding of its own.
func (c *checker) unknownType(d *diag.Diagnostic, p *flow.Problem) bool {
	name := d.Span.Text()
	if m := c.m.clusters.misses[name]; m != nil {
		d.Note("%s", m.note)
		return !m.said
	}
	if near, ok := problem.Nearest(name, c.m.clusters.names()); ok && p.Help == "" {
		p.Help = "did you mean `" + near + "`?"
	}
	return true
}

// writing gives advice for values that look like those of other languages.
func (c *checker) writing(d *diag.Diagnostic) {
	switch text := d.Span.Text(); {
	case len(text) > 1 && strings.ContainsAny(text[:1], `"'`) && text[0] == text[len(text)-1]:
		d.Helped("quotes are part of a value: write it without them")
	case strings.Contains(text, "${"):
		d.Helped("a macro is `$CONFIG{KEY}`, `$LOCAL{NAME}`, `$ENV{NAME}` or `$SYSENV{NAME}`")
	}
}

var (
	wholeNumber   = regexp.MustCompile(`^[-+]?[0-9]+`)
	decimalNumber = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?`)
)

// streamed is the start of a value that the original program takes for a
// number: it stops reading where the number ends.
func (c *checker) streamed(s *Setting) (string, bool) {
	if s == nil || c.m.dialect != load.Upstream {
		return "", false
	}
	key, _ := c.m.declared(s.Key)
	if key == nil {
		return "", false
	}
	number := wholeNumber
	switch key.Kind {
	case flow.Int, flow.Unsigned:
	case flow.Double, flow.Float:
		number = decimalNumber
	default:
		return "", false
	}
	start := number.FindString(s.Value)
	return start, start != ""
}

// add keeps one of several equal findings: those inside a cluster come once
// for each instance.
func (c *checker) add(d *diag.Diagnostic) {
	for i := len(c.list) - 1; i >= 0 && i >= len(c.list)-200; i-- {
		if o := c.list[i]; o.Code == d.Code && o.Span == d.Span && (o.Message == d.Message || d.Code == flowCode[flow.UnknownKey]) {
			return
		}
	}
	c.list.Add(d)
}

// fix offers the name that the engine suggests.
func (c *checker) fix(d *diag.Diagnostic, p *flow.Problem) {
	_, rest, ok := strings.Cut(p.Help, "did you mean `")
	name, _, closed := strings.Cut(rest, "`?")
	if !ok || !closed {
		return
	}
	switch p.Code {
	case flow.UnknownPort:
		if d.Span.Text() == p.Port {
			d.Replace(true, name)
		}
	case flow.UnknownProcess:
		if d.Span.Text() == p.Process {
			d.Replace(true, name)
		}
	case flow.UnknownType:
		d.Replace(false, name)
	}
}

// problemSpan is the smallest place of a problem.
func (c *checker) problemSpan(p *flow.Problem) source.Span {
	if at := c.m.mappingOf(p); !at.IsZero() {
		return at
	}
	if p.Connection >= 0 && p.Connection < len(c.m.Connections) {
		conn := &c.m.Connections[p.Connection]
		refs := conn.unit.tree.Refs(conn.stmt)
		ref := refs[1]
		if p.Output {
			ref = refs[0]
		}
		switch p.Code {
		case flow.UnknownProcess:
			return conn.unit.tree.Span(ref.Process)
		case flow.UnknownPort:
			return conn.unit.tree.Span(ref.Port)
		case flow.NotADAG:
			return conn.unit.tree.Span(ref.Process)
		}
		return conn.unit.tree.Span(ref.Text())
	}
	if p.Code == flow.BadValue {
		if s := c.settingAt(p); s != nil {
			return s.ValueSpan()
		}
	}
	if p.Code == flow.UnknownType {
		if proc := c.m.process(p.Process); proc != nil {
			return proc.unit.tree.Span(proc.stmt.Value)
		}
	}
	return c.span(p.Place)
}

// settingAt is the setting that a problem is about, or nil.
func (c *checker) settingAt(p *flow.Problem) *Setting {
	if c.settings == nil {
		c.settings = make(map[source.Span]*Setting, len(c.m.settings))
		for s := range c.m.each {
			c.settings[s.keySpan()] = s
		}
	}
	at := c.span(p.Place)
	if at.IsZero() {
		return nil
	}
	return c.settings[at]
}
