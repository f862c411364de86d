package data

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// namedPart is a user type. All uses of the type share one namedPart.
type namedPart struct {
	name     string
	node     *Node  `fingerprint:"-"` // the declaration; fingerprints cover it as part of its section
	body     part   `fingerprint:"-"` // nil until the type is used for the first time
	err      *Error `fingerprint:"-"` // the first error in the declaration
	fixed    bool   `fingerprint:"-"` // whether body.constant() is true; valid once body has been read
	pointers int    `fingerprint:"-"` // the value of Env.pointer when reading the declaration began
	made     Type   `fingerprint:"-"` // the type of a constant declaration, after its first evaluation
}

func (p *namedPart) constant() bool { return p.body != nil && p.fixed }

func (p *namedPart) visit(v *visit) {
	if !v.seen[p] {
		v.seen[p] = true
		v.part(p.body)
	}
}

func (p *namedPart) eval(e *evaluation) (Type, error) {
	if p.made != nil {
		return p.made, nil
	}
	if t, ok := e.named[p]; ok {
		return t, nil
	}
	open := len(e.open)
	e.active = append(e.active, p)
	t, err := p.body.eval(e)
	e.active = e.active[:len(e.active)-1]
	if err != nil {
		return nil, err
	}
	t = called(t, p.name)
	if p.fixed && len(e.open) == open { // keep the type only if no pointer in it waits for its target, which belongs to this evaluation
		p.made = t
	}
	if e.named == nil {
		e.named = map[*namedPart]Type{}
	}
	e.named[p] = t
	return t, nil
}

// called returns a record or tuple with the name of the user type that declares it.
func called(t Type, name string) Type {
	switch t := t.(type) {
	case *Record:
		if t.Name == "" {
			c := *t
			c.Name = name
			return &c
		}
	case *Tuple:
		if t.Name == "" {
			c := *t
			c.Name = name
			return &c
		}
	}
	return t
}

func (env *Env) parseUser(d *declaration) part {
	p, ok := env.types[d.name]
	if !ok {
		env.unknownType(d)
		return badPart{}
	}
	if !env.read(d.at, p) {
		return badPart{}
	}
	if env.Lint {
		for _, pair := range d.pairs() {
			if pair.Key.Kind == ScalarNode && strings.HasPrefix(pair.Key.Text, "+") {
				env.report(DialectsDiffer, problem.Info, pair.Key, "the original program drops the attributes of a type that is used by its name").
					Expected = "write it where `" + problem.Clip(d.name, problem.Short) + "` is declared"
			}
		}
	}
	if env.Dialect == Upstream {
		if env.Lint {
			env.lintKeys(d)
		}
		return p // the original program ignores all other keys
	}
	if attrs := env.attributes(d); len(attrs) > 0 {
		return &attributedPart{p, attrs}
	}
	return p
}

// read reads the declaration of a user type when it is first used. It reports whether the
// type can be used.
func (env *Env) read(use *Node, p *namedPart) bool {
	if i := slices.Index(env.active, p); i >= 0 {
		if env.pointer > p.pointers {
			return env.differ(use, "", "the original program never finishes reading a type that leads back to itself, as `%s` does through a pointer", problem.Clip(p.name, problem.Short)) == nil
		}
		env.recursive(use, p, env.active[i+1:])
		return false
	}
	if p.err != nil {
		if !slices.Contains(env.problems, p.err) {
			env.add(p.err)
		}
		return false
	}
	if p.body != nil {
		return true
	}
	env.active = append(env.active, p)
	p.pointers = env.pointer
	before := len(env.problems)
	p.body = env.parse(p.node, nil)
	p.fixed = p.body.constant()
	p.err = firstError(env.problems[before:])
	env.active = env.active[:len(env.active)-1]
	return p.err == nil
}

// recursive reports that a type contains itself, directly or through the other types.
func (env *Env) recursive(use *Node, p *namedPart, others []*namedPart) {
	way := ""
	for i, t := range others[:min(len(others), 4)] {
		way += [2]string{" through ", ", "}[min(i, 1)] + "`" + problem.Clip(t.name, problem.Short) + "`"
	}
	e := env.refuse(RecursiveType, use, "type `%s` contains itself%s", problem.Clip(p.name, problem.Short), way)
	e.Subject.Key = p.name
	e.Expected = "a type may lead back to itself through a pointer: `{type: pointer, subtype: " + problem.Clip(p.name, problem.Short) + "}`"
}

// attributedPart is a use of a user type that adds attributes.
type attributedPart struct {
	part
	attrs []Attribute `fingerprint:"set"`
}

func (p *attributedPart) eval(e *evaluation) (Type, error) {
	t, err := p.part.eval(e)
	if err != nil {
		return nil, err
	}
	own := t.Attributes()
	return t.with(append(own[:len(own):len(own)], p.attrs...)), nil
}

func (p *attributedPart) visit(v *visit) {
	v.part(p.part)
	v.attributes(p.attrs)
}
