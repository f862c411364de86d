package expr

import "github.com/pentode-dev/pentode/core/problem"

// Static returns the kind of p, as far as the types of its data determine it, and every
// error that can be found without values: missing members or elements, a value that is
// not a number where one is needed, a format spec that does not fit. types returns the
// type of a name; an array of unknown size has a negative Count. A nil type or a kind of
// Null means unknown. The kind of a text is Array.
// Array.
func (p *Program) Static(types func(name string) *Type) (Kind, []*Error) {
	s := static{prog: p, types: types}
	var k Kind
	switch p.form {
	case IntLiteral, FloatLiteral, Operation:
		k = s.number(&p.code)
	case Reference:
		k = s.reference(p.code.single())
	case Text:
		k = Array
		for i := range p.parts {
			if c := &p.parts[i].code; c.single() >= 0 {
				s.text(c.single())
			} else if len(c.ins) > 0 {
				s.number(c)
			}
		}
	default:
		return p.staticItems(types)
	}
	return k, s.errs
}

func (p *Program) staticItems(types func(name string) *Type) (Kind, []*Error) {
	var errs []*Error
	for _, it := range p.items {
		_, e := it.Static(types)
		errs = append(errs, e...)
	}
	if p.form == Mapping {
		return Record, errs
	}
	return Array, errs
}

type static struct {
	prog  *Program
	types func(string) *Type
	errs  []*Error
}

func (s *static) fail(at span, st Status, format string, args ...any) {
	s.errs = append(s.errs, at.fail(st, format, args...))
}

// number returns the kind of the number that a code computes.
func (s *static) number(c *code) Kind {
	var top Kind
	stack := make([]Kind, 0, c.depth)
	for i := range c.ins {
		in := &c.ins[i]
		var y Kind
		switch in.from {
		case fromSelf:
			y = in.val.kind
		case fromCell:
			y = s.operand(int(in.ref))
		default:
			y = top
			top, stack = stack[len(stack)-1], stack[:len(stack)-1]
		}
		if in.op == opLoad {
			stack, top = append(stack, top), y
		} else {
			top = s.combine(in, top, y)
		}
	}
	return top
}

func (s *static) combine(in *instr, x, y Kind) Kind {
	if in.op >= opLess {
		return Uint8
	}
	if in.op == opMod && (x.Float() || y.Float()) {
		s.fail(in.span, TypeError, "`%s` is a remainder of floats, `%%` needs integers", problem.Clip(s.prog.text[in.off:in.end], problem.Short))
		return Null
	}
	switch {
	case x == Null || y == Null:
		return Null
	case s.prog.dialect == Upstream:
		return common(x, y)
	case x.Float() || y.Float():
		return Float64
	}
	return Int64
}

// operand returns the kind of a reference that must be a number.
func (s *static) operand(slot int) Kind {
	t := s.resolve(slot)
	if t == nil {
		return Null
	}
	if !t.Kind.Number() {
		s.fail(s.prog.refs[slot].span(), TypeError, "`%s` is %s, a number is needed", s.prog.refText(slot), describe(t))
		return Null
	}
	return t.Kind
}

// reference returns the kind of a reference that is the whole expression, of any type.
func (s *static) reference(slot int) Kind {
	t := s.resolve(slot)
	if t == nil {
		return Null
	}
	s.spec(slot, t)
	return t.Kind
}

// text checks a reference inside a text.
func (s *static) text(slot int) {
	t := s.resolve(slot)
	switch {
	case t == nil:
	case t.Kind.Number() || t.Text():
		s.spec(slot, t)
	case t.Kind == Array && s.prog.dialect == Upstream && t.Elem.Kind <= Opaque:
	default:
		s.fail(s.prog.refs[slot].span(), TypeError, "`%s` is %s, which has no text", s.prog.refText(slot), describe(t))
	}
}

// spec checks a format spec against a type. Upstream formats floats depending on their
// value, so nothing is known about them.
func (s *static) spec(slot int, t *Type) {
	spec := s.prog.refs[slot].spec
	if spec == nil || spec.err != nil { // already reported as a lint
		return
	}
	var err *Error
	switch {
	case t.Text():
		_, err = spec.appendString(nil, []byte("a"))
	case t.Kind.Integer() || t.Kind.Float() && s.prog.dialect == Documented:
		_, err = spec.appendNumber(nil, Int(1).convert(t.Kind), s.prog.dialect)
	}
	if err != nil {
		s.fail(spec.span, FormatError, "the format spec does not fit `%s`, which is %s", s.prog.refText(slot), describe(t))
	}
}

// resolve returns the type of a reference, or nil if it is unknown.
func (s *static) resolve(slot int) *Type {
	r := &s.prog.refs[slot]
	t := s.types(r.Name)
	for i := range r.steps {
		st := &r.steps[i]
		if st.index != nil {
			s.index(st.index)
		}
		if t != nil && t.Kind == Pointer {
			t = t.To
		}
		if t != nil && t.Kind != Null {
			t = s.step(t, r, i)
		}
	}
	if t != nil && t.Kind == Null {
		return nil
	}
	return t
}

// index checks a subscript, which must be an integer.
func (s *static) index(c *code) {
	if slot := c.single(); slot < 0 {
		s.number(c)
	} else if t := s.resolve(slot); t != nil && !t.Kind.Number() && !(t.Text() && s.prog.dialect == Documented) {
		s.fail(s.prog.refs[slot].span(), TypeError, "`%s` is %s, a number is needed", s.prog.refText(slot), describe(t))
	}
}

// step returns the type of the element or member that step i of r names.
func (s *static) step(t *Type, r *reference, i int) *Type {
	st, index := &r.steps[i], r.Path[i].Index
	of := s.prog.before(r, st)
	if st.index == nil {
		if m, ok := t.Member(st.member); ok && (t.Kind == Record || s.prog.dialect == Documented) {
			return m.Type
		}
		s.errs = append(s.errs, st.noMember(of, t))
		return nil
	}
	known := r.Path[i].Const
	switch {
	case t.Kind == Array && (!known || index >= 0 && (t.Count < 0 || index < int64(t.Count))):
		return t.Elem
	case t.Kind == Tuple && !known:
		return nil
	case t.Kind == Tuple && index >= 0 && index < int64(len(t.Members)):
		return t.Members[index].Type
	}
	s.errs = append(s.errs, st.noElement(of, t, index))
	return nil
}
