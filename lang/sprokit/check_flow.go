package sprokit

import (
	"regexp"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// flow lets the engine check the pipeline, so that a pipeline without findings can run. It returns the causes of problems that are in
// the file itself.
func (c *checker) flow() causes {
	own := causes{}
	if c.m.unbounded {
		return own
	}
	r := c.m.resolve()
	for _, p := range r.edges {
		if p.Kind != pipe.BadValue || !c.emptied(c.settingAt(p), p.Expected, diag.Warning) {
			c.problem(p)
		}
	}
	if len(r.graph.Processes) == 0 {
		if c.m.Cluster == nil && c.m.isPipe() && !c.m.partial && !c.m.tree.Problems().HasErrors() {
			d := c.report(flowCode[pipe.NoProcesses], nil, c.m.tree.File().Span(0, 0), "the pipeline has no processes").
				Helped("add one: `process NAME :: TYPE`")
			if len(c.m.settings) > 0 {
				d.As(diag.Warning).Note("a file that others include has the ending `.conf`, or matches `fragments` in pentode.toml")
			}
		}
		return own
	}
	c.statusFirst()
	known := c.mistakes(r.problems)
	if c.piece(r.problems) {
		c.sourceless, known.partial = true, true
	}
	outside := c.mappings(known)
	inside := c.clusters(known)
	for _, p := range r.problems {
		conn := c.connectionAt(p)
		if c.fromOutside(p, outside) || p.Kind == pipe.BadValue && c.m.givenFromOutside(c.settingAt(p)) {
			continue
		}
		own[causeOf(p)] = true
		switch {
		case known.explains(p):
		case p.Kind == pipe.UnknownPort && known.backwards[conn]:
			if p.Subject.Output {
				c.backwards(conn)
			}
		case p.Kind == pipe.BadValue && c.fillsIn(c.settingAt(p)):
		case p.Kind == pipe.BadValue && c.mixed(c.settingAt(p), diag.Error):
		case p.Kind == pipe.BadValue && c.emptied(c.settingAt(p), p.Expected, diag.Error):
		case p.Kind == pipe.BadValue && c.emptiedInside(c.m, p):
		case inside[causeOf(p)], c.m.leadsNowhere(p): // reported in the cluster's file
		default:
			c.problem(p)
		}
	}
	c.files(r.plan)
	return own
}

// statusFirst reports ports of `distribute` and `collate` that are connected before the status port of their group.
func (c *checker) statusFirst() {
	ready := map[Port]bool{}
	for i := range c.m.Connections {
		conn := &c.m.Connections[i]
		for _, end := range []Port{conn.From, conn.To} {
			kind, group, ok := strings.Cut(end.Port, "/")
			p := c.m.process(end.Process)
			if !ok || p == nil || p.Type != "distribute" && p.Type != "collate" {
				continue
			}
			group, _, _ = strings.Cut(group, "/")
			if at := (Port{end.Process, group}); kind == "status" {
				ready[at] = true
			} else if !ready[at] {
				ready[at] = true // report each group of ports only once
				c.report(upstreamStatus, conn.unit, conn.head(), "the original program refuses `%s.%s` before `%s.status/%s` is connected", end.Process, end.Port, end.Process, group).
					Helped("connect the status port first")
			}
		}
	}
}

// problem makes a finding from a problem of the engine, at the smallest place that it is about.
func (c *checker) problem(shared *problem.Problem) {
	own := *shared
	p := &own
	at := c.anywhere(c.problemSpan(p))
	var notes []string
	if p.Kind == pipe.UnknownType {
		if m := c.m.clusters.misses[at.Text()]; m != nil {
			if m.reported {
				return
			}
			notes = append(notes, m.note)
		} else if p.Suggestion == "" {
			p.Suggestion, _ = problem.Nearest(at.Text(), c.m.clusters.names())
		}
		if c.m.Registry.Complete {
			notes = append(notes, "the project declares its catalogues complete; `--types FILE` declares further types")
		} else {
			p.Severity = diag.Warning
			notes = append(notes, "its ports and keys are not checked, and it cannot run here; `--types FILE` declares types")
		}
	} else if p.Kind == pipe.BadValue && strings.HasPrefix(p.Subject.Key, "_pipeline:") {
		p.Severity = diag.Warning
		notes = append(notes, "the default is used instead")
	} else if p.Kind == pipe.MissingConnection {
		inner := Port{p.Subject.Name, p.Subject.Port}
		if port, ok := c.m.leadsTo(inner, p.Subject.Output); ok && port != inner {
			names := strings.NewReplacer(inner.Process+"."+inner.Port, port.Process+"."+port.Port,
				"`"+inner.Port+"` of process `"+inner.Process+"`", "`"+port.Port+"` of process `"+port.Process+"`")
			p.Message, p.Expected = names.Replace(p.Message), names.Replace(p.Expected)
			notes = append(notes, "inside the cluster it is port `"+inner.Port+"` of `"+inner.Process+"`")
		}
	}
	d := diag.Of(flowCode[p.Kind], p)
	d.Span, d.Notes = at, notes
	c.fix(d, p)
	if p.Kind == pipe.BadValue {
		c.adviseSpelling(d)
		if start, ok := c.leadingNumber(c.settingAt(p)); ok {
			d.As(diag.Warning).Note("the original program reads `%s` and ignores the rest", start)
		}
	}
	c.add(d)
}

// adviseSpelling adds advice if a value is written as in another language.
func (c *checker) adviseSpelling(d *diag.Diagnostic) {
	switch text := d.Span.Text(); {
	case len(text) > 1 && strings.ContainsAny(text[:1], `"'`) && text[0] == text[len(text)-1]:
		d.Helped("quotes are part of a value: write it without them")
	case strings.Contains(text, "${"):
		d.Helped("a macro is `$CONFIG{KEY}`, `$LOCAL{NAME}`, `$ENV{NAME}` or `$SYSENV{NAME}`")
	}
}

var (
	wholeNumber   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-+]?[0-9]+`) })
	decimalNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?`) })
)

// leadingNumber returns the start of a value that the original program reads as a number: it stops where the number ends.
func (c *checker) leadingNumber(s *Setting) (string, bool) {
	if s == nil || c.m.dialect != load.Upstream {
		return "", false
	}
	key, _ := c.m.declared(s.Key)
	if key == nil {
		return "", false
	}
	number := wholeNumber
	switch key.Kind {
	case pipe.Int, pipe.Unsigned:
	case pipe.Double, pipe.Float:
		number = decimalNumber
	default:
		return "", false
	}
	start := number().FindString(s.Value)
	return start, start != ""
}

// add reports a finding, unless an equal one was reported before.
func (c *checker) add(d *diag.Diagnostic) {
	for i := len(c.list) - 1; i >= 0 && i >= len(c.list)-200; i-- {
		if o := c.list[i]; o.Code == d.Code && o.Span == d.Span && (o.Message == d.Message || d.Code == flowCode[pipe.UnknownKey]) {
			return
		}
	}
	c.list.Add(d)
}

// fix adds a fix with the name that the engine suggests.
func (c *checker) fix(d *diag.Diagnostic, p *problem.Problem) {
	if p.Suggestion == "" {
		return
	}
	switch p.Kind {
	case pipe.UnknownPort:
		if d.Span.Text() == p.Subject.Port {
			d.Spell(p.Misspelt, p.Suggestion)
		}
	case pipe.UnknownProcess:
		if d.Span.Text() == p.Subject.Name {
			d.Spell(p.Misspelt, p.Suggestion)
		}
	case pipe.UnknownType:
		d.Spell(false, p.Suggestion)
	}
}
