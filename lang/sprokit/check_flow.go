package sprokit

import (
	"maps"
	"regexp"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
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
		if p := &edges[i]; p.Code != flow.BadValue || !c.emptied(c.settingAt(p), strings.TrimPrefix(p.Help, "expected ")) {
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
		case p.Code == flow.BadValue && c.emptied(c.settingAt(p), strings.TrimPrefix(p.Help, "expected ")):
		default:
			c.problem(p, outside)
		}
	}
}

// meant are the ends of connections that have a wrong other end, or were
// misspelt. That a port there is not connected is no second mistake.
type meant struct {
	// ports that somebody meant to connect. One without a name is a misspelt
	// one, one without a process stands in a connection of an unknown process.
	ports     map[outsidePort]bool
	processes map[string]bool
	twice     map[string]bool // declared with two types: whose ports are meant is open
	backwards map[int]bool    // connections from an input to an output
	headless  map[string]bool
	partial   bool
}

func (c *checker) meant(problems []flow.Problem) meant {
	m := meant{map[outsidePort]bool{}, map[string]bool{}, map[string]bool{}, map[int]bool{}, c.m.headless, c.m.partial}
	for i := range c.m.Processes {
		p := &c.m.Processes[i]
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
		m.ports[outsidePort{conn.From, true}], m.ports[outsidePort{conn.To, false}] = true, true
		m.processes[conn.From.Process], m.processes[conn.To.Process] = true, true
		end := conn.To
		if p.Output {
			end = conn.From
		}
		if p.Code == flow.UnknownProcess {
			m.ports[outsidePort{Port{"", end.Port}, p.Output}] = true
			continue
		}
		m.ports[outsidePort{Port{p.Process, ""}, p.Output}] = true
		if c.has(end, !p.Output) {
			m.ports[outsidePort{end, !p.Output}] = true
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

// has tells whether a process has a port on one of its sides.
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
		m.ports[outsidePort{Port{name, ""}, true}], m.ports[outsidePort{Port{name, ""}, false}] = true, true
	}
}

// explains tells whether a problem only follows from another mistake: a
// connection or a header that is wrong, a file that could not be included.
func (m meant) explains(p *flow.Problem) bool {
	switch p.Code {
	case flow.SeparateParts:
		return m.partial || len(m.processes) > 0
	case flow.MissingConnection, flow.TooFewPorts:
		instance, _, inside := strings.Cut(p.Process, "/")
		return m.partial || inside && m.processes[instance] || m.ports[outsidePort{Port{p.Process, p.Port}, p.Output}] ||
			m.ports[outsidePort{Port{p.Process, ""}, p.Output}] || m.ports[outsidePort{Port{"", p.Port}, p.Output}]
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

// outsidePort is a port that a cluster's users connect.
type outsidePort struct {
	Port
	output bool
}

// mappings checks the ports of a cluster and returns those inside that are
// connected from outside.
func (c *checker) mappings(meant meant) map[outsidePort]bool {
	if c.m.Cluster == nil {
		return nil
	}
	c.mappedKeys()
	outside := map[outsidePort]bool{}
	for i := range c.m.Cluster.In {
		c.mapping(&c.m.Cluster.In[i], false, meant, outside)
	}
	for i := range c.m.Cluster.Out {
		c.mapping(&c.m.Cluster.Out[i], true, meant, outside)
	}
	return outside
}

// mappedKeys finds settings that stand for a key which the cluster does not have.
func (c *checker) mappedKeys() {
	name := c.m.Cluster.Name + ":"
	for i := range c.m.Processes {
		for _, s := range c.m.of(c.m.Processes[i].Name) {
			key, ok := strings.CutPrefix(s.Value, name)
			if !ok || !s.is(readOnly) || s.is(mapped) {
				continue
			}
			d := c.report(flowCode[flow.UnknownKey], s.unit, s.ValueSpan(), "the cluster has no key `%s` that this could stand for", cut(key))
			if c.m.dialect == load.Upstream {
				d.As(diag.Error)
			}
			var keys []string
			for _, k := range c.m.Cluster.Keys {
				keys = append(keys, name+k.Name)
			}
			d.Suggest(false, keys...)
		}
	}
}

func (c *checker) mapping(m *Mapping, output bool, meant meant, outside map[outsidePort]bool) {
	refs := m.unit.tree.Refs(m.stmt)
	for i, inner := range m.Inner {
		if outside[outsidePort{inner, output}] && !output {
			c.report(flowCode[flow.PortTwice], m.unit, m.unit.tree.Span(refs[i].Text()), "input port `%s.%s` is mapped twice", inner.Process, inner.Port)
		}
		outside[outsidePort{inner, output}] = true
		if p := c.m.process(inner.Process); p != nil {
			c.reach(p.Name, p.Type, inner.Port, output, outside)
		}
		c.inner(m, inner, m.unit.tree.Span(refs[i].Process), m.unit.tree.Span(refs[i].Port), output, meant)
	}
}

// reach marks a port, and where its process is a cluster the ports inside
// that it stands for.
func (c *checker) reach(process, kind, port string, output bool, outside map[outsidePort]bool) {
	outside[outsidePort{Port{process, port}, output}] = true
	t, known := c.m.Registry.Lookup(kind)
	if !known || t.Cluster == nil {
		return
	}
	refs := t.Cluster.In[port]
	if output {
		refs = nil
		if ref, ok := t.Cluster.Out[port]; ok {
			refs = []flow.PortRef{ref}
		}
	}
	for _, ref := range refs {
		for _, n := range t.Cluster.Processes {
			if n.Name == ref.Process {
				c.reach(process+"/"+n.Name, n.Type, ref.Port, output, outside)
			}
		}
	}
}

// inner checks that a port inside a cluster exists.
func (c *checker) inner(m *Mapping, ref Port, process, port source.Span, output bool, meant meant) {
	p := c.m.process(ref.Process)
	if p == nil {
		meant.ports[outsidePort{Port{"", ref.Port}, output}] = true
		if c.m.headless[ref.Process] {
			return
		}
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
		meant.ports[outsidePort{Port{p.Name, ""}, output}] = true
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
	if near, ok := diag.Nearest(name, c.m.clusters.names()); ok && p.Help == "" {
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
