package data

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// Env is what a type declaration is read against: the machine, the dialect, the
// user types and the data. The zero value reads the documented language for x86-64.
type Env struct {
	Machine *Machine // nil: X86_64
	Dialect Dialect
	Scope   expr.Scope // what the names in expressions mean; nil: nothing is known

	// Warn, if set, hears of what is read differently from how it looks.
	Warn func(n *Node, message string)

	types   map[string]*namedPart
	scalars map[string]part        // C names already used
	bound   map[string]*expr.Bound // expressions already used
	active  []*namedPart           // user types being read, outermost first
	depth   int                    // of declarations inside each other
	pointer int                    // how many pointers we are behind
	parts   int                    // declarations read for the current type

	templates slab[Template]
	arrays    slab[arrayPart]
	numbers   slab[number]
	values    slab[Value]
}

// maxDepth bounds declarations inside each other.
const maxDepth = 500

func (env *Env) machine() *Machine {
	if env.Machine == nil {
		env.Machine = X86_64()
	}
	return env.Machine
}

// Define declares a user type. Its node is read when the type is first used, so
// types may refer to later ones, and one that is never used is never wrong.
func (env *Env) Define(name string, n *Node) error {
	if _, known := env.types[name]; known || builtin(name) {
		return Errorf(StatusType, n, "type `%s` is already defined", name)
	}
	if env.types == nil {
		env.types = map[string]*namedPart{}
	}
	env.types[name] = &namedPart{name: name, node: n}
	return nil
}

// Provide adds a type that a plugin brings along.
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

// ParseType reads the declaration of a type.
func ParseType(n *Node, env *Env) (*Template, error) {
	env.parts = 0
	p, err := env.parse(n)
	if err != nil {
		return nil, err
	}
	t := &env.templates.take(1)[0]
	t.fill(p)
	return t, nil
}

func (env *Env) parse(n *Node) (part, error) {
	env.depth++
	env.parts++
	defer func() { env.depth-- }()
	if env.depth > maxDepth {
		return nil, Errorf(StatusSpecTree, n, "types are nested more than %d deep", maxDepth)
	}
	if env.parts > maxParts {
		return nil, Errorf(StatusSpecTree, n, "the type has more than %d parts", maxParts)
	}
	name, err := typeName(n)
	if err != nil {
		return nil, err
	}
	if name != "array" && (n.Lookup("size") != nil || n.Lookup("sizes") != nil) && builtin(name) && env.Warn != nil {
		env.Warn(n, "`size` has no meaning for a `"+name+"`, only for an `array`")
	}
	switch name {
	case "array":
		return env.parseArray(n)
	case "struct":
		return env.parseStruct(n)
	case "record":
		return env.parseRecord(n)
	case "tuple":
		return env.parseTuple(n)
	case "pointer":
		return env.parsePointer(n)
	}
	if c, ok := cName(name); ok {
		attrs, err := env.parseAttributes(n)
		if err != nil {
			return nil, err
		}
		return env.scalar(name, c, attrs), nil
	}
	if f, ok := fortranNames[name]; ok {
		return env.parseFortran(n, name, f)
	}
	return env.parseUser(n, name)
}

// scalar returns a C scalar; those without attributes are made once.
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

// typeName finds the word that says which type is declared.
func typeName(n *Node) (string, error) {
	switch {
	case n == nil:
		return "", Errorf(StatusSpecTree, n, "expected a type, found nothing")
	case n.Kind == ScalarNode:
		return n.Text, nil
	case n.Kind == SequenceNode:
		return "", Errorf(StatusSpecTree, n, "expected a type: a name, or a mapping with the key `type`; found a sequence")
	}
	t := n.Lookup("type")
	switch {
	case t == nil:
		return "", Errorf(StatusSpecTree, n, "the key `type` is missing")
	case t.Kind != ScalarNode:
		return "", Errorf(StatusSpecTree, t, "expected the name of a type behind `type`, found %s", t.name())
	}
	return t.Text, nil
}

// parseAttributes reads the `+name` keys of a declaration.
func (env *Env) parseAttributes(n *Node) ([]Attribute, error) {
	if n.Kind != MappingNode {
		return nil, nil
	}
	var attrs []Attribute
	for _, p := range n.Pairs {
		if p.Key.Kind != ScalarNode {
			return nil, Errorf(StatusSpecTree, p.Key, "expected a key of the type, found %s", p.Key.name())
		}
		name, ok := strings.CutPrefix(p.Key.Text, "+")
		if !ok {
			continue
		}
		v, err := env.ParseValue(p.Value)
		if err != nil {
			return nil, Within(err, "attribute `+%s`", name)
		}
		attrs = append(attrs, Attribute{Name: name, Value: v})
	}
	return attrs, nil
}

// knownPart is a declaration whose type needs nothing more.
type knownPart struct{ typ Type }

func (p knownPart) eval(*evaluation) (Type, error) { return p.typ, nil }
func (knownPart) constant() bool                   { return true }
func (p knownPart) visit(v *visit)                 { v.attributes(p.typ.Attributes()) }
