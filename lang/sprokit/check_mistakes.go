package sprokit

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// mistakes holds the mistakes in connections and headers. Problems that are only consequences of them are not reported: one mistake, one message.
type mistakes struct {
	// ports of wrong connections. An entry without a port stands for a misspelt port of a process, an entry without a process for a port of an
	// unknown process.
	ports     map[sidedPort]bool
	processes map[string]bool
	twice     map[string]bool      // processes declared twice with different types, so that their ports are unknown
	backwards map[*Connection]bool // connections from an input to an output
	broken    map[string]bool      // instances of clusters that could not be read
	headless  map[string]bool
	partial   bool
}

func (c *checker) mistakes(problems problem.List) mistakes {
	m := mistakes{
		ports: map[sidedPort]bool{}, processes: map[string]bool{}, twice: map[string]bool{}, backwards: map[*Connection]bool{},
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
	swapped := map[*Connection]int{}
	for _, p := range problems {
		conn := c.connectionAt(p)
		if p.Kind != pipe.UnknownPort && p.Kind != pipe.UnknownProcess || conn == nil {
			continue
		}
		m.ports[sidedPort{conn.From, true}], m.ports[sidedPort{conn.To, false}] = true, true
		m.processes[conn.From.Process], m.processes[conn.To.Process] = true, true
		end := conn.To
		output := p.Subject.Output
		if output {
			end = conn.From
		}
		if p.Kind == pipe.UnknownProcess {
			m.ports[sidedPort{Port{"", end.Port}, output}] = true
			continue
		}
		m.ports[sidedPort{Port{p.Subject.Name, ""}, output}] = true
		if c.has(end, !output) {
			m.ports[sidedPort{end, !output}] = true
			if swapped[conn]++; swapped[conn] == 2 {
				m.backwards[conn] = true
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

// mention treats every word of a connection that could not be read as the name of a process in it.
func (m mistakes) mention(t *syntax.Tree, s *syntax.Stmt) {
	for i := s.Tokens.First; i < s.Tokens.End; i++ {
		if t.Tokens().Tokens[i].Kind != syntax.Word {
			continue
		}
		name := t.Tokens().At(int(i))
		m.processes[name] = true
		m.ports[sidedPort{Port{name, ""}, true}], m.ports[sidedPort{Port{name, ""}, false}] = true, true
	}
}

// explains reports whether a problem is only a consequence of another mistake: a wrong connection or header, or a file that could not be included.
func (m mistakes) explains(p *problem.Problem) bool {
	process, port, output := p.Subject.Name, p.Subject.Port, p.Subject.Output
	instance, _, inside := strings.Cut(process, "/")
	switch p.Kind {
	case pipe.UnknownProcess, pipe.UnknownPort, pipe.MissingConnection, pipe.TooFewPorts, pipe.UntypedPort:
		if m.broken[instance] {
			return true
		}
	}
	switch p.Kind {
	case pipe.SeparateParts:
		return m.partial || len(m.processes)+len(m.broken) > 0
	case pipe.MissingConnection, pipe.TooFewPorts:
		return m.partial || inside && m.processes[instance] || m.ports[sidedPort{Port{process, port}, output}] ||
			m.ports[sidedPort{Port{process, ""}, output}] || m.ports[sidedPort{Port{"", port}, output}]
	case pipe.UnknownProcess:
		return m.partial || m.headless[process]
	case pipe.UnknownPort, pipe.UnknownKey:
		return m.twice[process]
	case pipe.UntypedPort, pipe.NoSuchEdge, pipe.MissingKey:
		return m.partial
	}
	return false
}

// backwards reports a connection from an input to an output.
func (c *checker) backwards(conn *Connection) {
	t := conn.unit.tree
	refs := t.Refs(conn.stmt)
	from, to := t.Span(refs[0].Text()), t.Span(refs[1].Text())
	c.report(flowCode[pipe.UnknownPort], conn.unit, from.To(to), "this connection runs backwards: `%s` is an input and `%s` an output", from.Text(), to.Text()).
		Helped("exchange its ends").
		Fix(true, "exchange its ends", source.Edit{Span: from, Text: to.Text()}, source.Edit{Span: to, Text: from.Text()})
}

// sidedPort is a port on one side of a process.
type sidedPort struct {
	Port
	output bool
}
