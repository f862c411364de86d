package suite

import (
	"path/filepath"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/flow/program"
)

// Graph returns one picture of the run: hosts with their processes, the pipelines that they run, the data that the pipelines feed, and what is
// traced. Each file draws its own part; Graph draws the edges between the parts.
func Graph(r *Run) *graph.Graph {
	d := &drawing{graph: &graph.Graph{Title: title(r.Dir), Lines: map[graph.Style]string{
		graph.Thick: "joins two parts of the run", graph.Dotted: "traces, governs, or uses",
	}}, nodes: map[string]bool{}}
	if m, ok := model[*coil.Model](r.Configs[Target]); ok {
		d.group(r.Configs[Target])
		d.add(&graph.Node{ID: "target", Kind: "target", Group: name(r.Configs[Target]), Detail: targetLines(m)})
	}
	d.embed(r.Configs[Launch], "launch/")
	for _, p := range r.Pipelines {
		d.pipeline(p)
	}
	own := r.owners()
	for _, p := range own {
		d.program(p)
	}
	for _, h := range r.handoffs() {
		d.handoff(h)
	}
	if len(r.Pipelines) > 0 || len(own) > 0 {
		for _, c := range r.Policies {
			d.traces(r, c)
		}
	}
	return d.graph
}

type drawing struct {
	graph *graph.Graph
	nodes map[string]bool
}

func name(c *lang.Config) string { return filepath.Base(c.Document.File.Path()) }

func (d *drawing) add(n *graph.Node) {
	d.nodes[n.ID] = true
	d.graph.Nodes = append(d.graph.Nodes, n)
}

// connect draws an edge if both ends are in the picture.
func (d *drawing) connect(e *graph.Edge) {
	if d.nodes[e.From] && d.nodes[e.To] {
		d.graph.Edges = append(d.graph.Edges, e)
	}
}

func (d *drawing) group(c *lang.Config) string {
	id := name(c)
	for _, g := range d.graph.Groups {
		if g.ID == id {
			return id
		}
	}
	d.graph.Groups = append(d.graph.Groups, &graph.Group{ID: id})
	return id
}

// embed puts the picture of a file into a group and adds a prefix to its ids. It reports whether the file was not drawn before.
func (d *drawing) embed(c *lang.Config, prefix string) bool {
	if c == nil {
		return false
	}
	part, err := c.Graph()
	if err != nil {
		return false
	}
	for _, n := range part.Nodes {
		if d.nodes[prefix+n.ID] {
			return false
		}
	}
	whole := d.group(c)
	inside := func(id string) string {
		if id == "" {
			return whole
		}
		return prefix + id
	}
	for _, g := range part.Groups {
		copied := *g
		copied.ID, copied.Parent = prefix+g.ID, inside(g.Parent)
		if copied.Label == "" {
			copied.Label = g.ID
		}
		d.graph.Groups = append(d.graph.Groups, &copied)
	}
	for _, n := range part.Nodes {
		copied := *n
		copied.ID, copied.Group = prefix+n.ID, inside(n.Group)
		if copied.Label == "" {
			copied.Label = n.ID
		}
		d.add(&copied)
	}
	for _, e := range part.Edges {
		copied := *e
		copied.From, copied.To = prefix+e.From, prefix+e.To
		d.graph.Edges = append(d.graph.Edges, &copied)
	}
	return true
}

func flowPrefix(p *Pipeline) string { return "flow/" + name(p.Config) + "/" }

func treePrefix(tree *lang.Config) string { return "data/" + name(tree) + "/" }

// governs returns the edge from the target to a node that is built for it.
func governs(id string) *graph.Edge {
	return &graph.Edge{From: "target", To: id, Label: "governs", Style: graph.Dotted}
}

// joins returns an edge between two parts of the run.
func joins(from, to, label string) *graph.Edge {
	return &graph.Edge{From: from, To: to, Label: label, Style: graph.Thick}
}

// pipeline draws a pipeline, the programs that run it, and what it feeds.
func (d *drawing) pipeline(p *Pipeline) {
	prefix := flowPrefix(p)
	d.embed(p.Config, prefix)
	if len(p.Plan.Order) > 0 {
		first := prefix + p.Plan.Nodes[p.Plan.Order[0]].Name
		for _, by := range p.By {
			d.connect(joins("launch/"+by.Node.ID, first, "runs"))
			d.connect(governs("launch/" + by.Node.ID))
		}
		if len(p.By) == 0 {
			d.connect(governs(first))
		}
	}
	for _, e := range p.Exposes {
		tree, ok := model[*pdi.Model](e.Tree)
		if !ok {
			continue
		}
		d.embed(e.Tree, treePrefix(e.Tree))
		for i := range e.Node.In {
			d.feed(p, e, tree, e.Node.In[i].Name, "")
		}
		for _, name := range constantNames(e.Node.Config) {
			d.feed(p, e, tree, name, "constant")
		}
	}
}

func (d *drawing) feed(p *Pipeline, e *Expose, tree *pdi.Model, name, label string) {
	if x := tree.Lookup(name); x != nil {
		d.connect(joins(flowPrefix(p)+e.Node.Name, treePrefix(e.Tree)+x.Section+"."+x.Name, label))
	}
}

// traces draws a trace configuration, and joins its regions to the processes that they name.
func (d *drawing) traces(r *Run, c *lang.Config) {
	m, ok := model[*pinsight.Model](c)
	prefix := "trace/" + name(c) + "/"
	if !ok || !d.embed(c, prefix) {
		return
	}
	for _, s := range m.Regions {
		for _, p := range r.Pipelines {
			d.connect(&graph.Edge{From: prefix + s.Name, To: flowPrefix(p) + s.Match.Name, Style: graph.Dotted})
		}
	}
	picture, err := c.Graph()
	if err != nil {
		return
	}
	for _, p := range r.tracedBy(c) {
		for _, n := range picture.Nodes {
			d.connect(&graph.Edge{From: prefix + n.ID, To: p.drawn(), Label: "traces", Style: graph.Dotted})
		}
	}
}

// program draws the data that a program of the user exposes.
func (d *drawing) program(p *Program) {
	id := p.drawn()
	d.connect(governs(id))
	for _, t := range p.Own.Trees {
		m, ok := model[*pdi.Model](t.Config)
		if !ok {
			continue
		}
		prefix := treePrefix(t.Config)
		d.embed(t.Config, prefix)
		for _, x := range m.Data {
			d.connect(joins(id, prefix+x.Section+"."+x.Name, "exposes"))
		}
	}
}

// handoff draws the data that a tree hands to a pipeline.
func (d *drawing) handoff(h handoff) {
	d.embed(h.tree, treePrefix(h.tree))
	d.embed(h.pipeline.Config, flowPrefix(h.pipeline))
	for i := range h.pipeline.Model.Processes {
		if p := &h.pipeline.Model.Processes[i]; p.Type == program.Name {
			d.connect(joins(treePrefix(h.tree)+"plugins.flow", flowPrefix(h.pipeline)+p.Name, "hands over"))
		}
	}
}

// title returns the name of a folder.
func title(dir string) string {
	if full, err := filepath.Abs(dir); err == nil && filepath.Base(dir) == "." {
		return filepath.Base(full)
	}
	return dir
}
