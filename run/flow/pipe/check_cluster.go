package pipe

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

const maxClusterDepth = 100

// open makes the nodes of the plan from the processes of the graph. It replaces clusters by the
// processes in them, so that afterwards all connections are between processes.
func (c *checker) open() {
	c.index = make(map[string]int, len(c.graph.Processes))
	c.plan.Nodes = make([]PlanNode, 0, len(c.graph.Processes))
	c.links = make([]link, 0, len(c.graph.Connections))
	c.plan.clusters = map[string]*openCluster{}
	for i := range c.graph.Processes {
		c.add(c.graph.Processes[i], 0)
	}
	for i := range c.graph.Connections {
		c.links = append(c.links, link{Connection: c.graph.Connections[i], source: i})
	}
	for len(c.plan.clusters) > 0 && c.enter() {
	}
}

func (c *checker) add(n Node, depth int) {
	if old, ok := c.index[n.Name]; ok || c.plan.clusters[n.Name] != nil {
		var first source.Span
		if ok {
			first = c.plan.Nodes[old].Span
		} else {
			first = c.plan.clusters[n.Name].Span
		}
		p := c.atNode(&n, DuplicateProcess, "process `%s` is declared twice", n.Name)
		p.Expected = "give one of them another name"
		p.Related = []problem.Related{{Span: first, Message: "first declared here"}}
		return
	}
	t, ok := c.reg.Lookup(n.Type)
	if !ok {
		p := c.atNode(&n, UnknownType, "process `%s` has the unknown type `%s`", n.Name, n.Type)
		c.suggest(p, n.Type, c.typeNames, "")
		if k := c.reg.fitting(n.Type, func(*Type) bool { return true }); k != nil && !p.Misspelt {
			p.Expected = k.KnownHint() + ", which has it"
		}
	}
	if t != nil && t.Narrow != nil {
		t = cmp.Or(t.Narrow(&n), t)
	}
	if t == nil || t.Cluster == nil {
		c.index[n.Name] = len(c.plan.Nodes)
		node := PlanNode{Node: n, Type: t}
		if t != nil {
			node.In, node.Out = declared(t.In), declared(t.Out)
		}
		c.plan.Nodes = append(c.plan.Nodes, node)
		return
	}
	if depth == maxClusterDepth {
		c.atNode(&n, UnknownType, "cluster `%s` contains itself", n.Type)
		if c.endless == nil {
			c.endless = map[string]bool{}
		}
		c.endless[n.Name] = true
		return
	}
	c.plan.clusters[n.Name] = &openCluster{n, t}
	c.checkKeys(&n, t, n.Config.names())
	for _, inner := range t.Cluster.Processes {
		name := inner.Name
		inner.Name = n.Name + "/" + name
		inner.Span = n.Span
		inner.Config = c.innerConfig(&n, t, inner, name)
		c.add(inner, depth+1)
	}
	for _, conn := range t.Cluster.Connections {
		conn.From.Process = n.Name + "/" + conn.From.Process
		conn.To.Process = n.Name + "/" + conn.To.Process
		conn.Span = n.Span
		c.links = append(c.links, link{Connection: conn, source: -1})
	}
}

func (c *checker) typeNames() []string {
	var names []string
	for t := range c.reg.All() {
		names = append(names, t.Name)
	}
	return names
}

// innerConfig returns the configuration of a process inside a cluster. It combines the process's
// own values, values that the cluster was given for `inner:key`, and values of the cluster's keys
// that are mapped to keys of the process.
func (c *checker) innerConfig(n *Node, t *Type, inner Node, name string) Config {
	conf := maps.Clone(inner.Config)
	if conf == nil {
		conf = Config{}
	}
	for key, s := range n.Config {
		if rest, ok := strings.CutPrefix(key, name+":"); ok {
			conf[rest] = s
		}
		if _, own := conf[key]; key == SiteKey && !own {
			conf[key] = s
		}
	}
	for key, targets := range t.Cluster.Keys {
		s, ok := n.Config[key]
		decl, known := t.KeyFor(key)
		if !ok && known && decl.Default != "" {
			s, ok = Setting{Value: decl.Default, Span: n.Span}, true
		}
		if !ok {
			continue
		}
		s.Tunable = s.Tunable || known && decl.Tunable
		for _, target := range targets {
			if target.Process != name {
				continue
			}
			if given, clash := n.Config[name+":"+target.Key]; clash {
				p := c.atNode(n, ReadOnlyKey, "key `%s:%s` of cluster `%s` follows its key `%s` and cannot be set", name, target.Key, n.Name, key)
				p.Subject.Key, p.Span = name+":"+target.Key, cmp.Or(given.Span, n.Span)
			}
			conf[target.Key] = s
		}
	}
	return conf
}

func declared(ports []Port) []PlanPort {
	list := make([]PlanPort, 0, len(ports))
	for i := range ports {
		if p := &ports[i]; !p.Pattern() {
			list = append(list, planPort(p, "", p.Name))
		}
	}
	return list
}

// enter replaces each cluster port at the end of a connection by the inner port, one level deep. It
// reports whether another call is needed.
func (c *checker) enter() bool {
	changed := false
	links := make([]link, 0, len(c.links))
	for _, l := range c.links {
		if open := c.plan.clusters[l.From.Process]; open != nil {
			out := open.typ.Cluster.Out
			ref, ok := out[l.From.Port]
			if !ok {
				c.noClusterPort(&l, true, slices.Sorted(maps.Keys(out)))
				continue
			}
			l.named = append(slices.Clip(l.named), end{l.From, true})
			l.From = PortRef{l.From.Process + "/" + ref.Process, ref.Port}
			changed = true
		}
		open := c.plan.clusters[l.To.Process]
		if open == nil {
			links = append(links, l)
			continue
		}
		in := open.typ.Cluster.In
		refs, ok := in[l.To.Port]
		if !ok {
			c.noClusterPort(&l, false, slices.Sorted(maps.Keys(in)))
			continue
		}
		changed = true
		outer := l.To.Process
		l.named = append(slices.Clip(l.named), end{l.To, false})
		for _, ref := range refs {
			l.To = PortRef{outer + "/" + ref.Process, ref.Port}
			links = append(links, l)
		}
	}
	c.links = links
	return changed
}

func (c *checker) noClusterPort(l *link, output bool, names []string) {
	side, ref := "input", l.To
	if output {
		side, ref = "output", l.From
	}
	p := c.atLink(l, output, UnknownPort, "cluster `%s` has no %s port `%s`", ref.Process, side, ref.Port)
	c.suggest(p, ref.Port, func() []string { return names }, "it has")
}
