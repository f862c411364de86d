package sprokit

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow"
)

// meant are the ends of connections that have a wrong other end, or were
// misspelt. That a port there is not connected is no second mistake.
type meant struct {
	// ports that somebody meant to connect. One without a name is a misspelt
	// one, one without a process stands in a connection of an unknown process.
	ports     map[sidedPort]bool
	processes map[string]bool
	twice     map[string]bool // declared with two types: whose ports are meant is open
	backwards map[int]bool    // connections from an input to an output
	broken    map[string]bool // instances of clusters that could not be read
	headless  map[string]bool
	partial   bool
}

func (c *checker) meant(problems []flow.Problem) meant {
	m := meant{
		ports: map[sidedPort]bool{}, processes: map[string]bool{}, twice: map[string]bool{}, backwards: map[int]bool{},
		broken: map[string]bool{}, headless: c.m.headless, partial: c.m.partial,
	}
	for i := range c.m.Processes {
		p := &c.m.Processes[i]
		if p.Inside != nil && p.Inside.tree.Problems().HasErrors() {
			m.broken[p.Name] = true
		}
		if c.m.process(p.Name).Type != p.Type {
			m.twice[p.Name] = true
		}
	}
	swapped := map[int]int{}
	for i := range problems {
		p := &problems[i]
		if p.Code != flow.UnknownPort && p.Code != flow.UnknownProcess || p.Connection < 0 {
			continue
		}
		conn := &c.m.Connections[p.Connection]
		m.ports[sidedPort{conn.From, true}], m.ports[sidedPort{conn.To, false}] = true, true
		m.processes[conn.From.Process], m.processes[conn.To.Process] = true, true
		end := conn.To
		if p.Output {
			end = conn.From
		}
		if p.Code == flow.UnknownProcess {
			m.ports[sidedPort{Port{"", end.Port}, p.Output}] = true
			continue
		}
		m.ports[sidedPort{Port{p.Process, ""}, p.Output}] = true
		if c.has(end, !p.Output) {
			m.ports[sidedPort{end, !p.Output}] = true
			if swapped[p.Connection]++; swapped[p.Connection] == 2 {
				m.backwards[p.Connection] = true
			}
		}
	}
	for _, u := range c.m.units {
		for i := range u.tree.Stmts {
			s := &u.tree.Stmts[i]
			if !s.Has(syntax.Incomplete) {
				continue
			}
			switch s.Kind {
			case syntax.ConnectStmt, syntax.ImapStmt, syntax.OmapStmt:
				m.mention(u.tree, s)
			}
		}
	}
	return m
}

// has reports whether a process has a port on one of its sides.
func (c *checker) has(ref Port, output bool) bool {
	p := c.m.process(ref.Process)
	if p == nil {
		return false
	}
	t, known := c.m.Registry.Lookup(p.Type)
	if !known {
		return false
	}
	found, _ := t.FindIn(ref.Port)
	if output {
		found, _ = t.FindOut(ref.Port)
	}
	return found != nil
}

// mention takes every word of a connection that could not be read for a
// process that it may be about.
func (m meant) mention(t *syntax.Tree, s *syntax.Stmt) {
	for i := s.Tokens.First; i < s.Tokens.End; i++ {
		if t.Tokens().Tokens[i].Kind != syntax.Word {
			continue
		}
		name := t.Tokens().At(int(i))
		m.processes[name] = true
		m.ports[sidedPort{Port{name, ""}, true}], m.ports[sidedPort{Port{name, ""}, false}] = true, true
	}
}

// explains reports whether a problem only follows from another mistake: a
// connection or a header that is wrong, a file that could not be included.
func (m meant) explains(p *flow.Problem) bool {
	instance, _, inside := strings.Cut(p.Process, "/")
	switch p.Code {
	case flow.UnknownProcess, flow.UnknownPort, flow.MissingConnection, flow.TooFewPorts, flow.UntypedPort:
		if m.broken[instance] {
			return true
		}
	}
	switch p.Code {
	case flow.SeparateParts:
		return m.partial || len(m.processes)+len(m.broken) > 0
	case flow.MissingConnection, flow.TooFewPorts:
		return m.partial || inside && m.processes[instance] || m.ports[sidedPort{Port{p.Process, p.Port}, p.Output}] ||
			m.ports[sidedPort{Port{p.Process, ""}, p.Output}] || m.ports[sidedPort{Port{"", p.Port}, p.Output}]
	case flow.UnknownProcess:
		return m.partial || m.headless[p.Process]
	case flow.UnknownPort, flow.UnknownKey:
		return m.twice[p.Process]
	case flow.UntypedPort, flow.NoSuchEdge, flow.MissingKey:
		return m.partial
	}
	return false
}

// backwards reports a connection whose ends are exchanged.
func (c *checker) backwards(i int) {
	conn := &c.m.Connections[i]
	t := conn.unit.tree
	refs := t.Refs(conn.stmt)
	from, to := t.Span(refs[0].Text()), t.Span(refs[1].Text())
	c.report(flowCode[flow.UnknownPort], conn.unit, from.To(to), "this connection runs backwards: `%s` is an input and `%s` an output", from.Text(), to.Text()).
		Helped("exchange its ends").
		Fix(true, "exchange its ends", source.Edit{Span: from, Text: to.Text()}, source.Edit{Span: to, Text: from.Text()})
}
