package expr

import "math"

// A Bound is a program whose names are resolved. It reads the cells of its
// scope as they are at the time of each call; calls may run at the same time
// as long as nobody changes those cells.
type Bound struct {
	prog  *Program
	scope Scope
	cells []*Cell // of prog.refs
	plain *Cell   // if the program is a name alone
	items []*Bound
}

// Bind resolves the names of p in s.
func (p *Program) Bind(s Scope) *Bound {
	b := &Bound{prog: p, scope: s}
	if len(p.refs) > 0 {
		b.cells = make([]*Cell, len(p.refs))
		for i := range p.refs {
			b.cells[i] = s.Cell(p.refs[i].Name)
		}
	}
	if slot := p.code.single(); slot >= 0 && p.code.ins[0].plain {
		b.plain = b.cells[slot]
	}
	for _, it := range p.items {
		b.items = append(b.items, it.Bind(s))
	}
	return b
}

// Program returns what b was bound from.
func (b *Bound) Program() *Program { return b.prog }

// give makes an ordinary error of e.
func (b *Bound) give(e *Error) error {
	if e == nil {
		return nil
	}
	if e.Place == "" {
		e.Place = b.prog.Place
	}
	return e
}

// whole is the span of the program's text.
func (b *Bound) whole() span { return span{0, int32(len(b.prog.text))} }

// Long returns the value as an integer. Fractions are cut off; a string
// counts if it is one of the boolean words.
func (b *Bound) Long() (int64, error) {
	if c := b.plain; c != nil && c.State == Ready {
		if v, ok := c.Datum.Number(); ok && v.kind < Uint64 {
			return int64(v.bits), nil
		}
	}
	var l int64
	var err *Error
	switch b.prog.form {
	case IntLiteral, FloatLiteral, Reference, Operation:
		l, err = b.codeLong(&b.prog.code)
	case Text:
		l, err = b.textLong()
	default:
		err = b.whole().fail(ValueError, "a %v is not an integer", b.prog.form)
	}
	return l, b.give(err)
}

// Bool returns whether the value as an integer is not zero.
func (b *Bound) Bool() (bool, error) {
	l, err := b.Long()
	return l != 0, err
}

// Double returns the value as a float.
func (b *Bound) Double() (float64, error) {
	if c := b.plain; c != nil && c.State == Ready {
		if v, ok := c.Datum.Number(); ok {
			return v.Double(), nil
		}
	}
	switch b.prog.form {
	case IntLiteral, FloatLiteral, Reference, Operation:
		v, err := b.codeNumber(&b.prog.code)
		return v.Double(), b.give(err)
	case Text:
		s, err := b.appendParts(nil)
		if err == nil {
			err = b.whole().fail(ValueError, "the text `%s` is not a number%s", clip(string(s)), b.notOperatorHint())
		}
		return 0, b.give(err)
	}
	return 0, b.give(b.whole().fail(ValueError, "a %v is not a number", b.prog.form))
}

func (b *Bound) textLong() (int64, *Error) {
	var scratch [64]byte
	s, err := b.appendParts(scratch[:0])
	if err != nil {
		return 0, err
	}
	if l, ok := b.prog.dialect.boolWord(string(s)); ok {
		return l, nil
	}
	return 0, b.whole().fail(ValueError, "the text `%s` is not an integer%s", clip(string(s)), b.notOperatorHint())
}

// notOperatorHint tells why a text that looks like an operation is a text.
func (b *Bound) notOperatorHint() string {
	for _, l := range b.prog.lints {
		if l.Code == NotAnOperator {
			return ": " + l.Msg
		}
	}
	return ""
}

// boolWord returns the truth a word stands for. Upstream forgot `off`.
func (d Dialect) boolWord(s string) (l int64, ok bool) {
	switch s {
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return 1, true
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "Off", "OFF":
		return 0, true
	case "off":
		return 0, d == Seed
	}
	return 0, false
}

// codeLong returns the value of c as an integer.
func (b *Bound) codeLong(c *code) (int64, *Error) {
	var v Value
	var err *Error
	if slot := c.single(); slot >= 0 {
		d, derr := b.datum(slot)
		if derr != nil {
			return 0, derr
		}
		var ok bool
		if v, ok = d.Number(); !ok {
			return b.wordLong(slot, d)
		}
	} else if v, err = b.run(c); err != nil {
		return 0, err
	}
	l, exact := v.long()
	if !exact && b.prog.dialect == Seed {
		at := c.ins[len(c.ins)-1].span
		return 0, at.fail(ValueError, "%v does not fit a 64-bit integer", v)
	}
	return l, nil
}

// wordLong reads a datum that is no number as an integer: in the seed dialect
// a char array may hold a boolean word.
func (b *Bound) wordLong(slot int, d Datum) (int64, *Error) {
	if b.prog.dialect == Seed && d.Type.Text() {
		s := cString(d.chars(Seed))
		if l, ok := Seed.boolWord(string(s)); ok {
			return l, nil
		}
		return 0, b.prog.refs[slot].span().fail(ValueError, "`%s` holds the text `%s`, which is not an integer",
			b.prog.refText(slot), clip(string(s)))
	}
	return 0, b.notNumber(slot, d)
}

// codeNumber returns the value of c as a number.
func (b *Bound) codeNumber(c *code) (Value, *Error) {
	slot := c.single()
	if slot < 0 {
		return b.run(c)
	}
	d, err := b.datum(slot)
	if err != nil {
		return Value{}, err
	}
	if v, ok := d.Number(); ok {
		return v, nil
	}
	return Value{}, b.notNumber(slot, d)
}

