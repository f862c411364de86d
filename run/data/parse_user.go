package data

import "strings"

// namedPart is a user type. Each has one part, however often it is used.
type namedPart struct {
	name   string
	node   *Node
	body   part // nil until first used
	err    error
	fixed  bool // body.constant(), known once body is
	behind int  // how many pointers its reading began behind
	made   Type // of a constant part, once it was evaluated
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
	if p.fixed && len(e.open) == open { // a pointer that is still open belongs to this evaluation
		p.made = t
	}
	if e.named == nil {
		e.named = map[*namedPart]Type{}
	}
	e.named[p] = t
	return t, nil
}

// called gives a record or tuple the name of the user type it is.
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

func (env *Env) parseUser(n *Node, name string) (part, error) {
	p, ok := env.types[name]
	if !ok {
		if use, ok := elsewhere[name]; ok {
			return nil, Errorf(StatusSpecTree, n, "unknown type `%s`: write `%s`", name, use)
		}
		return nil, Errorf(StatusSpecTree, n, "unknown type `%s`", name)
	}
	if err := env.read(n, p); err != nil {
		return nil, err
	}
	if env.Dialect == Upstream {
		return p, nil // upstream drops every other key of the use
	}
	attrs, err := env.parseAttributes(n)
	if err != nil || len(attrs) == 0 {
		return p, err
	}
	return &attributedPart{p, attrs}, nil
}

// read reads the declaration of a user type at its first use.
func (env *Env) read(use *Node, p *namedPart) error {
	for i, a := range env.active {
		if a != p {
			continue
		}
		if env.Dialect == Upstream || env.pointer == p.behind {
			var way strings.Builder
			for _, a := range env.active[i:] {
				way.WriteString("`" + a.name + "` → ")
			}
			return Errorf(StatusSpecTree, use, "type `%s` contains itself (%s`%s`): only a pointer may lead back", p.name, way.String(), p.name)
		}
		return nil
	}
	if p.body != nil || p.err != nil {
		return p.err
	}
	env.active = append(env.active, p)
	p.behind = env.pointer
	body, err := env.parse(p.node)
	env.active = env.active[:len(env.active)-1]
	if err != nil {
		p.err = err
		return err
	}
	p.body, p.fixed = body, body.constant()
	return nil
}

// attributedPart is a user type with attributes of its own at a use.
type attributedPart struct {
	part
	attrs []Attribute
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
