package suite

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	handing "github.com/pentode-dev/pentode/run/data/plugin/flow"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/program"
)

// handover is a tree whose program hands data to a pipeline.
type handover struct {
	*checker
	handing.Settings
	tree     *pdi.Model
	by       *owned // nil: the plan does not start the program
	pipeline *Pipeline
	store    *data.Store  // made from the tree, without values
	names    []*data.Node // the data that are handed over, each once
	served   map[*Pipeline]*owned
}

// handovers checks the data that programs hand to pipelines: for the trees of the plan's programs, and the tree of the folder.
func (c *checker) handovers() {
	met, served := map[string]bool{}, map[*Pipeline]*owned{}
	for _, o := range c.programs {
		for _, t := range o.Own.Trees {
			met[filepath.Clean(t.Config.Document.File.Path())] = true
			c.handover(t.Config, o, served)
		}
	}
	if t := c.Configs[Data]; t != nil && !met[filepath.Clean(t.Document.File.Path())] {
		c.handover(t, nil, served)
	}
}

// handover checks one tree. served maps each pipeline of the plan to the program that hands data to it.
func (c *checker) handover(config *lang.Config, by *owned, served map[*Pipeline]*owned) {
	m, ok := model[*pdi.Model](config)
	if !ok || !c.sound(config) {
		return
	}
	h := &handover{checker: c, tree: m, by: by, served: served}
	if h.Settings, ok = handsOver(m); !ok || !h.open() {
		return
	}
	var err error
	if h.store, err = m.Values(nil, nil); err != nil {
		return
	}
	for _, list := range append([]handing.Event{{Data: h.OnDatum}}, h.Events...) {
		for _, n := range list.Data {
			if !slices.ContainsFunc(h.names, func(o *data.Node) bool { return o.Text == n.Text }) {
				h.names = append(h.names, n)
			}
		}
	}
	h.check()
}

// open finds the pipeline that the tree names.
func (h *handover) open() bool {
	p, err := h.taker(h.Pipeline.Text)
	if err != nil {
		d := h.missing(h.Pipeline.Span, h.Pipeline.Text, filepath.Clean(h.path(h.Pipeline.Text)), Flow)
		if h.by != nil {
			d.At(h.by.field("name"), "process `%s` is started with the tree", h.by.Node.ID)
		}
		return false
	}
	if p.Model == nil {
		h.report(notHanded, h.Pipeline.Span, "`%s` is not a pipeline", h.Pipeline.Text)
		return false
	}
	h.pipeline = p
	return h.sound(p.Config)
}

// check compares tree and pipeline.
func (h *handover) check() {
	made, _, err := h.pipeline.Model.Pipeline()
	if err != nil {
		return
	}
	plan, _ := h.pipeline.Model.Plan()
	var takers []*pipe.PlanNode
	used, before := map[string]bool{}, len(h.list)
	for i := range plan.Nodes {
		n := &plan.Nodes[i]
		if n.Type == nil || n.Type.Name != program.Name {
			continue
		}
		takers = append(takers, n)
		h.outputs(plan, n, used)
		h.knobs(n)
	}
	if len(takers) == 0 {
		h.report(notHanded, h.Pipeline.Span, "`%s` takes no data: it has no process of type `%s`", h.Pipeline.Text, program.Name).
			At(h.pipeline.top(), "this pipeline").Helped("add `process sim` with `:: program`")
		return
	}
	clean := len(h.list) == before // otherwise an unused name may be meant for another one
	for _, n := range h.names {
		if !used[n.Text] && clean {
			h.report(notHanded, n.Span, "`%s` is handed over, but no process of `%s` takes it", n.Text, h.Pipeline.Text).As(diag.Warning).
				At(h.pipeline.process(takers[0]), "an output of this process has its name")
		}
	}
	h.arrays(made)
	h.places(takers)
}