// run evaluates a code in which every reference must be a number.
func (b *Bound) run(c *code) (Value, *Error) {
	if c.depth <= 4 {
		var stack [4]Value
		return b.exec(c.ins, stack[:])
	}
	return b.runDeep(c)
}

func (b *Bound) runDeep(c *code) (Value, *Error) {
	return b.exec(c.ins, make([]Value, c.depth))
}

func (b *Bound) exec(ins []instr, stack []Value) (Value, *Error) {
	n := 0
	for i := range ins {
		in := &ins[i]
		switch in.op {
		case opConst:
			stack[n] = in.val
			n++
		case opRef:
			if in.plain {
				if cell := b.cells[in.ref]; cell.State == Ready {
					if v, ok := cell.Datum.Number(); ok {
						stack[n] = v
						n++
						continue
					}
				}
			}
			v, err := b.operand(int(in.ref))
			if err != nil {
				return Value{}, err
			}
			stack[n] = v
			n++
		default:
			n--
			x, y := stack[n-1], stack[n]
			v, f := b.prog.dialect.apply(in.op, x, y)
			if f != fine {
				return Value{}, f.error(in.span, in.op, x, y)
			}
			stack[n-1] = v
		}
	}
	return stack[0], nil
}

// operand returns the number a reference inside an operation stands for.
func (b *Bound) operand(slot int) (Value, *Error) {
	d, err := b.datum(slot)
	if err != nil {
		if err.Status == PermissionError {
			err.Status = TypeError // to upstream, what it may not read has no type
		}
		return Value{}, err
	}
	if v, ok := d.Number(); ok {
		return v, nil
	}
	return Value{}, b.notNumber(slot, d)
}

// datum returns what a reference refers to.
func (b *Bound) datum(slot int) (Datum, *Error) {
	r, cell := &b.prog.refs[slot], b.cells[slot]
	if cell.State == Absent && cell.Fetch != nil {
		cell.Fetch()
	}
	switch cell.State {
	case Absent:
		return Datum{}, r.span().fail(ValueError, "`%s` has no value: it is not shared", r.Name)
	case Unset:
		if len(r.steps) > 0 {
			return Datum{}, r.span().fail(TypeError, "`%s` was never given a value, so it has no elements or members", r.Name)
		}
		return Datum{}, r.span().fail(PermissionError, "`%s` was never given a value", r.Name)
	case Unreadable:
		return Datum{}, r.span().fail(PermissionError, "`%s` may not be read now: it is shared without the right to read, or being written", r.Name)
	}
	d := cell.Datum
	for i := range r.steps {
		var err *Error
		if d, err = b.access(d, r, &r.steps[i]); err != nil {
			return Datum{}, err
		}
	}
	return d, nil
}

// access returns the element or member of d that s names.
func (b *Bound) access(d Datum, r *reference, s *step) (Datum, *Error) {
	of := func() string { return clip(b.prog.text[r.Offset:s.off]) }
	if d.Type != nil && d.Type.Kind == Pointer {
		to, err := b.scope.Deref(d)
		if err != nil {
			return Datum{}, s.fail(ValueError, "the pointer `%s` cannot be followed: %v", of(), err)
		}
		d = to
	}
	if d.Type == nil {
		return Datum{}, s.fail(TypeError, "`%s` has no type", of())
	}
	if s.index == nil {
		m, ok := d.Type.Member(s.member)
		switch {
		case ok && (d.Type.Kind == Record || b.prog.dialect == Seed):
			return d.part(m.Offset, m.Type, s)
		case d.Type.Kind == Record || d.Type.Kind == Tuple && named(d.Type):
			return Datum{}, s.fail(memberStatus(d.Type), "`%s` has no member `%s`: it has %s", of(), s.member, memberNames(d.Type))
		}
		return Datum{}, s.fail(TypeError, "`%s` is %s and has no members; write `${…}` if the dot is text", of(), describe(d.Type))
	}
	i, err := b.codeLong(s.index)
	if err != nil {
		return Datum{}, err
	}
	switch d.Type.Kind {
	case Array:
		if i < 0 || i >= int64(d.Type.Count) {
			return Datum{}, s.fail(ValueError, "index %d is outside `%s`, which has %d elements", i, of(), d.Type.Count)
		}
		at := int64(d.Type.Start) + i
		if size := int64(d.Type.Elem.Size); size > 0 && at > math.MaxInt64/size {
			return Datum{}, s.fail(ValueError, "index %d is outside the memory of `%s`", i, of())
		}
		return d.part(int(at)*d.Type.Elem.Size, d.Type.Elem, s)
	case Tuple:
		if i < 0 || i >= int64(len(d.Type.Members)) {
			return Datum{}, s.fail(ValueError, "index %d is outside `%s`, which has %d elements", i, of(), len(d.Type.Members))
		}
		m := d.Type.Members[i]
		return d.part(m.Offset, m.Type, s)
	}
	return Datum{}, s.fail(TypeError, "`%s` is %s and has no elements", of(), describe(d.Type))
}

// part returns the datum of type t at offset of d.
func (d Datum) part(offset int, t *Type, s *step) (Datum, *Error) {
	if offset < 0 || offset > len(d.Bytes) || t.Size > len(d.Bytes)-offset {
		return Datum{}, s.fail(ValueError, "bytes %d to %d are outside its memory of %d bytes", offset, offset+t.Size, len(d.Bytes))
	}
	return Datum{Type: t, Bytes: d.Bytes[offset : offset+t.Size], Big: d.Big}, nil
}
