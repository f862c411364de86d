package sprokit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// cause is the subject of a problem: a process, a port or a key.
type cause struct {
	kind               problem.Kind
	process, port, key string
	output             bool
}

type causes map[cause]bool

func causeOf(p *problem.Problem) cause {
	return cause{p.Kind, p.Subject.Name, p.Subject.Port, p.Subject.Key, p.Subject.Output}
}

// clusters checks the content of the clusters that the pipeline uses, in the same way as when their own files are checked. A mistake in a cluster is
// reported once, in the cluster's file, however often the cluster is used.
func (c *checker) clusters(known mistakes) causes {
	type place struct {
		code    *diag.Code
		at      source.Span
		message string
	}
	found, seen := causes{}, map[place]bool{}
	for i := range c.m.Processes {
		p := &c.m.Processes[i]
		if p.Inside == nil {
			continue
		}
		sub := &checker{m: p.Inside.with(c.m.Registry), reported: map[*Setting]bool{}}
		for of := range sub.flow() {
			of.process = p.Name + "/" + of.process
			found[of] = true
			if of.kind == pipe.UnknownPort || of.kind == pipe.UnknownProcess {
				known.processes[of.process] = true
			}
		}
		for _, d := range sub.list {
			if at := (place{d.Code, d.Span, d.Message}); !seen[at] {
				seen[at] = true
				c.list.Add(d)
			}
		}
	}
	return found
}

// mappings checks the ports of a cluster. It returns the ports inside that are connected through them.
func (c *checker) mappings(known mistakes) map[sidedPort]bool {
	if c.m.Cluster == nil {
		return nil
	}
	c.mappedKeys()
	outside := map[sidedPort]bool{}
	for i := range c.m.Cluster.In {
		c.mapping(&c.m.Cluster.In[i], false, known, outside)
	}
	for i := range c.m.Cluster.Out {
		c.mapping(&c.m.Cluster.Out[i], true, known, outside)
	}
	return outside
}

