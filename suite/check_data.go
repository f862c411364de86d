package suite

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// exposed checks what a process feeds into a tree. It skips a tree that has errors.
func (c *checker) exposed(p *Pipeline, e *Expose) {
	if e.Tree == nil {
		d := c.missing(e.Spec, e.Node.Config["spec"].Value, e.Path, Data)
		for _, by := range p.By[:min(4, len(p.By))] {
			d.At(by.Pipe.Span, "%s `%s` cannot run without it", by.Node.Kind, by.Node.ID)
		}
		return
	}
	m, ok := model[*pdi.Model](e.Tree)
	if !ok || !c.sound(e.Tree) {
		return
	}
	if declaresNothing(m) {
		c.report(noSuchDatum, e.Spec, "process `%s` has nothing to feed: `%s` declares no data and no metadata", e.Node.Name, e.Node.Config["spec"].Value).
			At(m.Top(), "this tree")
		return
	}
	exact, err := m.Values(nil, nil)
	if err != nil {
		return
	}
	x := &exposure{checker: c, pipeline: p, node: e.Node, tree: m, path: filepath.Clean(e.Path), exact: exact, known: map[string]string{}}
	x.constants()
	x.steady()
	x.rough, _ = m.Values(nil, nil) // the same tree as above
	assumeOnes(x.rough, m, x.known)
	for i := range e.Node.In {
		if port := &e.Node.In[i]; len(port.Edges) > 0 {
			x.port(port, &p.Plan.Edges[port.Edges[0]])
		}
	}
}

func declaresNothing(m *pdi.Model) bool { return len(m.Metadata)+len(m.Data) == 0 }

// exposure is a process together with the tree that it feeds.
type exposure struct {
	*checker
	pipeline *Pipeline
	node     *pipe.PlanNode
	tree     *pdi.Model
	path     string // of the tree

	known map[string]string // constants that fit the tree
	exact *data.Store       // the tree with these constants
	rough *data.Store       // the tree with 1 for all other numbers too: enough to distinguish kinds
}

// declared finds the declaration that a name in the pipeline feeds.
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
	if len(names) == 0 {
		names = []string{"nothing"}
	}
	x.misfed[x.path] = true
	f := x.report(noSuchDatum, at, "%s `%s` feeds nothing: the tree has no data or metadata with this name", how, name)
	if near, ok := problem.Nearest(name, names); ok && x.tree.Lookup(near) != nil {
		f.At(x.tree.Lookup(near).Span(), "there is this one").Helped("did you mean `%s`?", near)
	} else {
		f.At(x.tree.Top(), "the tree declares %s", strings.Join(names[:min(8, len(names))], ", "))
	}
	return nil
}

// constants checks `values:NAME` settings, in the order in which they are exposed.
func (x *exposure) constants() {
	var names []string
	for _, name := range constantNames(x.node.Config) {
		if x.declared(name, x.pipeline.key(x.node, valuesPrefix+name), "the constant") != nil {
			names = append(names, name)
		}
	}
	inOrder(x.exact, names, x.constant)
}

// constant checks one constant whose type is known, or cannot be known.
func (x *exposure) constant(name string) {
	text := x.node.Config[valuesPrefix+name].Value
	typ := typeIn(x.exact, name)
	if typ == nil {
		return
	}
	if _, err := memoryFor(typ, constant(text)); err != nil {
		x.refused(name, err)
		return
	}
	value := strings.TrimSpace(text)
	if pdi.Assign(x.exact, []pdi.Assignment{{Name: name, Value: value}}) == nil {
		x.known[name] = value
	}
}

// refused reports that a constant does not fit the tree. If the constant is empty because a variable is not set, that is already reported.
func (x *exposure) refused(name string, err error) {
	at := x.pipeline.setting(x.node, valuesPrefix+name)
	for span, d := range x.unset {
		if span.File == at.File && at.Start <= span.Start && span.End <= at.End {
			d.As(diag.Error).Note("the constant `%s` does not fit the tree: %v", name, err)
			return
		}
	}
	x.report(wrongKind, at, "the constant `%s` does not fit the tree: %v", name, err).
		At(x.tree.Lookup(name).TypeSpan(), "declared here")
}

