package data

import (
	"iter"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// Template is a type as declared: sizes in it may be expressions, so it becomes
// a Type only together with values. Templates never change once parsed.
type Template struct {
	root part

	// A template without expressions has one type for ever, or one error.
	constant bool
	typ      Type
	err      error
}

// Evaluate returns the type for the values that the scope of the declaration
// has now. For a template without expressions this is always the same Type and
// costs nothing.
func (t *Template) Evaluate() (Type, error) {
	if t.constant {
		return t.typ, t.err
	}
	return t.evaluate()
}

// Constant returns the type of a template that depends on no value.
func (t *Template) Constant() (Type, bool) { return t.typ, t.constant && t.err == nil }

// Values yields every expression that the type depends on, those of the user
// types it uses included, and the attributes: what a checker wants to look at.
func (t *Template) Values() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		v := visit{yield: yield, seen: map[*namedPart]bool{}}
		v.part(t.root)
	}
}

// visit walks the expressions of a template; it stops when yield wants no more.
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

// evaluation is the work of making one type.
type evaluation struct {
	named  map[*namedPart]Type // user types already made
	active []*namedPart        // user types in the making, outermost first
	open   []openPointer       // pointers to them
	member bool                // it failed, and the error names the innermost member
}

type openPointer struct {
	pointer *Pointer
	to      *namedPart
}

// making reports whether a user type is being made right now: a pointer to it is a
// pointer back.
func (e *evaluation) making(p *namedPart) bool {
	_, done := e.named[p]
	return !done && slices.Contains(e.active, p)
}

// closePointers gives the pointers of recursive types what they point to.
func (e *evaluation) closePointers() {
	for _, o := range e.open {
		o.pointer.Elem = e.named[o.to]
	}
}

// number is an integer of a declaration: written out, or an expression.
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

// unreadable stands for a value that is none. The template around it has the error
// and is never evaluated.
var unreadable = &Value{}

// whole reports a number with a fraction. Upstream cuts it off.
func (env *Env) whole(n *Node, v *Value, key string, cut int64) {
	d, err := v.Double()
	switch {
	case err != nil || d == float64(cut):
	case env.Dialect != Upstream:
		env.refuse(WrongShape, n, "expected a whole number behind `%s`, found %s", key, n.name()).
			Expected = "write " + strconv.FormatInt(cut, 10) + " or " + strconv.FormatInt(cut+1, 10)
	case env.Lint:
		env.report(DialectsDiffer, problem.Info, n, "upstream reads %s as %d; its document wants a whole number", n.name(), cut)
	}
}

// number reads an integer of a declaration.
func (env *Env) number(n *Node, key string) number {
	const message = "expected a number or an expression behind `%s`, found %s"
	if n.Kind != ScalarNode {
		env.refuse(WrongShape, n, message, key, n.name()).NoScalar(n)
		return number{node: n, expr: unreadable}
	}
	// Plain decimals are most of all sizes there are: no need for a compiler.
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
		env.warn(WrongShape, n, message, key, n.name()) // using it is the error
	}
	if v.Constant() {
		// What cannot be a number stays an expression: using it is the error.
		if l, err := v.Long(); err == nil {
			env.whole(n, v, key, l)
			return number{node: n, value: l}
		}
	}
	return number{node: n, expr: v}
}