// mappedKeys finds settings that refer to a missing key of the cluster.
func (c *checker) mappedKeys() {
	name := c.m.Cluster.Name + ":"
	for i := range c.m.Processes {
		for _, s := range c.m.of(c.m.Processes[i].Name) {
			key, ok := strings.CutPrefix(s.Value, name)
			if !ok || !s.is(readOnly) || s.is(mapped) {
				continue
			}
			d := c.report(flowCode[pipe.UnknownKey], s.unit, s.ValueSpan(), "the cluster has no key `%s` that this could refer to", key)
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

func (c *checker) mapping(m *Mapping, output bool, known mistakes, outside map[sidedPort]bool) {
	refs := m.unit.tree.Refs(m.stmt)
	for i, inner := range m.Inner {
		if outside[sidedPort{inner, output}] && !output {
			c.report(flowCode[pipe.PortTwice], m.unit, m.unit.tree.Span(refs[i].Text()), "input port `%s.%s` is mapped twice", inner.Process, inner.Port)
		}
		outside[sidedPort{inner, output}] = true
		if p := c.m.process(inner.Process); p != nil {
			c.reach(p.Name, p.Type, inner.Port, output, outside)
		}
		c.inner(m, inner, m.unit.tree.Span(refs[i].Process), m.unit.tree.Span(refs[i].Port), output, known)
	}
}

// reach marks a port. If its process is a cluster, it also marks the ports inside that the port leads to.
func (c *checker) reach(process, kind, port string, output bool, outside map[sidedPort]bool) {
	outside[sidedPort{Port{process, port}, output}] = true
	t, ok := c.m.Registry.Lookup(kind)
	if !ok || t.Cluster == nil {
		return
	}
	refs := t.Cluster.In[port]
	if output {
		refs = nil
		if ref, ok := t.Cluster.Out[port]; ok {
			refs = []pipe.PortRef{ref}
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

// inner checks that the port inside a cluster exists to which a port of the cluster leads.
func (c *checker) inner(m *Mapping, ref Port, process, port source.Span, output bool, known mistakes) {
	p := c.m.process(ref.Process)
	if p == nil {
		known.ports[sidedPort{Port{"", ref.Port}, output}] = true
		if c.m.headless[ref.Process] {
			return
		}
		var names []string
		for i := range c.m.Processes {
			names = append(names, c.m.Processes[i].Name)
		}
		c.report(flowCode[pipe.UnknownProcess], m.unit, process, "there is no process `%s` in the cluster", ref.Process).Suggest(true, names...)
		return
	}
	t, ok := c.m.Registry.Lookup(p.Type)
	if !ok {
		return
	}
	found, _ := t.FindIn(ref.Port)
	side, ports := "input", t.In
	if output {
		found, _ = t.FindOut(ref.Port)
		side, ports = "output", t.Out
	}
	if found == nil {
		known.ports[sidedPort{Port{p.Name, ""}, output}] = true
		lack := &problem.Problem{
			Message:  fmt.Sprintf("process `%s` has no %s port `%s`", p.Name, side, ref.Port),
			Misspelt: problem.Misspelt(ref.Port, pipe.PortNames(ports)),
		}
		t.Soften(lack, "has no "+side+" `"+ref.Port+"`")
		c.report(flowCode[pipe.UnknownPort], m.unit, port, "%s", lack.Message).
			As(lack.Severity).Suggest(true, pipe.PortNames(ports)...)
	}
}

// fromOutside reports whether a problem inside a cluster is not one, because the pipeline that uses the cluster connects the port.
func (c *checker) fromOutside(p *problem.Problem, outside map[sidedPort]bool) bool {
	switch {
	case outside == nil: // the document is not a cluster
		return false
	case p.Kind == pipe.SeparateParts:
		return true
	case p.Kind == pipe.UntypedPort:
		return true // the chain begins at a port of the cluster; a missing connection elsewhere in the chain is reported separately
	case p.Kind == pipe.MissingConnection, p.Kind == pipe.TooFewPorts:
		if outside[sidedPort{Port{p.Subject.Name, p.Subject.Port}, p.Subject.Output}] {
			return true
		}
		// The subject may be a port of a group, whose names the pipeline chooses.
		group := pipe.Port{Name: p.Subject.Port}
		for o := range maps.Keys(outside) {
			if o.Process == p.Subject.Name && (p.Kind == pipe.TooFewPorts || group.Pattern() && o.output == p.Subject.Output) {
				return true
			}
		}
	}
	return false
}

// givenFromOutside reports whether the user of a cluster gave the value of a setting, or a value that it is made from.
func (m *Model) givenFromOutside(s *Setting) bool {
	if m.Cluster == nil || s == nil {
		return false
	}
	if s.from != nil {
		return true
	}
	if s.is(mapped) && s.count == 0 {
		key, _ := m.Lookup(m.Cluster.Name + ":" + m.source(s))
		return m.givenFromOutside(key)
	}
	for _, r := range m.reads[s.first : s.first+s.count] {
		if r.given != nil || r.of >= 0 && m.givenFromOutside(&m.settings[r.of]) {
			return true
		}
	}
	return false
}

// leadsNowhere reports whether a port of a cluster in use leads to a process or a port that does not exist. That is a mistake in the cluster's file.
func (m *Model) leadsNowhere(p *problem.Problem) bool {
	name := p.Subject.Name
	instance, rest, inside := strings.Cut(name, "/")
	if !inside || p.Kind != pipe.UnknownPort && p.Kind != pipe.UnknownProcess {
		return false
	}
	for ; inside; instance, rest, inside = strings.Cut(name, "/") {
		process := m.process(instance)
		if process == nil || process.Inside == nil {
			return false
		}
		m, name = process.Inside, rest
	}
	list := m.Cluster.In
	if p.Subject.Output {
		list = m.Cluster.Out
	}
	for i := range list {
		for _, inner := range list[i].Inner {
			if inner.Process == name && (p.Kind == pipe.UnknownProcess || inner.Port == p.Subject.Port) {
				return true
			}
		}
	}
	return false
}

// leadsTo returns the port of this file's own process that leads to a port inside a cluster. If there is none, the inner port cannot be connected
// from outside.
func (m *Model) leadsTo(inner Port, output bool) (Port, bool) {
	instance, rest, inside := strings.Cut(inner.Process, "/")
	if !inside {
		return inner, true
	}
	p := m.process(instance)
	if p == nil || p.Inside == nil {
		return Port{}, false
	}
	inner, ok := p.Inside.leadsTo(Port{rest, inner.Port}, output)
	list := p.Inside.Cluster.In
	if output {
		list = p.Inside.Cluster.Out
	}
	for i := range list {
		if ok && slices.Contains(list[i].Inner, inner) {
			return Port{instance, list[i].Port}, true
		}
	}
	return Port{}, false
}
