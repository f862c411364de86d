package sprokit

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// parts yields the processes with their types, the connections, and the ports of a cluster. It includes the parts inside the clusters
// that a pipeline uses.
func (m *Model) parts(yield func(lang.Part) bool) {
	if c := m.Cluster; c != nil && !m.clusterParts(c, yield) {
		return
	}
	m.partsBelow("", "", yield)
}

// clusterParts yields the head of a cluster and its ports.
func (m *Model) clusterParts(c *Cluster, yield func(lang.Part) bool) bool {
	if !yield(lang.Part{Key: "cluster", Value: c.Name, Text: "cluster " + c.Name, Span: c.unit.tree.Span(c.stmt.Name)}) {
		return false
	}
	for i := range c.In {
		in := &c.In[i]
		to := joined(in.Inner)
		if !yield(lang.Part{Key: "imap " + in.Port, Value: to, Text: "imap from " + in.Port + " to " + to, Span: in.head()}) {
			return false
		}
	}
	for i := range c.Out {
		out := &c.Out[i]
		from := joined(out.Inner)
		if !yield(lang.Part{Key: "omap " + out.Port, Value: from, Text: "omap from " + from + " to " + out.Port, Span: out.head()}) {
			return false
		}
	}
	return true
}

// head returns the place of the mapping's first word.
func (m *Mapping) head() source.Span { return m.unit.tree.Head(m.stmt) }

func joined(ports []Port) string {
	list := make([]string, len(ports))
	for i, p := range ports {
		list[i] = p.Process + "." + p.Port
	}
	return strings.Join(list, ", ")
}

// partsBelow yields the processes and connections of a model, with prefix put before their names. outer is the key of the part that
// contains them.
func (m *Model) partsBelow(prefix, outer string, yield func(lang.Part) bool) bool {
	for i := range m.Processes {
		p := &m.Processes[i]
		key := "process " + prefix + p.Name
		if !yield(lang.Part{Key: key, Value: p.Type, Text: key + " :: " + p.Type, Span: p.Span(), Inside: outer}) {
			return false
		}
		if p.Inside != nil && !p.Inside.insideParts(prefix+p.Name, key, yield) {
			return false
		}
	}
	for i := range m.Connections {
		c := &m.Connections[i]
		from, to := prefix+c.From.Process+"."+c.From.Port, prefix+c.To.Process+"."+c.To.Port
		if !yield(lang.Part{Key: "connect to " + to, Value: from, Text: "connect from " + from + " to " + to, Span: c.head(), Inside: outer}) {
			return false
		}
	}
	return true
}

// insideParts yields the parts inside a cluster that a pipeline uses, and the inner ports to which the cluster's ports lead.
func (m *Model) insideParts(name, outer string, yield func(lang.Part) bool) bool {
	inner := func(p lang.Part) bool {
		p.Inside = outer
		if p.Key == "cluster" { // skip it: the type of the process already names the cluster
			return true
		}
		kind, port, _ := strings.Cut(p.Key, " ")
		p.Key = kind + " " + name + "." + port
		p.Text = kind + " " + name + "." + port + " = " + p.Value
		return yield(p)
	}
	return m.clusterParts(m.Cluster, inner) && m.partsBelow(name+"/", outer, yield)
}