// typeIn returns the type of a name in a store, or nil if its values are not enough to decide it.
func typeIn(s *data.Store, name string) data.Type {
	t, ok := s.Template(name)
	if !ok {
		return nil
	}
	typ, err := t.Evaluate()
	if err != nil {
		return nil
	}
	return typ
}

// assumeOnes sets metadata to the known values, and to 1 if no value is known.
func assumeOnes(s *data.Store, m *pdi.Model, known map[string]string) {
	for _, d := range m.Metadata {
		value, ok := known[d.Name]
		if !ok {
			value = "1"
		}
		_ = pdi.Assign(s, []pdi.Assignment{{Name: d.Name, Value: value}}) // not a number, so no size depends on it
	}
}

// port checks the data that arrive at a port.
func (x *exposure) port(port *pipe.PlanPort, edge *pipe.PlanEdge) {
	at := x.pipeline.process(x.node)
	if edge.Connection >= 0 {
		at = x.pipeline.Model.Connections[edge.Connection].ToSpan()
	}
	d := x.declared(port.Name, at, "port")
	if d == nil {
		return
	}
	typ := typeIn(x.exact, port.Name)
	if typ == nil {
		typ = typeIn(x.rough, port.Name)
	}
	if typ == nil {
		return
	}
	a := &arrival{exposure: x, edge: edge, at: at, datum: d, typ: typ, facts: x.pipeline.Plan.Given(edge)}
	if want := takes(edge.Type); want != nil && !want.fits(typ) {
		x.report(wrongKind, at, "`%s` has type `%s`, but the tree declares `%s`", edge.From, edge.Type, typ).
			At(d.TypeSpan(), "declared here").Helped("%s", want.help)
		return
	}
	if edge.Type == "double" && typ.Size() < 8 {
		x.report(wrongKind, at, "`%s` has type `%s` and is rounded: the tree declares `%s`, which has %d bits", edge.From, edge.Type, typ, 8*typ.Size()).
			As(diag.Warning).At(d.TypeSpan(), "declared here").Helped("declare it as `double`")
	}
	a.check()
}

// kind is the kind of tree type that a port type needs.
type kind struct {
	fits func(data.Type) bool
	help string
}

// takes returns the kind of tree type that a port type needs; nil if every kind is allowed.
func takes(portType string) *kind {
	scalar := func(t data.Type) (*data.Scalar, bool) { s, ok := t.(*data.Scalar); return s, ok }
	switch portType {
	case "integer":
		return &kind{func(t data.Type) bool { _, ok := scalar(t); return ok }, "an integer needs a scalar, such as `int64`"}
	case "double":
		return &kind{func(t data.Type) bool { s, ok := scalar(t); return ok && s.Kind == data.Float }, "a double needs a floating point scalar: `double`"}
	case "string", "kwiver:string", "kwiver:file_name":
		return &kind{func(t data.Type) bool {
			a, ok := t.(*data.Array)
			return ok && a.Elem.Size() == 1
		}, "a text needs an array of `char`"}
	}
	if pipe.IsArray(portType) {
		return &kind{isNumbers, "an array needs an array of numbers, such as `double`"}
	}
	if strings.HasPrefix(portType, "kwiver:") {
		return &kind{func(data.Type) bool { return false }, "data of this type cannot be exposed; expose numbers, arrays or texts"}
	}
	return nil
}

// arrival is an array that arrives at a port of a process that feeds a tree, as far as it is known before the run, with its declaration in the tree.
// Unknown properties are not compared: the run checks every array again.
type arrival struct {
	*exposure
	edge  *pipe.PlanEdge
	at    source.Span // where the pipeline names the port
	datum *pdi.Declaration
	typ   data.Type // some of its extents may be assumed
	facts pipe.Facts
}