// outputs checks that the data of the outputs are handed over.
func (h *handover) outputs(plan *pipe.Plan, n *pipe.PlanNode, used map[string]bool) {
	var names []string
	for _, n := range h.names {
		names = append(names, n.Text)
	}
	for i := range n.Out {
		port := &n.Out[i]
		if len(port.Edges) == 0 || port.Name == pipe.HeartbeatPort {
			continue
		}
		used[port.Name] = true
		edge := &plan.Edges[port.Edges[0]]
		at := h.connection(edge, n)
		if !slices.Contains(names, port.Name) {
			d := h.report(noSuchDatum, at, "`%s` never comes: the program does not hand over `%s`", edge.From, port.Name).
				At(h.Pipeline.Span, "the tree names the pipeline here")
			switch near, ok := problem.Nearest(port.Name, names); {
			case ok:
				d.Helped("did you mean `%s`?", near)
			case h.tree.Lookup(port.Name) != nil:
				d.Helped("name `%s` under `on_event` or `on_data`", port.Name)
			}
			continue
		}
		typ := h.typeOf(port.Name)
		if _, number := typ.(*data.Scalar); !number {
			continue
		}
		for _, k := range port.Edges {
			if e := &plan.Edges[k]; e.ToPort >= 0 && pipe.IsArray(plan.Nodes[e.ToNode].In[e.ToPort].Type) {
				h.report(wrongKind, h.connection(e, n), "`%s` is a number of type `%s`, but `%s` takes arrays", port.Name, typ, e.To).
					At(h.tree.Lookup(port.Name).TypeSpan(), "declared here")
			}
		}
	}
}

// connection returns where the pipeline names the beginning of an edge.
func (h *handover) connection(e *pipe.PlanEdge, n *pipe.PlanNode) source.Span {
	if e.Connection >= 0 {
		return h.pipeline.Model.Connections[e.Connection].FromSpan()
	}
	return h.pipeline.process(n)
}

// typeOf returns the type of a datum, in which sizes may be assumed; nil if it has no type.
func (h *handover) typeOf(name string) data.Type {
	rough, err := h.tree.Values(nil, nil)
	if err != nil {
		return nil
	}
	assumeOnes(rough, h.tree, nil)
	return typeIn(rough, name)
}

// knobs checks that the numbers of the pipeline are metadata of the tree.
func (h *handover) knobs(n *pipe.PlanNode) {
	var names []string
	for name := range h.store.Metadata() {
		if s, ok := typeIn(h.store, name).(*data.Scalar); ok && s.Element() != 0 {
			names = append(names, name)
		}
	}
	for name := range pipe.ValuesOf(n.Config, n.Type).Under("knobs") {
		key := "knobs:" + name
		if !slices.Contains(names, name) {
			d := h.report(noSuchDatum, h.pipeline.key(n, key), "the tree has no numeric metadata for the knob `%s`", name).
				At(h.Pipeline.Span, "the tree names the pipeline here")
			if near, ok := problem.Nearest(name, names); ok {
				d.Helped("did you mean `%s`?", near)
			}
			continue
		}
		s := typeIn(h.store, name).(*data.Scalar)
		if err := program.Fits(s.Element(), n.Config[key].Value); err != nil {
			h.report(wrongKind, h.pipeline.setting(n, key), "the knob `%s` is `%s`, but %v", name, n.Config[key].Value, err).
				At(h.tree.Lookup(name).TypeSpan(), "declared here")
		}
	}
}

