package data

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// Env is the context in which type declarations are read: the machine, the dialect, the
// user types and the data. The zero value stands for the documented dialect on x86-64.
type Env struct {
	Machine *Machine // nil: X86_64
	Dialect Dialect
	Scope   expr.Scope // finds the data that expressions refer to; nil: there are no data

	// Lint makes Read report more than errors: keys that have no meaning, differences
	// between the dialects, and types that cannot be laid out. It also makes Read collect
	// in Expressions all values that can be read as expressions, in the order of the
	// declarations.
	Lint        bool
	Expressions []Expression

	types   map[string]*namedPart
	defined []string               // names of user types, in the order of their definition
	scalars map[string]part        // scalar types that were used before, by their C name
	bound   map[string]*expr.Bound // expressions that were used before, by their text

	// These fields describe the declaration that is being read.
	active   []*namedPart // the user types that contain the current declaration, outermost first
	depth    int          // how deep declarations are nested
	pointer  int          // how many pointers lead from the outermost type to the current declaration
	parts    int
	problems []*Error
	full     bool // the maximum number of problems is reached

	suggested int // number of spelling suggestions made so far; it is limited because each one is costly

	templates slab[Template]
	arrays    slab[arrayPart]
	numbers   slab[number]
	values    slab[Value]
}

// maxDepth limits how deep declarations may be nested.
const maxDepth = 500

func (env *Env) machine() *Machine {
	if env.Machine == nil {
		env.Machine = X86_64()
	}
	return env.Machine
}

// Define declares a user type. Its node is read only when the type is first used. So a
// type may refer to a later one, and errors in a type that is never used are not found.
func (env *Env) Define(name string, n *Node) error {
	if _, known := env.types[name]; known || builtin(name) {
		return Errorf(StatusType, n, "type `%s` is already defined", name).Upstream("Datatype already defined `%s'", name)
	}
	if env.types == nil {
		env.types = map[string]*namedPart{}
	}
	env.types[name] = &namedPart{name: name, node: n}
	env.defined = append(env.defined, name)
	return nil
}

// Provide adds a type that a plugin provides.
func (env *Env) Provide(name string, t Type) error {
	if err := env.Define(name, nil); err != nil {
		return err
	}
	p := env.types[name]
	p.body, p.fixed = knownPart{t}, true
	return nil
}

func builtin(name string) bool {
	switch name {
	case "array", "struct", "record", "tuple", "pointer":
		return true
	}
	_, fortran := fortranNames[name]
	_, c := cName(name)
	return fortran || c
}

// Expression is a value in a declaration that can be read as an expression.
type Expression struct {
	Node   *Node // a scalar; for the value of an attribute, a node of any kind
	Number bool  // its value must be a number
}

// Read reads the declaration of a type. It goes on after an error to find all problems.
// If none of them is an error, the template can be used. extra are keys that the
// declaration may have because of its place; Read ignores them.
func (env *Env) Read(n *Node, extra ...string) (*Template, []*Error) {
	env.parts, env.problems, env.full = 0, nil, false
	p := env.parse(n, extra)
	t := &env.templates.take(1)[0]
	if err := firstError(env.problems); err != nil {
		t.root, t.constant, t.err = p, true, err
	} else {
		t.fill(p)
		if e, ok := t.err.(*Error); ok && env.Lint && env.Dialect == Documented {
			env.add(e)
		}
	}
	return t, env.problems
}

// ParseType reads the declaration of a type, up to the first error.
func ParseType(n *Node, env *Env) (*Template, error) {
	t, problems := env.Read(n)
	if err := firstError(problems); err != nil {
		return nil, err
	}
	return t, nil
}

// evaluates notes in Expressions that n is an expression.
func (env *Env) evaluates(n *Node, number bool) {
	if env.Lint {
		env.Expressions = append(env.Expressions, Expression{n, number})
	}
}

// parse reads a declaration. It returns a badPart if n is not one.
func (env *Env) parse(n *Node, extra []string) part {
	env.depth++
	env.parts++
	defer func() { env.depth-- }()
	switch {
	case env.full:
		return badPart{}
	case env.depth > maxDepth:
		env.refuse(BadLayout, n, "types are nested more than %d deep", maxDepth)
		return badPart{}
	case env.parts > maxParts:
		env.refuse(BadLayout, n, "the type has more than %d parts", maxParts)
		env.full = true
		return badPart{}
	}
	d, ok := env.declared(n, extra)
	if !ok {
		return badPart{}
	}
	switch d.name {
	case "array":
		return env.parseArray(&d)
	case "struct":
		return env.parseStruct(&d)
	case "record":
		return env.parseRecord(&d)
	case "tuple":
		return env.parseTuple(&d)
	case "pointer":
		return env.parsePointer(&d)
	}
	if c, ok := cName(d.name); ok {
		return env.scalar(d.name, c, env.attributes(&d))
	}
	if f, ok := fortranNames[d.name]; ok {
		return env.parseFortran(&d, f)
	}
	return env.parseUser(&d)
}

// scalar returns the declaration of a C scalar. A scalar without attributes is made once
// and shared.
func (env *Env) scalar(name string, c scalarName, attrs []Attribute) part {
	if p, ok := env.scalars[name]; ok && len(attrs) == 0 {
		return p
	}
	s := ScalarOf(env.machine(), name, c.kind, c.bytes(env.machine()))
	s.attrs = attrs
	p := part(knownPart{s})
	if len(attrs) == 0 {
		if env.scalars == nil {
			env.scalars = map[string]part{}
		}
		env.scalars[name] = p
	}
	return p
}

// knownPart is a declaration that does not depend on any value, with its type.
type knownPart struct{ typ Type }

func (p knownPart) eval(*evaluation) (Type, error) { return p.typ, nil }
func (knownPart) constant() bool                   { return true }
func (p knownPart) visit(v *visit)                 { v.attributes(p.typ.Attributes()) }

// badPart stands for an invalid declaration. Its template has an error, so it is never
// evaluated.
type badPart struct{}

func (badPart) eval(*evaluation) (Type, error) { return undeclared, nil }
func (badPart) constant() bool                 { return true }
func (badPart) visit(*visit)                   {}

// unknownType reports that the declared type does not exist.
func (env *Env) unknownType(d *declaration) {
	name := d.name
	e := env.refuse(UnknownType, d.at, "unknown type `%s`", problem.Clip(name, problem.Short)).
		UpstreamAt(d.Node, "Unknown data type: `%s'", name)
	e.Subject.Key = name
	const maxSuggested = 200
	switch use, ok := elsewhere[name]; {
	case ok:
		e.Expected = "write `" + use + "`"
	case name == "":
		e.Message = "expected a type, found nothing"
	case builtin(strings.TrimSpace(name)):
		e.Message = "`" + problem.Clip(name, problem.Short) + "` is not a type: it is surrounded by blanks or a line break"
	case env.suggested < maxSuggested:
		env.suggested++
		const maxNames = 1000
		e.Suggestion, _ = problem.Nearest(name, slices.Concat(TypeNames(), env.defined[:min(len(env.defined), maxNames)]))
	}
}
