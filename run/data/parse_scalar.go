package data

import (
	"strconv"

	"github.com/pentode-dev/pentode/core/problem"
)

// fortranPart is a Fortran type with a `kind`.
type fortranPart struct {
	machine *Machine `fingerprint:"-"`
	name    string
	scalar  scalarName `fingerprint:"-"` // the type's properties, which the name determines
	kind    number
	attrs   []Attribute `fingerprint:"set"`
}

func (env *Env) parseFortran(d *declaration, s scalarName) part {
	p := &fortranPart{machine: env.machine(), name: d.name, scalar: s}
	kind := d.Lookup("kind")
	upstream := env.Dialect == Upstream
	switch {
	case kind == nil || kind.Blank() && !upstream:
	case upstream:
		// Upstream reads an integer by C's rules and ignores any other text.
		p.kind = number{node: kind, value: cInteger(kind)}
	default:
		p.kind = env.number(kind, "kind")
	}
	if kind != nil && env.Lint && kind.Kind == ScalarNode && !kind.Blank() && cInteger(kind) == 0 && kind.Text != "0" {
		env.report(DialectsDiffer, problem.Info, kind, "the original program accepts only a number as a kind; for %s it uses the default kind", kind.name())
	}
	if p.kind.constant() && p.kind.value < 0 {
		env.refuse(BadLayout, kind, "the kind of `%s` is %d: a kind is the size of the type in bytes", d.name, p.kind.value).
			Upstream("`kind' of the datatype cannot be less than 0")
	}
	p.attrs = env.attributes(d)
	return p
}

// cInteger reads a scalar as C's strtol does with base 0. For a text that is not an
// integer, it returns 0.
func cInteger(n *Node) int64 {
	if n.Kind != ScalarNode {
		return 0
	}
	text := n.Text
	for len(text) > 0 && (text[0] == ' ' || text[0] >= '\t' && text[0] <= '\r') {
		text = text[1:]
	}
	if len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' {
		v, err := strconv.ParseInt(text, 8, 32)
		if err != nil {
			return 0
		}
		return v
	}
	for i := range len(text) {
		if text[i] == '_' || text[i] == 'b' && i == 1 || text[i] == 'o' {
			return 0 // the text is an integer in Go but not in C
		}
	}
	v, err := strconv.ParseInt(text, 0, 32)
	if err != nil {
		return 0
	}
	return v
}

func (p *fortranPart) constant() bool { return p.kind.constant() }

func (p *fortranPart) visit(v *visit) {
	v.number(&p.kind)
	v.attributes(p.attrs)
}

func (p *fortranPart) eval(*evaluation) (Type, error) {
	kind, err := p.kind.eval()
	if err != nil {
		return nil, Within(err, "the kind of `%s`", p.name)
	}
	switch {
	case kind == 0: // kind 0 counts as absent
		kind = p.scalar.bytes(p.machine)
	case !powerOfTwo(kind):
		return nil, Errorf(StatusValue, p.kind.node, "the kind of `%s` is %d: a kind is the size of the type in bytes, a power of two", p.name, kind)
	}
	s := ScalarOf(p.machine, p.name, p.scalar.kind, kind)
	s.attrs = p.attrs
	return s, nil
}

// pointerPart is the declaration of a pointer. The declaration of its target may still be
// incomplete, because types can refer to each other.
type pointerPart struct {
	machine *Machine `fingerprint:"-"`
	elem    part
	attrs   []Attribute `fingerprint:"set"`
}

func (env *Env) parsePointer(d *declaration) part {
	p := &pointerPart{machine: env.machine(), elem: badPart{}}
	if sub := d.Lookup("subtype"); sub != nil {
		env.pointer++
		p.elem = env.parse(sub, nil)
		env.pointer--
	} else {
		env.missing(d, "a pointer", "subtype", "what it points to", "Pointer must have defined subtype")
	}
	p.attrs = env.attributes(d)
	return p
}

func (p *pointerPart) constant() bool { return p.elem.constant() }

func (p *pointerPart) visit(v *visit) {
	v.part(p.elem)
	v.attributes(p.attrs)
}

func (p *pointerPart) eval(e *evaluation) (Type, error) {
	ptr := newPointer(p.machine, nil)
	ptr.attrs = p.attrs
	elem := p.elem
	if a, ok := elem.(*attributedPart); ok {
		elem = a.part
	}
	if named, ok := elem.(*namedPart); ok && e.making(named) {
		ptr.Back = named.name
		e.open = append(e.open, openPointer{ptr, named})
		return ptr, nil
	}
	var err error
	ptr.Elem, err = p.elem.eval(e)
	return ptr, err
}
