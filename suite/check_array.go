package suite

import (
	"math"
	"strconv"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// arrival is what arrives at a port of a process that feeds a tree, as far as it is
// known before the run, with what the tree declares. What is not known is not compared:
// the run looks at every array again.
type arrival struct {
	*exposure
	edge  *pipe.PlanEdge
	at    source.Span // where the pipeline names the port
	datum *pdi.Declaration
	typ   data.Type // extents in it may be assumed
	facts pipe.Facts
}

// steady gives the tree the metadata that ports feed with one number all the time, so that
// sizes which read it are known.
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

// check compares elements, shapes and ranges, and reports the first that differ.
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

// elements compares the kinds of elements. Whole numbers may be of any kind that holds them.
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
	a.differs(wrongKind, "`%s` gives %v, and the tree declares %v, which has no fractions", a.edge.From, have, kind).
		Helped("declare its elements as %s", cName(have))
	return true
}

// cName is how a tree calls a kind with fractions.
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
	a.differs(wrongSize, "an array of %s arrives where the tree declares %s", tensor.Extents(have), declaredShape(have, want, a.typ)).
		At(a.pipeline.process(from), "`%s` gives it", from.Name)
	return true
}

// numbers compares ranges: those of kinds without fractions have ends.
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
	a.differs(wrongKind, "`%s` gives numbers from %s to %s, and `%s` holds those from %s to %s", a.edge.From,
		plainNumber(a.facts.Low), plainNumber(a.facts.High), elem, plainNumber(low), plainNumber(high)).
		At(a.pipeline.process(from), "`%s` gives them", from.Name)
}

func plainNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// differs reports what arrives, with the declaration of the tree.
func (a *arrival) differs(code *diag.Code, format string, args ...any) *diag.Diagnostic {
	return a.report(code, a.at, format, args...).At(a.datum.TypeSpan(), "declared here")
}

// isNumbers reports whether a type is an array of numbers.
func isNumbers(t data.Type) bool {
	elem, shape := shapeOf(t)
	return len(shape) > 0 && elementKind(elem) != 0
}
