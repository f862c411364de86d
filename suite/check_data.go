package suite

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/heat"
)

const valuesPrefix = "values:"

// exposed checks what a process feeds into a tree. A tree with errors of its
// own has said enough.
func (c *checker) exposed(p *Pipeline, e *Expose) {
	if e.Tree == nil {
		c.missing(e.Spec, e.Node.Config["spec"].Value, e.Path, Data)
		return
	}
	m, ok := model[*pdi.Model](e.Tree)
	if !ok || e.Tree.Diagnostics().HasErrors() {
		return
	}
	x := &exposure{checker: c, pipeline: p, node: e.Node, tree: m}
	x.constants()
	for i := range e.Node.In {
		if port := &e.Node.In[i]; len(port.Edges) > 0 {
			x.port(port, &p.Plan.Edges[port.Edges[0]])
		}
	}
}

// exposure is one process with the tree that it feeds.
type exposure struct {
	*checker
	pipeline *Pipeline
	node     *flow.PlanNode
	tree     *pdi.Model
	known    []pdi.Assignment // values that hold from the start
}

// declared finds what a name of the pipeline feeds.
func (x *exposure) declared(name string, at source.Span, how string) *pdi.Declaration {
	d := x.tree.Lookup(name)
	if d != nil {
		return d
	}
	var names []string
	for _, list := range [][]*pdi.Declaration{x.tree.Metadata, x.tree.Data} {
		for _, d := range list {
			names = append(names, d.Name)
		}
	}
	f := x.report(noSuchDatum, at, "%s `%s` feeds nothing: the tree has no data or metadata of that name", how, name)
	if near, ok := diag.Nearest(name, names); ok {
		f.At(x.tree.Lookup(near).Span(), "there is this one").Helped("did you mean `%s`?", near)
	} else {
		f.At(x.tree.Top(), "the tree declares %s", strings.Join(names[:min(8, len(names))], ", "))
	}
	return nil
}

// constants checks `values:NAME`.
func (x *exposure) constants() {
	for _, key := range slices.Sorted(maps.Keys(x.node.Config)) {
		name, ok := strings.CutPrefix(key, valuesPrefix)
		if !ok {
			continue
		}
		at := x.pipeline.setting(x.node, key)
		d := x.declared(name, x.pipeline.places[x.node.Config[key].Place], "the constant")
		if d == nil {
			continue
		}
		text := x.node.Config[key].Value
		typ := x.typeOf(name)
		if typ == nil {
			continue
		}
		if _, err := memoryFor(typ, constant(text)); err != nil {
			x.report(wrongKind, at, "the constant `%s` does not go into the tree: %v", name, err).
				At(d.TypeSpan(), "declared here")
			continue
		}
		x.known = append(x.known, pdi.Assignment{Name: name, Value: strings.TrimSpace(text)})
	}
}

// typeOf is the type of a name with the values that are known, and 1 for every number
// that is not: enough to tell its kind. It is nil where it cannot be told.
func (x *exposure) typeOf(name string) data.Type {
	if t := x.exactly(name); t != nil {
		return t
	}
	set := slices.Clone(x.known)
	for _, d := range x.tree.Metadata {
		if !slices.ContainsFunc(set, func(a pdi.Assignment) bool { return a.Name == d.Name }) {
			set = append(set, pdi.Assignment{Name: d.Name, Value: "1"})
		}
	}
	return evaluated(x.tree, nil, set, name)
}

// exactly is the type of a name where the known values decide it.
func (x *exposure) exactly(name string) data.Type { return evaluated(x.tree, nil, x.known, name) }

// evaluated is the type of a name on a machine, or nil.
func evaluated(m *pdi.Model, machine *data.Machine, set []pdi.Assignment, name string) data.Type {
	s, err := m.Values(machine, nil)
	if err != nil {
		return nil
	}
	defer s.Close()
	for _, a := range set {
		_ = pdi.Assign(s, []pdi.Assignment{a}) // one that has no such value leaves it open
	}
	t, err := m.TypeOf(s, name)
	if err != nil {
		return nil
	}
	return t
}

// port checks what arrives at a port.
func (x *exposure) port(port *flow.PlanPort, edge *flow.PlanEdge) {
	at := x.pipeline.process(x.node)
	if edge.Connection >= 0 {
		at = x.pipeline.Model.Connections[edge.Connection].ToSpan()
	}
	d := x.declared(port.Name, at, "port")
	if d == nil {
		return
	}
	typ := x.typeOf(port.Name)
	if typ == nil {
		return
	}
	if want := takes(edge.Type); want != nil && !want.fits(typ) {
		x.report(wrongKind, at, "`%s` of type `%s` arrives where the tree declares `%s`", edge.From, edge.Type, typ).
			At(d.TypeSpan(), "declared here").Helped("%s", want.help)
		return
	}
	x.field(port, edge, d, at)
}

// kind is what a port type needs in a tree.
type kind struct {
	fits func(data.Type) bool
	help string
}

// takes is what a port type needs; nil where anything may come.
func takes(portType string) *kind {
	scalar := func(t data.Type) (*data.Scalar, bool) { s, ok := t.(*data.Scalar); return s, ok }
	switch portType {
	case "integer":
		return &kind{func(t data.Type) bool { _, ok := scalar(t); return ok }, "an integer needs a scalar, such as `int64`"}
	case "double":
		return &kind{func(t data.Type) bool { s, ok := scalar(t); return ok && s.Kind == data.Float }, "a double needs a floating point scalar: `double`"}
	case heat.FieldType:
		return &kind{isDoubles, "a field needs an array of `double`"}
	case "string", "kwiver:string", "kwiver:file_name":
		return &kind{func(t data.Type) bool {
			a, ok := t.(*data.Array)
			return ok && a.Elem.Size() == 1
		}, "a text needs an array of `char`"}
	}
	if strings.HasPrefix(portType, "kwiver:") {
		return &kind{func(data.Type) bool { return false }, "data of this type cannot be exposed; expose numbers, fields or texts"}
	}
	return nil
}

func isDoubles(t data.Type) bool {
	a, ok := t.(*data.Array)
	if !ok {
		return false
	}
	if s, ok := a.Elem.(*data.Scalar); ok {
		return s.Kind == data.Float && s.Size() == 8
	}
	return isDoubles(a.Elem)
}

// field checks the number of cells of a field whose solver says it.
func (x *exposure) field(port *flow.PlanPort, edge *flow.PlanEdge, d *pdi.Declaration, at source.Span) {
	from := &x.pipeline.Plan.Nodes[edge.FromNode]
	if edge.Type != heat.FieldType || from.Type == nil {
		return
	}
	rows, ok := number64(from, "rows")
	cols, ok2 := number64(from, "cols")
	typ := x.exactly(port.Name)
	if !ok || !ok2 || typ == nil || typ.Size() == rows*cols*8 {
		return
	}
	f := x.report(wrongSize, at, "a field of %d by %d takes %d bytes, and the tree declares %d", rows, cols, rows*cols*8, typ.Size()).
		At(d.TypeSpan(), "`%s` here", typ)
	for _, key := range []string{"rows", "cols"} {
		f.At(x.pipeline.setting(from, key), "%s of `%s`", key, from.Name)
	}
}

// number64 is the value of a key of a process, or its default.
func number64(n *flow.PlanNode, name string) (int64, bool) {
	text := n.Config[name].Value
	if text == "" {
		k, ok := n.Type.KeyFor(name)
		if !ok {
			return 0, false
		}
		text = k.Default
	}
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return v, err == nil && v > 0 && v < 1<<28
}
