package data

import (
	"iter"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// Template is the declaration of a type. Its sizes may be expressions, so the Type is
// known only when the data in the expressions have values. A Template never changes after
// it was read.
type Template struct {
	root part

	// The template has no expressions, so each evaluation has the same result.
	constant bool
	typ      Type
	err      error
}

// Evaluate returns the type, computed from the current values of the data. A template
// without expressions is evaluated only once.
func (t *Template) Evaluate() (Type, error) {
	if t.constant {
		return t.typ, t.err
	}
	return t.evaluate()
}

// Constant returns the type of a template if it does not depend on any value.
func (t *Template) Constant() (Type, bool) { return t.typ, t.constant && t.err == nil }

// Values yields all expressions in the declaration, including those in attributes and in
// the declarations of user types. Checkers use it.
func (t *Template) Values() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		v := visit{yield: yield, seen: map[*namedPart]bool{}}
		v.part(t.root)
	}
}

// visit goes through the expressions of a template until yield returns false.
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

// part is one declaration in a template: of the type itself or of one of its parts.
type part interface {
	eval(*evaluation) (Type, error)
	constant() bool
	visit(*visit)
	shape(seen map[*namedPart]*expr.Type) *expr.Type
}

// evaluation is the state while a template is evaluated.
type evaluation struct {
	named  map[*namedPart]Type // user types that are evaluated
	active []*namedPart        // user types whose evaluation has begun, outermost first
	open   []openPointer       // pointers to types in active, whose element types are not known yet
	member bool                // the evaluation failed, and the error already names the member in which it failed
}

type openPointer struct {
	pointer *Pointer
	to      *namedPart
}

// making reports whether the evaluation of a user type has begun but not ended. A pointer
// to such a type makes the type recursive.
func (e *evaluation) making(p *namedPart) bool {
	_, done := e.named[p]
	return !done && slices.Contains(e.active, p)
}

// closePointers sets the element types of pointers whose target was not known before.
func (e *evaluation) closePointers() {
	for _, o := range e.open {
		o.pointer.Elem = e.named[o.to]
	}
}

// number is an integer in a declaration. It is written as a number or as an expression.
type number struct {
	node  *Node `fingerprint:"-"`
	value int64
	expr  *Value // the expression; nil if the number is known
}

func (n *number) constant() bool { return n.expr == nil }

func (n *number) eval() (int64, error) {
	if n.expr == nil {
		return n.value, nil
	}
	return n.expr.Long()
}

// unreadable stands for an invalid value. A template with such a value has an error, so
// it is never evaluated.
var unreadable = &Value{}

// whole reports a number with a fraction where an integer is needed. In upstream's
// dialect it is only a warning, because the original program cuts the fraction off.
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
	// Most sizes are decimal numbers, which can be read without the compiler.
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
		env.warn(WrongShape, n, message, key, n.name()) // only a warning: it becomes an error when the number is used
	}
	if v.Constant() {
		// If the text is not a number, keep it as an expression. It becomes an error when
		// it is evaluated.
		if l, err := v.Long(); err == nil {
			env.whole(n, v, key, l)
			return number{node: n, value: l}
		}
	}
	return number{node: n, expr: v}
}
