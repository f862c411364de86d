package data

import (
	"errors"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// Dialect says how specification trees are read: as the language is documented, or as the
// original program reads them.
type Dialect = expr.Dialect

const (
	Documented = expr.Documented // as documented: the default
	Upstream   = expr.Upstream   // as the original program reads it
)

// Value is a node that is read as an expression: a scalar, or a sequence or mapping of
// values. It is compiled once and evaluated at each use.
type Value struct {
	Node    *Node `fingerprint:"-"`
	Program *expr.Program
	bound   *expr.Bound `fingerprint:"-"`
}

// ParseValue compiles a node as an expression. Names in it are looked up in the
// environment's scope.
func (env *Env) ParseValue(n *Node) (*Value, error) {
	if n.Kind == ScalarNode {
		// Many data have the same text as their size, so each text is compiled only once.
		if b, ok := env.bound[n.Text]; ok {
			return env.value(n, b), nil
		}
	}
	p, err := env.compile(n, 0)
	if err != nil {
		return nil, err
	}
	v := env.bind(n, p)
	if n.Kind == ScalarNode {
		if env.bound == nil {
			env.bound = map[string]*expr.Bound{}
		}
		env.bound[n.Text] = v.bound
	}
	return v, nil
}

// ParseText compiles a node that must be a scalar; what names it in messages.
func (env *Env) ParseText(n *Node, what string) (*Value, error) {
	if _, err := n.Scalar(what); err != nil {
		return nil, err
	}
	return env.ParseValue(n)
}

// ParseArgument compiles an argument of a call. In upstream's dialect it must be a scalar.
func (env *Env) ParseArgument(n *Node) (*Value, error) {
	if env.Dialect == Upstream {
		return env.ParseText(n, "an expression")
	}
	return env.ParseValue(n)
}

// ParseReference compiles a reference written without its `$`, as in log patterns.
func (env *Env) ParseReference(n *Node, text string) (*Value, error) {
	p, err := expr.CompileReference(text, env.Dialect)
	if err != nil {
		return nil, valueError(n, err)
	}
	return env.bind(n, p), nil
}

func (env *Env) bind(n *Node, p *expr.Program) *Value {
	scope := env.Scope
	if scope == nil {
		scope = nothing{}
	}
	return env.value(n, p.Bind(scope))
}

func (env *Env) value(n *Node, b *expr.Bound) *Value {
	v := &env.values.take(1)[0]
	*v = Value{Node: n, Program: b.Program(), bound: b}
	return v
}

func (env *Env) compile(n *Node, depth int) (*expr.Program, error) {
	switch {
	case depth > maxDepth:
		return nil, Errorf(StatusSpecTree, n, "values are nested more than %d deep", maxDepth)
	case n.Kind == SequenceNode:
		items := make([]*expr.Program, len(n.Items))
		for i, item := range n.Items {
			p, err := env.compile(item, depth+1)
			if err != nil {
				return nil, err
			}
			items[i] = p
		}
		return expr.NewSequence(env.Dialect, items...), nil
	case n.Kind == MappingNode:
		keys := make([]string, len(n.Pairs))
		items := make([]*expr.Program, len(n.Pairs))
		for i, pair := range n.Pairs {
			if pair.Key.Kind != ScalarNode {
				return nil, pair.Key.notName()
			}
			p, err := env.compile(pair.Value, depth+1)
			if err != nil {
				return nil, err
			}
			keys[i], items[i] = pair.Key.Text, p
		}
		return expr.NewMapping(env.Dialect, keys, items), nil
	}
	p, err := expr.Compile(n.Text, env.Dialect)
	if err != nil {
		return nil, valueError(n, err)
	}
	return p, nil
}

// Constant reports whether the value does not depend on any data.
func (v *Value) Constant() bool {
	_, number := v.Program.Const()
	_, text := v.Program.Literal()
	return number || text
}

// Long, Double and Text evaluate the value with the current data.
func (v *Value) Long() (int64, error) {
	l, err := v.bound.Long()
	if err != nil {
		return 0, valueError(v.Node, err)
	}
	return l, nil
}

func (v *Value) Double() (float64, error) {
	f, err := v.bound.Double()
	if err != nil {
		return 0, valueError(v.Node, err)
	}
	return f, nil
}

func (v *Value) Text() (string, error) {
	s, err := v.bound.Text()
	if err != nil {
		return "", valueError(v.Node, err)
	}
	return s, nil
}

// True evaluates the value as a condition.
func (v *Value) True() (bool, error) {
	l, err := v.Long()
	return l != 0, err
}

// Evaluate returns the type and the memory of the value. For a reference, this is the memory
// of the datum; any other value is written to new memory.
func (v *Value) Evaluate() (Type, []byte, error) {
	d, err := v.bound.Ref()
	if err == nil && d.Type == nil {
		err = Errorf(StatusPermission, v.Node, "there is no value to be read now")
	}
	if err != nil {
		return nil, nil, valueError(v.Node, err)
	}
	return unmirror(d.Type), d.Bytes, nil
}

// CopyTo evaluates the value and writes it to memory of type t. Numbers are converted by the
// rules of the dialect.
func (v *Value) CopyTo(t Type, m *Machine, memory []byte) error {
	if err := checkMemory(t, memory); err != nil {
		return err
	}
	err := v.bound.Copy(expr.Datum{Type: mirror(t), Bytes: memory, Big: m.BigEndian})
	if err != nil {
		return valueError(v.Node, err)
	}
	return nil
}

// AssignTo is CopyTo for a value that a person has typed in. It accepts a number for every
// type that can hold it, so `3` can be assigned to a double.
func (v *Value) AssignTo(t Type, m *Machine, memory []byte) error {
	if err := checkMemory(t, memory); err != nil {
		return err
	}
	err := v.bound.Assign(expr.Datum{Type: mirror(t), Bytes: memory, Big: m.BigEndian})
	if err != nil {
		return valueError(v.Node, err)
	}
	return nil
}

// valueError converts an error of package expr to an Error with a class and a place. It
// wraps the *expr.Error, which has the position in the text.
func valueError(n *Node, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	status := StatusValue
	what := err.Error()
	if e, ok := errors.AsType[*expr.Error](err); ok {
		what = e.Msg
		switch e.Status {
		case expr.TypeError:
			status = StatusType
		case expr.PermissionError:
			status = StatusPermission
		case expr.FormatError:
			status = StatusSystem
		}
	}
	e := Errorf(status, n, "%s", what)
	e.Err = err
	if x, ok := errors.AsType[*expr.Error](err); ok {
		e.upstream.text = x.Upstream
	}
	return e
}

// nothing is a scope in which no name has a value.
type nothing struct{}

func (nothing) Cell(string) *expr.Cell { return new(expr.Cell) }

func (nothing) Deref(expr.Datum) (expr.Datum, error) {
	return expr.Datum{}, Errorf(StatusPermission, nil, "there is no memory to follow a pointer into")
}