// arrays checks the pipeline again with the arrays' declarations in the tree: elements, axes, extents.
func (h *handover) arrays(made *flow.Pipeline) {
	declared, ok := made.Registry.Lookup(program.Name)
	if !ok {
		return
	}
	known := *declared
	known.Out = nil
	facts := map[string]pipe.Facts{}
	for _, n := range h.names {
		elem, shape := shapeOf(h.typeOf(n.Text))
		kind := elementKind(elem)
		if kind == 0 || len(shape) == 0 {
			continue
		}
		if s := elem.(*data.Scalar); len(shape) == 1 && s.Size() == 1 {
			continue // it may be a text
		}
		port := declared.Out[0]
		port.Flags &^= pipe.Required // a port that no process takes has already been reported
		port.Name, port.Type = n.Text, pipe.ArrayType+":"+kind.String()+":"+strconv.Itoa(len(shape))
		known.Out = append(known.Out, port)
		f := pipe.Facts{Kind: kind}
		if t, ok := h.store.Template(n.Text); ok {
			for _, extent := range t.Extents() {
				f.Shape = append(f.Shape, int(extent))
			}
		}
		facts[n.Text] = f
	}
	known.Out = append(known.Out, declared.Out...)
	known.Tell = func(output string, _ pipe.Values, _ func(string) pipe.Facts) (pipe.Facts, error) {
		return facts[output], nil
	}
	registry := made.Registry.Clone()
	if registry.Replace(&known) != nil {
		return
	}
	plan, problems := pipe.Resolve(&made.Graph, registry)
	for _, d := range h.pipeline.Model.Failure(problems) {
		d.At(h.Pipeline.Span, "the tree that hands over the data names the pipeline here")
		h.list = append(h.list, d)
	}
	if len(problems) == 0 {
		h.pipeline.Plan = plan // the pipeline passes on what is known about the arrays
	}
}

// crowded finds a second process of the plan on either side of one pipeline: data go from only one program to only one pipeline.
func (h *handover) crowded() bool {
	var runs []*Program
	for _, p := range h.pipeline.By {
		if p.Site == nil { // each site runs a part of it
			runs = append(runs, p)
		}
	}
	if len(runs) > 1 {
		h.report(notHanded, runs[1].Pipe.Span, "processes `%s` and `%s` both run `%s`, but only one of them would get the data", runs[0].Node.ID, runs[1].Node.ID, h.Pipeline.Text).
			At(runs[0].Pipe.Span, "one is started here").At(h.Pipeline.Span, "the tree names the pipeline here").
			Helped("start it once, or copy the pipeline under another name")
		return true
	}
	if first := h.served[h.pipeline]; first != nil && first != h.by {
		h.report(notHanded, h.by.field("name"), "process `%s` hands its data to `%s`, which already gets data from `%s`", h.by.Node.ID, h.Pipeline.Text, first.Node.ID).
			At(first.field("name"), "the other one").At(h.Pipeline.Span, "the tree names the pipeline here").
			Helped("give each program its own pipeline")
		return true
	}
	h.served[h.pipeline] = h.by
	return false
}

// places checks that the processes of the program can reach the processes of the pipeline.
func (h *handover) places(takers []*pipe.PlanNode) {
	if h.by == nil || len(h.pipeline.By) == 0 {
		return
	}
	if mon := h.pipeline.By[0]; mon.Node.Host != h.by.Node.Host {
		h.report(notHanded, mon.field("host"), "process `%s` runs the pipeline on `%s`, but data can only be handed over on one machine", mon.Node.ID, mon.Node.Host).
			At(h.by.field("host"), "process `%s`, which hands them over, is on `%s`", h.by.Node.ID, h.by.Node.Host)
		return
	}
	if h.crowded() {
		return
	}
	ranks := h.by.ranks
	if !h.Each {
		ranks = min(ranks, 1)
	}
	expected, before := map[int]bool{}, len(h.list)
	for _, n := range takers {
		rank := int(pipe.ValuesOf(n.Config, n.Type).Int("rank"))
		expected[rank] = true
		if ranks > 0 && rank >= ranks {
			h.report(notHanded, h.pipeline.setting(n, "rank"), "process `%s` takes the data of rank %d, but that rank hands over no data", n.Name, rank).
				At(h.by.word.Span, "there are %d ranks here%s", h.by.ranks, map[bool]string{false: ", of which the first hands data over", true: ""}[h.Each])
		}
	}
	for rank := range ranks {
		if !expected[rank] && len(h.list) == before {
			h.report(notHanded, h.Pipeline.Span, "no process of `%s` takes the data of rank %d", h.Pipeline.Text, rank).
				At(h.pipeline.process(takers[0]), "this one takes the data of rank %d", pipe.ValuesOf(takers[0].Config, takers[0].Type).Int("rank")).
				Helped("add a process of the type `%s` with `rank = %d`, or hand over with `ranks: root`", program.Name, rank)
			break
		}
	}
}
