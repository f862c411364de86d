package pipe

import "github.com/pentode-dev/pentode/core/problem"

// connect makes an edge for every connection whose ends exist. It checks each connection by itself, and together with
// other connections of the same port.
func (c *checker) connect() {
	c.plan.Edges = make([]PlanEdge, 0, len(c.links))
	for i := range c.links {
		l := &c.links[i]
		from, ok1 := c.node(l, true)
		to, ok2 := c.node(l, false)
		if !ok1 || !ok2 {
			c.attempt(l, from, to)
			continue
		}
		out, ok1 := c.end(l, from, true)
		in, ok2 := c.end(l, to, false)
		if !ok1 || !ok2 {
			c.attempt(l, from, to)
			continue
		}
		e := PlanEdge{From: l.From, To: l.To, FromNode: from, ToNode: to, FromPort: out, ToPort: in, Connection: l.source, Span: l.Span, named: l.named}
		// If an end is unknown, the connection cannot be checked, but it still takes the input.
		if in >= 0 && c.taken(l, &c.plan.Nodes[to].In[in]) {
			c.attempt(l, from, to)
			continue
		}
		switch {
		case out >= 0 && in >= 0:
			c.join(l, &e)
		case out >= 0:
			c.leaveOpen(from, &c.plan.Nodes[from].Out[out])
		case in >= 0:
			c.leaveOpen(to, &c.plan.Nodes[to].In[in])
		}
		n := len(c.plan.Edges)
		c.plan.Edges = append(c.plan.Edges, e)
		if out >= 0 {
			p := &c.plan.Nodes[from].Out[out]
			p.Edges = append(p.Edges, n)
		}
		if in >= 0 {
			p := &c.plan.Nodes[to].In[in]
			p.Edges = append(p.Edges, n)
		}
	}
}

func (c *checker) node(l *link, output bool) (int, bool) {
	ref := l.To
	if output {
		ref = l.From
	}
	if i, ok := c.index[ref.Process]; ok {
		return i, true
	}
	if c.endless[ref.Process] {
		return -1, false
	}
	p := c.atLink(l, output, UnknownProcess, "there is no process `%s`", ref.Process)
	p.Subject.Port = ""
	c.suggest(p, ref.Process, c.names, "")
	return -1, false
}

// end finds the port at one end of a connection and returns its index. It reports an unknown port. The index is -1 for
// an unknown port or type; ok is then true if the port may exist, because the type is unknown or another version of it
// may have the port.
func (c *checker) end(l *link, node int, output bool) (int, bool) {
	n := &c.plan.Nodes[node]
	if n.Type == nil {
		return -1, true
	}
	name, side, ports := l.To.Port, "input", n.Type.In
	if output {
		name, side, ports = l.From.Port, "output", n.Type.Out
	}
	i, ok := n.port(name, output)
	if ok {
		c.redefined(l, n, output, name)
		return i, true
	}
	p := c.atLink(l, output, UnknownPort, "process `%s` has no %s port `%s`", n.Name, side, name)
	other, _ := n.Type.FindIn(name)
	if !output {
		other, _ = n.Type.FindOut(name)
	}
	switch {
	case other != nil && output:
		p.Expected = "`" + name + "` is an input: a connection goes from an output to an input"
	case other != nil:
		p.Expected = "`" + name + "` is an output: a connection goes from an output to an input"
	case len(ports) == 0:
		p.Expected = "`" + n.Type.Name + "` has no " + side + " ports"
	default:
		c.suggest(p, name, func() []string { return PortNames(ports) }, "`"+n.Type.Name+"` has")
	}
	n.Type.Soften(p, "has no "+side+" `"+name+"`")
	c.point(p, n.Type.Name, func(t *Type) bool {
		has, _ := t.FindIn(name)
		if output {
			has, _ = t.FindOut(name)
		}
		return has != nil
	})
	return -1, p.Severity != problem.Error
}

// redefined reports the use of a port that exists only in another program's declaration of a type. A run uses this
// program's type, which does not have the port.
func (c *checker) redefined(l *link, n *PlanNode, output bool, name string) {
	own := n.Type.runs
	if own == nil || n.Type.Version != "" {
		return
	}
	find, side := own.FindIn, "input"
	if output {
		find, side = own.FindOut, "output"
	}
	if port, _ := find(name); port == nil {
		p := c.atLink(l, output, UnknownPort, "process `%s` has no %s port `%s`: the declared types give it to `%s`, but a run uses the `%[4]s` of this program", n.Name, side, name, own.Name)
		p.Expected = "rename the declared type, or remove the connection"
	}
}

// attempt marks the ports of an invalid connection, so that they are not also reported as unconnected.
func (c *checker) attempt(l *link, from, to int) {
	if from >= 0 && c.plan.Nodes[from].Type != nil {
		if i, ok := c.plan.Nodes[from].port(l.From.Port, true); ok {
			c.plan.Nodes[from].Out[i].attempts++
			c.leaveOpen(from, &c.plan.Nodes[from].Out[i])
		}
	}
	if to >= 0 && c.plan.Nodes[to].Type != nil {
		if i, ok := c.plan.Nodes[to].port(l.To.Port, false); ok {
			c.plan.Nodes[to].In[i].attempts++
			c.leaveOpen(to, &c.plan.Nodes[to].In[i])
		}
	}
}

// taken reports a second connection to an input. It returns true if the input was already connected.
func (c *checker) taken(l *link, in *PlanPort) bool {
	if len(in.Edges) == 0 {
		return false
	}
	first := c.plan.Edges[in.Edges[0]]
	p := c.atLink(l, false, PortTwice, "input port `%s` is connected twice", l.To)
	p.Expected = "an input takes one connection; `multiplexer` merges several"
	p.Related = []problem.Related{{Span: first.Span, Message: "first connected to `" + first.From.String() + "` here"}}
	return true
}

// join checks a connection of two known ports: their flags and their types.
func (c *checker) join(l *link, e *PlanEdge) {
	out := &c.plan.Nodes[e.FromNode].Out[e.FromPort]
	in := &c.plan.Nodes[e.ToNode].In[e.ToPort]
	c.flags(l, out, in)
	c.types(l, e, out, in)
}

// flags checks whether the connection respects the flags of the data. Const data must not be changed. Shared data may
// have one reader that changes them, or any number of readers that do not.
func (c *checker) flags(l *link, out, in *PlanPort) {
	mutable := in.Flags&Mutable != 0
	if out.Flags&Const != 0 && mutable {
		c.atLink(l, false, FlagMismatch, "`%s` would change the data of `%s`, which are const", l.To, l.From)
		return
	}
	if out.Flags&Shared == 0 || len(out.Edges) == 0 {
		return
	}
	first := c.plan.Edges[out.Edges[0]]
	firstMutable := false
	if first.ToPort >= 0 {
		firstMutable = c.plan.Nodes[first.ToNode].In[first.ToPort].Flags&Mutable != 0
	}
	if !mutable && !firstMutable {
		return
	}
	who := l.To.String()
	if !mutable {
		who = first.To.String()
	}
	p := c.atLink(l, false, FlagMismatch, "`%s` has several readers, and `%s` would change its data", l.From, who)
	p.Expected = "data of a shared port have one reader that changes them, or only readers that do not"
	p.Related = []problem.Related{{Span: first.Span, Message: "first reader"}}
}
