package sprokit

import (
	"maps"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
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
		c.problem(&edges[i], nil)
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
	outside := c.mappings()
	problems := flow.Check(graph, c.m.Registry)
	meant := c.meant(problems)
	for i := range problems {
		if !meant.explains(&problems[i]) {
			c.problem(&problems[i], outside)
		}
	}
}

// meant are the ends of connections that have a wrong other end, or were
// misspelt. That a port there is not connected is no second mistake.
type meant struct {
	// ports that somebody meant to connect; one without a name is a misspelt one.
	ports     map[outsidePort]bool
	processes map[string]bool
}

func (c *checker) meant(problems []flow.Problem) meant {
	m := meant{map[outsidePort]bool{}, map[string]bool{}}
	for i := range problems {
		p := &problems[i]
		if p.Code != flow.UnknownPort && p.Code != flow.UnknownProcess || p.Connection < 0 {
			continue
		}
		conn := &c.m.Connections[p.Connection]
		m.ports[outsidePort{Port{p.Process, ""}, p.Output}] = p.Code == flow.UnknownPort
		m.ports[outsidePort{conn.From, true}], m.ports[outsidePort{conn.To, false}] = true, true
		m.processes[conn.From.Process], m.processes[conn.To.Process] = true, true
	}
	for _, u := range c.m.units {
		for i := range u.tree.Stmts {
			if s := &u.tree.Stmts[i]; s.Kind == syntax.ConnectStmt && s.Has(syntax.Incomplete) {
				for _, ref := range u.tree.Refs(s) {
					from := port(u, ref)
					m.ports[outsidePort{from, true}] = true
					m.processes[from.Process] = true
				}
			}
		}
	}
	return m
}

// explains tells whether a problem only follows from a connection that is wrong.
func (m meant) explains(p *flow.Problem) bool {
	switch p.Code {
	case flow.SeparateParts:
		return len(m.processes) > 0
	case flow.MissingConnection, flow.TooFewPorts:
		instance, _, inside := strings.Cut(p.Process, "/")
		return m.ports[outsidePort{Port{p.Process, p.Port}, p.Output}] || m.ports[outsidePort{Port{p.Process, ""}, p.Output}] || inside && m.processes[instance]
	}
	return false
}

// outsidePort is a port that a cluster's users connect.
type outsidePort struct {
	Port
	output bool
}

// mappings checks the ports of a cluster and returns those inside that are
// connected from outside.
func (c *checker) mappings() map[outsidePort]bool {
	if c.m.Cluster == nil {
		return nil
	}
	outside := map[outsidePort]bool{}
	for _, list := range [][]Mapping{c.m.Cluster.In, c.m.Cluster.Out} {
		output := len(list) > 0 && len(c.m.Cluster.Out) > 0 && &list[0] == &c.m.Cluster.Out[0]
		for i := range list {
			refs := list[i].unit.tree.Refs(list[i].stmt)
			for j, inner := range list[i].Inner {
				key := outsidePort{inner, output}
				if outside[key] && !output {
					c.report(flowCode[flow.PortTwice], list[i].unit, list[i].unit.tree.Span(refs[j].Text()), "input port `%s.%s` is mapped twice", inner.Process, inner.Port)
				}
				outside[key] = true
				c.inner(&list[i], inner, list[i].unit.tree.Span(refs[j].Process), list[i].unit.tree.Span(refs[j].Port), output)
			}
		}
	}
	return outside
}

// inner checks that a port inside a cluster exists.
func (c *checker) inner(m *Mapping, ref Port, process, port source.Span, output bool) {
	p := c.m.process(ref.Process)
	if p == nil {
		var names []string
		for i := range c.m.Processes {
			names = append(names, c.m.Processes[i].Name)
		}
		c.report(flowCode[flow.UnknownProcess], m.unit, process, "there is no process `%s` in the cluster", cut(ref.Process)).Suggest(true, names...)
		return
	}
	t, known := c.m.Registry.Lookup(p.Type)
	if !known {
		return
	}
	found, _ := t.FindIn(ref.Port)
	side, ports := "input", t.In
	if output {
		found, _ = t.FindOut(ref.Port)
		side, ports = "output", t.Out
	}
	if found == nil {
		c.report(flowCode[flow.UnknownPort], m.unit, port, "process `%s` has no %s port `%s`", p.Name, side, cut(ref.Port)).
			Suggest(true, flow.PortNames(ports)...)
	}
}

// problem turns what the engine found into a finding at the smallest place.
func (c *checker) problem(p *flow.Problem, outside map[outsidePort]bool) {
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
		d.Note("its ports and keys are not checked, and it cannot run here; `--types FILE` declares types")
	case p.Code == flow.BadValue && strings.HasPrefix(p.Key, "_pipeline:"):
		d.As(diag.Warning)
		d.Note("the default is used instead")
	}
	if p.Help != "" {
		d.Helped("%s", p.Help)
		c.fix(d, p)
	}
	for _, r := range p.Related {
		d.At(c.span(r.Place), "%s", r.Message)
	}
	c.add(d)
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

// fromOutside tells whether a problem is none in a cluster, whose ports
// others connect.
func (c *checker) fromOutside(p *flow.Problem, outside map[outsidePort]bool) bool {
	switch p.Code {
	case flow.SeparateParts:
		return true
	case flow.MissingConnection, flow.TooFewPorts, flow.UntypedPort:
		if outside[outsidePort{Port{p.Process, p.Port}, p.Output}] {
			return true
		}
		// A group of ports whose names the pipeline chooses.
		for o := range maps.Keys(outside) {
			if o.Process == p.Process && p.Code == flow.TooFewPorts {
				return true
			}
		}
	}
	return false
}

// fix offers the name that the engine suggests.
func (c *checker) fix(d *diag.Diagnostic, p *flow.Problem) {
	_, rest, ok := strings.Cut(p.Help, "did you mean `")
	name, _, closed := strings.Cut(rest, "`?")
	if !ok || !closed {
		return
	}
	switch p.Code {
	case flow.UnknownPort, flow.UnknownProcess:
		d.Replace(true, name)
	case flow.UnknownType:
		d.Replace(false, name)
	}
}

// problemSpan is the smallest place of a problem.
func (c *checker) problemSpan(p *flow.Problem) source.Span {
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
	if p.Key != "" && p.Code == flow.BadValue {
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

func (c *checker) settingAt(p *flow.Problem) *Setting {
	key := p.Key
	if p.Process != "" {
		key = p.Process + ":" + p.Key
	}
	s, ok := c.m.Lookup(key)
	if !ok || s.keySpan() != c.span(p.Place) {
		return nil
	}
	return s
}