// steady sets the metadata that ports feed with the same number all the time, so that sizes that depend on them are known.
func (x *exposure) steady() {
	for i := range x.node.In {
		port := &x.node.In[i]
		if len(port.Edges) == 0 || x.tree.Lookup(port.Name) == nil {
			continue
		}
		f := x.pipeline.Plan.Given(&x.pipeline.Plan.Edges[port.Edges[0]])
		if !f.Ranged || f.Low != f.High {
			continue
		}
		value := strconv.FormatFloat(f.Low, 'f', -1, 64)
		if pdi.Assign(x.exact, []pdi.Assignment{{Name: port.Name, Value: value}}) == nil {
			x.known[port.Name] = value
		}
	}
}

// check compares elements, shapes and ranges, and reports the first difference.
func (a *arrival) check() {
	elem, _ := shapeOf(a.typ)
	kind := elementKind(elem)
	if kind == 0 {
		return
	}
	if !a.elements(kind) && !a.shape() {
		a.numbers(kind)
	}
}

// elements compares the kinds of elements. Integers may be of any kind that is large enough.
func (a *arrival) elements(kind tensor.Kind) bool {
	have := a.facts.Kind
	switch {
	case !have.IsFloat(), kind.IsFloat() && kind.Size() >= have.Size():
		return false
	case kind.IsFloat():
		a.differs(wrongKind, "`%s` gives %v, which is rounded: the tree declares %v", a.edge.From, have, kind).As(diag.Warning).
			Helped("declare its elements as %s", cName(have))
		return false
	}
	a.differs(wrongKind, "`%s` gives %v, but the tree declares %v, which has no fractions", a.edge.From, have, kind).
		Helped("declare its elements as %s", cName(have))
	return true
}

// cName returns the name of a floating point kind in a tree.
func cName(k tensor.Kind) string {
	if k == tensor.Float64 {
		return "`double`"
	}
	return "`float`"
}

// shape compares extents.
func (a *arrival) shape() bool {
	have := a.facts.Shape
	t, ok := a.exact.Template(a.datum.Name)
	if have == nil || !ok {
		return false
	}
	want := t.Extents()
	if sameShape(have, want) {
		return false
	}
	from := &a.pipeline.Plan.Nodes[a.edge.FromNode]
	a.differs(wrongSize, "an array of %s arrives, but the tree declares %s", tensor.Extents(have), declaredShape(have, want, a.typ)).
		At(a.pipeline.process(from), "`%s` gives it", from.Name)
	return true
}

// numbers compares ranges. Only integer kinds have a limited range.
func (a *arrival) numbers(kind tensor.Kind) {
	if !a.facts.Ranged || kind.IsFloat() {
		return
	}
	elem, _ := shapeOf(a.typ)
	s, ok := elem.(*data.Scalar)
	if !ok || math.Abs(a.facts.Low) > math.MaxInt64/2 || math.Abs(a.facts.High) > math.MaxInt64/2 || holds(s, int64(a.facts.Low)) && holds(s, int64(a.facts.High)) {
		return
	}
	low, high := kind.Range()
	from := &a.pipeline.Plan.Nodes[a.edge.FromNode]
	a.differs(wrongKind, "`%s` gives numbers from %s to %s, but `%s` can only hold numbers from %s to %s", a.edge.From,
		plainNumber(a.facts.Low), plainNumber(a.facts.High), elem, plainNumber(low), plainNumber(high)).
		At(a.pipeline.process(from), "`%s` gives them", from.Name)
}

func plainNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// differs reports a difference between the arriving data and the declaration of the tree.
func (a *arrival) differs(code *diag.Code, format string, args ...any) *diag.Diagnostic {
	return a.report(code, a.at, format, args...).At(a.datum.TypeSpan(), "declared here")
}

// isNumbers reports whether a type is an array of numbers.
func isNumbers(t data.Type) bool {
	elem, shape := shapeOf(t)
	return len(shape) > 0 && elementKind(elem) != 0
}
