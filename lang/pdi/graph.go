package pdi

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// graph draws declarations and their dependencies: a type depends on the types it consists of, a size on the data it reads, a plugin on the data
// it refers to.
func (m *Model) graph() *graph.Graph {
	g := &graph.Graph{Direction: graph.Right, Lines: map[graph.Style]string{
		graph.Solid: "a type that is made of it", graph.Dashed: "reads its value", graph.Dotted: "a plugin uses it",
	}}
	d := &drawing{Model: m, g: g, edges: map[[2]string]*graph.Edge{}}
	for _, list := range [][]*Declaration{m.Types, m.Metadata, m.Data} {
		for _, x := range list {
			d.group(x.Section)
			g.Nodes = append(g.Nodes, &graph.Node{ID: x.Section + "." + x.Name, Label: x.Name, Kind: x.Section, Group: x.Section, Detail: d.detail(x), At: x.key.span(), Settings: x.Section + "." + keyName(x.Name) + "."})
		}
	}
	for _, p := range m.Plugins {
		d.group(pluginsSection)
		g.Nodes = append(g.Nodes, &graph.Node{ID: pluginsSection + "." + p.Name, Label: p.Name, Kind: pluginsSection, Group: pluginsSection, At: p.config.span(), Settings: pluginsSection + "." + keyName(p.Name) + "."})
	}
	uses := m.collectUses()
	for _, list := range [][]*Declaration{m.Types, m.Metadata, m.Data} {
		for _, x := range list {
			for _, u := range uses[typeKey(x)] {
				d.edge(x, u)
			}
		}
	}
	d.pluginNames()
	return g
}

type drawing struct {
	*Model
	g     *graph.Graph
	edges map[[2]string]*graph.Edge
}

func (d *drawing) group(name string) {
	if !slices.ContainsFunc(d.g.Groups, func(g *graph.Group) bool { return g.ID == name }) {
		d.g.Groups = append(d.g.Groups, &graph.Group{ID: name})
	}
}

// detail returns the lines under a declaration: the kind of its type and its sizes.
func (d *drawing) detail(x *Declaration) []string {
	text := x.value
	if !text.get("type").absent() {
		text = text.get("type")
	}
	word := problem.Clip(text.Text, problem.Short)
	size := x.value.get("size")
	if !size.absent() {
		word += " [" + strings.Join(shownSizes(size), ", ") + "]"
	}
	if word == "" {
		return nil
	}
	return []string{word}
}

// shownSizes returns the first few sizes of an array, because a picture has no space for more.
func shownSizes(size value) (list []string) {
	if size.Text != "" {
		return []string{problem.Clip(size.Text, problem.Short)}
	}
	const limit = 16
	for _, s := range size.items() {
		if len(list) == limit {
			return append(list, "…")
		}
		list = append(list, problem.Clip(s.Text, problem.Short))
	}
	return list
}

// edge adds an edge from a declaration to a place that uses it, at most once for each pair.
func (d *drawing) edge(x *Declaration, u origin.Use) {
	reader, ok := readerOf(u.Key)
	if !ok {
		return
	}
	style, label := graph.Dashed, u.Text
	switch {
	case x.Section == typesSection:
		style, label = graph.Solid, ""
	case strings.HasPrefix(reader, pluginsSection+"."):
		if !strings.HasPrefix(u.Text, "$") && d.FindPlugin(strings.TrimPrefix(reader, pluginsSection+".")) != nil {
			return // not an expression but a name: pluginNames adds it
		}
		style, label = graph.Dotted, ""
	}
	d.connect(x.Section+"."+x.Name, reader, label, style)
}

func (d *drawing) connect(from, to, label string, style graph.Style) {
	pair := [2]string{from, to}
	if _, ok := d.edges[pair]; ok || from == to {
		return
	}
	e := &graph.Edge{From: from, To: to, Label: label, Style: style}
	d.edges[pair] = e
	d.g.Edges = append(d.g.Edges, e)
}

// readerOf returns the node that uses a value, given the key of the value: the first two parts of the key.
func readerOf(key string) (string, bool) {
	parts, err := parseKey(key)
	if err != nil || len(parts) < 2 || parts[1].index >= 0 {
		return "", false
	}
	return parts[0].name + "." + parts[1].name, true
}

// pluginNames adds the data that plugins name, such as `write: [x]` and `write: {x: …}`.
func (d *drawing) pluginNames() {
	for _, p := range d.Plugins {
		spec := d.FindPlugin(p.Name)
		if spec == nil {
			continue
		}
		name := func(v value, is config.Use) {
			x, ok := d.names[v.Text]
			if !ok {
				return
			}
			datum, plugin := x.Section+"."+x.Name, pluginsSection+"."+p.Name
			switch is {
			case config.Reads:
				d.connect(datum, plugin, "", graph.Dotted)
			case config.Writes, config.Provides:
				d.connect(plugin, datum, "", graph.Dotted)
			}
		}
		var walk func(r *config.Rule, v value)
		walk = func(r *config.Rule, v value) {
			if r == nil {
				return
			}
			if v.is(data.ScalarNode) {
				name(v, r.Scalar)
			}
			for _, item := range v.items() {
				walk(r.List, item)
			}
			for key, val := range v.pairs() {
				if known := r.Find(key.Text); known != nil {
					walk(known.Rule, val)
					continue
				}
				if r.NameIs != config.Provides { // otherwise it is an argument of a call
					name(key, r.NameIs)
				}
				walk(r.Names, val)
			}
		}
		walk(spec.Config, p.config)
	}
}
