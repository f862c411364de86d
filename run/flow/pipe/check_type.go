package pipe

import (
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// classOf returns the class of a port: the number of the group of ports that must have
// the same type. It returns -1 for a port with a fixed type.
func (c *checker) classOf(node int, p *PlanPort) int {
	if p.flowType >= 0 || !strings.HasPrefix(p.Type, FlowDependent) {
		return p.flowType
	}
	if p.Type == FlowDependent { // a type without a tag has nothing in common with other ports
		p.flowType = c.class.add()
		return p.flowType
	}
	n := &c.plan.Nodes[node]
	id, ok := n.tags[p.Type]
	if !ok {
		id = c.class.add()
		if n.tags == nil {
			n.tags = map[string]int{}
		}
		n.tags[p.Type] = id
	}
	p.flowType = id
	return id
}

// leaveOpen marks the type of a port as not determined, because the other end of its
// connection is unknown.
func (c *checker) leaveOpen(node int, p *PlanPort) {
	if class := c.classOf(node, p); class >= 0 {
		c.class.pinned[c.class.Root(class)].open = true
	}
}

// types applies a connection to the types of its two ports: it joins their classes, or
// gives a class the fixed type of the other port.
func (c *checker) types(l *link, e *PlanEdge, out, in *PlanPort) {
	if out.Type == DataDependent {
		c.chooseType(l, e.FromNode, out)
	}
	a, b := c.classOf(e.FromNode, out), c.classOf(e.ToNode, in)
	switch {
	case a >= 0 && b >= 0:
		c.union(l, a, b)
	case a >= 0:
		c.pin(l, a, pin{typ: in.Type, port: l.To, span: l.Span})
	case b >= 0:
		c.pin(l, b, pin{typ: out.Type, port: l.From, span: l.Span})
	case out.Type == "string" && in.Type == "kwiver:file_name":
		p := c.atLink(l, false, TypeMismatch, "`%s` gives `string`, and `%s` takes each string as a file name", l.From, l.To)
		p.Severity = problem.Info
	case out.Type != AnyType && in.Type != AnyType && out.Type != DataDependent && !fits(out.Type, in.Type):
		c.atLink(l, false, TypeMismatch, "`%s` gives `%s`, but `%s` takes `%s`", l.From, out.Type, l.To, in.Type)
	}
}

func (c *checker) pin(l *link, class int, p pin) {
	old := &c.class.pinned[c.class.Root(class)]
	switch {
	case p.typ == DataDependent: // chooseType has reported that the type is not known
		old.open = true
	case p.typ == AnyType:
		old.open = true
	case old.typ == "":
		p.open = old.open
		*old = p
	default:
		both, ok := meet(old.typ, p.typ)
		if !ok {
			c.typeClash(l, *old, p)
			return
		}
		old.typ = both
	}
}

// fits reports whether data can be of both types.
func fits(a, b string) bool { _, ok := meet(a, b); return ok }

func (c *checker) union(l *link, a, b int) {
	a, b = c.class.Root(a), c.class.Root(b)
	if a == b {
		return
	}
	pa, pb := c.class.pinned[a], c.class.pinned[b]
	if pa.typ != "" && pb.typ != "" {
		if both, ok := meet(pa.typ, pb.typ); ok {
			pa.typ = both
		} else {
			c.typeClash(l, pa, pb)
		}
	}
	if pa.typ == "" {
		pa, pb = pb, pa
	}
	pa.open = pa.open || pb.open
	c.class.Join(a, b)
	c.class.pinned[a] = pa
}

func (c *checker) typeClash(l *link, a, b pin) {
	p := c.atLink(l, false, TypeMismatch, "`%s` and `%s` meet here, but one has the type `%s`, the other `%s`", a.port, b.port, a.typ, b.typ)
	p.Related = []problem.Related{{Span: a.span, Message: "`" + a.port.String() + "` has `" + a.typ + "`"}}
}

// chooseType asks a process for the type of an output that depends on its configuration.
func (c *checker) chooseType(l *link, node int, out *PlanPort) {
	n := &c.plan.Nodes[node]
	typ := ""
	if n.Type.Settle != nil {
		t, err := n.Type.Settle(n.Config, Settling{Port: out.Name, Output: true})
		if err != nil {
			c.atLink(l, true, TypeRefused, "process `%s`: %v", n.Name, err)
			return
		}
		typ = t
	}
	if typ == "" {
		c.atLink(l, true, UntypedPort, "process `%s` does not say which type its output `%s` has", n.Name, out.Name)
		return
	}
	out.Type = typ
}

// assignTypes gives the type of its class to every port, and a type to every edge.
func (c *checker) assignTypes() {
	for i := range c.plan.Edges {
		e := &c.plan.Edges[i]
		if e.FromPort < 0 || e.ToPort < 0 {
			continue
		}
		l := e.link()
		out, in := &c.plan.Nodes[e.FromNode].Out[e.FromPort], &c.plan.Nodes[e.ToNode].In[e.ToPort]
		if out.flowType >= 0 && in.flowType >= 0 {
			if p := &c.class.pinned[c.class.Root(out.flowType)]; p.typ == "" && !p.open {
				p.open = true // reported only once for the class
				q := c.atLink(&l, true, UntypedPort, "nothing determines the type of the data from `%s` to `%s`", l.From, l.To)
				q.Expected = "connect one end of the chain to a port of a fixed type"
			}
		}
		c.accept(&l, e.FromNode, out, true)
		c.accept(&l, e.ToNode, in, false)
		e.Type = in.Type
		if e.Type == AnyType {
			e.Type = out.Type
		} else if both, ok := meet(e.Type, out.Type); ok {
			e.Type = both
		}
	}
	for i := range c.plan.Nodes {
		n := &c.plan.Nodes[i]
		for _, ports := range [][]PlanPort{n.In, n.Out} {
			for j := range ports {
				c.accept(nil, i, &ports[j], false)
			}
		}
	}
}

// accept gives a port the type of its class. The process may refuse the type, or choose a
// more precise one.
func (c *checker) accept(l *link, node int, p *PlanPort, output bool) {
	if p.flowType < 0 || !strings.HasPrefix(p.Type, FlowDependent) {
		return
	}
	typ := c.class.pinned[c.class.Root(p.flowType)].typ
	if typ == "" {
		typ = AnyType
	}
	n := &c.plan.Nodes[node]
	if n.Type.Settle != nil && typ != AnyType && l != nil {
		t, err := n.Type.Settle(n.Config, Settling{Port: p.Name, Output: output, Want: typ})
		if err != nil {
			c.atLink(l, output, TypeRefused, "process `%s`: %v", n.Name, err)
		} else if t != "" {
			typ = t
		}
	}
	p.Type = typ
}
