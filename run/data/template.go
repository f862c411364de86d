package data

import (
	"iter"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// Template is a declared type. Its sizes may be expressions, so it becomes a Type only
// with values. Templates do not change after parsing.
type Template struct {
	root part

	// A template without expressions always has the same type or the same error.
	constant bool
	typ      Type
	err      error
}

// Evaluate returns the type for the current values in the scope of the declaration. For a
// template without expressions, this is always the same Type and costs nothing.
func (t *Template) Evaluate() (Type, error) {
	if t.constant {
		return t.typ, t.err
	}
	return t.evaluate()
}

// Constant returns the type of a template that depends on no value.
func (t *Template) Constant() (Type, bool) { return t.typ, t.constant && t.err == nil }

// Values yields every expression that the type depends on, for checkers. This includes
// attributes and the expressions of user types.
func (t *Template) Values() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		v := visit{yield: yield, seen: map[*namedPart]bool{}}
		v.part(t.root)
	}
}

// visit walks the expressions of a template until yield returns false.
type visit struct {
	yield   func(*Value) bool
	stopped bool
	seen    map[*namedPart]bool
}

func (v *visit) part(p part) {
	if !v.stopped {
		p.visit(v)
	}
}

func (v *visit) number(n *number) {
	if n != nil && n.expr != nil && !v.stopped {
		v.stopped = !v.yield(n.expr)
	}
}

func (v *visit) attributes(list []Attribute) {
	for _, a := range list {
		if !v.stopped {
			v.stopped = !v.yield(a.Value)
		}
	}
}

func (t *Template) evaluate() (Type, error) {
	var e evaluation
	typ, err := t.root.eval(&e)
	if err != nil {
		return nil, err
	}
	e.closePointers()
	return typ, nil
}

func (t *Template) fill(p part) {
	t.root, t.constant = p, p.constant()
	if t.constant {
		t.typ, t.err = t.evaluate()
	}
}

// part is one declaration inside a template.
type part interface {
	eval(*evaluation) (Type, error)
	constant() bool
	visit(*visit)
	shape(seen map[*namedPart]*expr.Type) *expr.Type
}

// evaluation is the state of one evaluation of a type.
type evaluation struct {
	named  map[*namedPart]Type // user types already evaluated
	active []*namedPart        // user types being evaluated, outermost first
	open   []openPointer       // pointers to them
	member bool                // evaluation failed, and the error names the innermost member
}

type openPointer struct {
	pointer *Pointer
	to      *namedPart
}

// making reports whether a user type is being evaluated. A pointer to such a type leads
// back to it.
func (e *evaluation) making(p *namedPart) bool {
	_, done := e.named[p]
	return !done && slices.Contains(e.active, p)
}

// closePointers sets the element types of pointers in recursive types.
func (e *evaluation) closePointers() {
	for _, o := range e.open {
		o.pointer.Elem = e.named[o.to]
	}
}

// number is an integer of a declaration, written as a number or as an expression.
type number struct {
	node  *Node `fingerprint:"-"`
	value int64
	expr  *Value // nil when value is known
}

func (n *number) constant() bool { return n.expr == nil }

func (n *number) eval() (int64, error) {
	if n.expr == nil {
		return n.value, nil
	}
	return n.expr.Long()
}

// unreadable takes the place of an invalid value. Its template has an error and is never
// evaluated.
var unreadable = &Value{}

// whole reports a number that has a fraction. Upstream cuts the fraction off.
func (env *Env) whole(n *Node, v *Value, key string, cut int64) {
	d, err := v.Double()
	switch {
	case err != nil || d == float64(cut):
	case env.Dialect != Upstream:
		env.refuse(WrongShape, n, "expected a whole number after `%s`, found %s", key, n.name()).
			Expected = "write " + strconv.FormatInt(cut, 10) + " or " + strconv.FormatInt(cut+1, 10)
	case env.Lint:
		env.report(DialectsDiffer, problem.Info, n, "upstream reads %s as %d; its documentation requires a whole number", n.name(), cut)
	}
}

// number reads an integer of a declaration.
func (env *Env) number(n *Node, key string) number {
	const message = "expected a number or an expression after `%s`, found %s"
	if n.Kind != ScalarNode {
		env.refuse(WrongShape, n, message, key, n.name()).NoScalar(n)
		return number{node: n, expr: unreadable}
	}
	// Plain decimals are the most frequent sizes; they need no compiler.
	if n.Text == "0" || n.Text != "" && n.Text[0] >= '1' && n.Text[0] <= '9' {
		if v, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return number{node: n, value: v}
		}
	}
	v, err := env.ParseValue(n)
	if err != nil {
		env.failed(err)
		return number{node: n, expr: unreadable}
	}
	if n.Text != "" {
		env.evaluates(n, true)
	} else if env.Lint {
		env.warn(WrongShape, n, message, key, n.name()) // only using it is an error
	}
	if v.Constant() {
		// A text that is not a number stays an expression: only using it is an error.
		if l, err := v.Long(); err == nil {
			env.whole(n, v, key, l)
			return number{node: n, value: l}
		}
	}
	return number{node: n, expr: v}
}
