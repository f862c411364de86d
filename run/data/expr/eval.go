package expr

import (
	"bytes"
	"math"

	"github.com/pentode-dev/pentode/core/problem"
)

// A Bound is a program whose names are resolved. Each call reads the current values of the
// scope's cells. Calls may run concurrently as long as the cells do not change.
type Bound struct {
	prog  *Program
	scope Scope
	cells []*Cell // the cells of the program's references, in the same order
	plain *Cell   // set if the program is a single name
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

// Program returns the program that b was bound from.
func (b *Bound) Program() *Program { return b.prog }

// whole returns the span of the program's text.
func (b *Bound) whole() span { return span{0, int32(len(b.prog.text))} }

// Long returns the value as an integer. A fraction is cut off. A text has a value only if it is a
// boolean word such as `true`.
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
		err = b.whole().fail(ValueError, "a %v is not an integer", b.prog.form).as("Cannot interpret %s as a long value", b.prog.form.original())
	}
	return l, plain(b.referencing(err))
}

// referencing adds the original program's context for an error in reading a reference as a number.
func (b *Bound) referencing(err *Error) *Error {
	if err != nil && err.Upstream != "" && b.prog.form == Reference {
		err.as("while referencing `%s', %s", b.prog.refs[b.prog.code.single()].Name, err.Upstream)
	}
	return err
}

// original returns the original program's name for a list or a mapping of values.
func (f Form) original() string {
	if f == Sequence {
		return "Array_expression"
	}
	return "Map_expression"
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
		return v.Double(), plain(b.referencing(err))
	case Text:
		s, err := b.appendParts(nil)
		if err == nil {
			err = b.whole().fail(ValueError, "the text `%s` is not a number%s", problem.Clip(string(s), problem.Short), b.textHint()).
				as("Can not interpret `%s' as an double value", s)
		}
		return 0, plain(err)
	}
	return 0, plain(b.whole().fail(ValueError, "a %v is not a number", b.prog.form).as("Cannot interpret %s as a double value", b.prog.form.original()))
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
	return 0, b.whole().fail(ValueError, "the text `%s` is not an integer%s", problem.Clip(string(s), problem.Short), b.textHint()).
		as("Can not interpret `%s' as an integer value", s)
}

// textHint explains why a text that looks like a number is not read as one.
func (b *Bound) textHint() string {
	if _, n, fits := scanInt(b.prog.text); !fits && n == len(b.prog.text) {
		return ": it does not fit 64 bits"
	}
	for _, l := range b.prog.lints {
		if l.Code == NotAnOperator {
			return ": " + l.Msg
		}
	}
	return ""
}

// boolWord returns the truth value of a word. Upstream lacks `off`.
func (d Dialect) boolWord(s string) (l int64, ok bool) {
	switch s {
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return 1, true
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "Off", "OFF":
		return 0, true
	case "off":
		return 0, d == Documented
	}
	return 0, false
}

// codeLong returns the value of c as an integer.
func (b *Bound) codeLong(c *code) (int64, *Error) {
	v, ok := c.literal()
	if slot := c.single(); slot >= 0 {
		d, err := b.datum(slot)
		if err != nil {
			return 0, err
		}
		if v, ok = d.Number(); !ok {
			return b.wordLong(slot, d)
		}
	} else if !ok {
		var err *Error
		if v, err = b.run(c); err != nil {
			return 0, err
		}
	}
	l, exact := v.long()
	if !exact && b.prog.dialect == Documented {
		at := c.ins[len(c.ins)-1].span
		return 0, at.fail(ValueError, "%v does not fit a 64-bit integer", v)
	}
	return l, nil
}

// wordLong reads a datum that is not a number as an integer: in the documented dialect a char
// array may contain a boolean word.
func (b *Bound) wordLong(slot int, d Datum) (int64, *Error) {
	if b.prog.dialect == Documented && d.Type.Text() {
		s := cString(d.chars(Documented))
		if l, ok := Documented.boolWord(string(s)); ok {
			return l, nil
		}
		return 0, b.prog.refs[slot].span().fail(ValueError, "`%s` holds the text `%s`, which is not an integer",
			b.prog.refText(slot), problem.Clip(string(s), problem.Short))
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

// run evaluates code in which every reference must be a number.
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

// exec executes instructions. The value at the top of the stack is in top, the other values in
// stack.
func (b *Bound) exec(ins []instr, stack []Value) (Value, *Error) {
	documented := b.prog.dialect == Documented
	var top Value
	n := 0
	for i := range ins {
		in := &ins[i]
		var y Value
		switch in.from {
		case fromSelf:
			y = in.val
		case fromCell:
			var ok bool
			if cell := b.cells[in.ref]; in.plain && cell.State == Ready {
				if y, ok = cell.Datum.int32(); !ok {
					y, ok = cell.Datum.Number()
				}
			}
			if !ok {
				var err *Error
				if y, err = b.operand(int(in.ref)); err != nil {
					return Value{}, err
				}
			}
		default:
			y = top
			n--
			top = stack[n]
		}
		if in.op == opLoad {
			stack[n] = top
			n++
			top = y
			continue
		}
		if documented && top.kind < Uint64 && y.kind < Uint64 {
			// The most frequent operators are computed here, without a call.
			l, r := int64(top.bits), int64(y.bits)
			switch in.op {
			case opAdd:
				if s := l + r; (s > l) == (r > 0) {
					top = Int(s)
					continue
				}
			case opMul:
				if l == int64(int32(l)) && r == int64(int32(r)) {
					top = Int(l * r)
					continue
				}
			case opLess:
				top = truth(l < r)
				continue
			case opGreater:
				top = truth(l > r)
				continue
			case opEqual:
				top = truth(l == r)
				continue
			}
		}
		v, f := b.prog.dialect.apply(in.op, top, y)
		if f != fine {
			return Value{}, f.error(in.span, in.op, top, y)
		}
		top = v
	}
	return top, nil
}

// operand returns the number that a reference in an operation refers to.
func (b *Bound) operand(slot int) (Value, *Error) {
	d, err := b.datum(slot)
	if err != nil {
		if b.hidden(slot) {
			err.Status = TypeError // upstream gives unreadable data no type
		}
		return Value{}, err
	}
	if v, ok := d.Number(); ok {
		return v, nil
	}
	return Value{}, b.notNumber(slot, d)
}

// hidden reports whether a reference leads to the null reference: the name is declared but has no
// readable value.
func (b *Bound) hidden(slot int) bool {
	state := b.cells[slot].State
	return state == Unreadable || state == Unset && len(b.prog.refs[slot].steps) == 0
}

// datum returns the datum that a reference refers to.
func (b *Bound) datum(slot int) (Datum, *Error) {
	r, cell := &b.prog.refs[slot], b.cells[slot]
	if cell.State == Absent && cell.Fetch != nil {
		cell.Fetch()
	}
	switch cell.State {
	case Absent:
		return Datum{}, r.span().fail(ValueError, "`%s` has no value: it is not shared", r.Name).as("Cannot access a non shared value: `%s'", r.Name)
	case Unset:
		if len(r.steps) > 0 {
			return Datum{}, r.span().fail(TypeError, "`%s` was never given a value, so it has no elements or members", r.Name)
		}
		return Datum{}, r.span().fail(PermissionError, "`%s` was never given a value", r.Name).as("Unable to grant access for value reference")
	case Unreadable:
		return Datum{}, r.span().fail(PermissionError, "`%s` may not be read now: it is shared without the right to read, or being written", r.Name).
			as("Unable to grant access for value reference")
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
	of := func() string { return b.prog.before(r, s) }
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
		if m, ok := d.Type.Member(s.member); ok && (d.Type.Kind == Record || b.prog.dialect == Documented) {
			return d.part(m.Offset, m.Type, s)
		}
		return Datum{}, s.noMember(of(), d.Type)
	}
	i, err := b.codeLong(s.index)
	if err != nil {
		return Datum{}, err
	}
	switch t := d.Type; {
	case t.Kind == Array && i >= 0 && i < int64(t.Count):
		at := int64(t.Start) + i
		if size := int64(t.Elem.Size); size > 0 && at > math.MaxInt64/size {
			return Datum{}, s.fail(ValueError, "index %d is outside the memory of `%s`", i, of())
		}
		return d.part(int(at)*t.Elem.Size, t.Elem, s)
	case t.Kind == Tuple && i >= 0 && i < int64(len(t.Members)):
		return d.part(t.Members[i].Offset, t.Members[i].Type, s)
	}
	return Datum{}, s.noElement(of(), d.Type, i)
}

// part returns the datum of type t at offset of d.
func (d Datum) part(offset int, t *Type, s *step) (Datum, *Error) {
	if offset < 0 || offset > len(d.Bytes) || t.Size > len(d.Bytes)-offset {
		return Datum{}, s.fail(ValueError, "bytes %d to %d are outside its memory of %d bytes", offset, offset+t.Size, len(d.Bytes))
	}
	return Datum{Type: t, Bytes: d.Bytes[offset : offset+t.Size], Big: d.Big}, nil
}

// maxText limits the text that one evaluation may produce.
const maxText = 16 << 20

// Text returns the value as a string.
func (b *Bound) Text() (string, error) {
	if s, ok := b.prog.Literal(); ok {
		return s, nil
	}
	var scratch [128]byte
	s, err := b.appendText(scratch[:0])
	if err != nil {
		return "", plain(err)
	}
	return string(s), nil
}

// AppendText appends the value as a string to dst.
func (b *Bound) AppendText(dst []byte) ([]byte, error) {
	s, err := b.appendText(dst)
	return s, plain(err)
}

func (b *Bound) appendText(dst []byte) ([]byte, *Error) {
	switch b.prog.form {
	case IntLiteral, FloatLiteral, Reference, Operation:
		return b.appendCode(dst, &b.prog.code)
	case Text:
		return b.appendParts(dst)
	case Sequence:
		for _, it := range b.items {
			var err *Error
			if dst, err = it.appendText(dst); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	return dst, b.whole().fail(ValueError, "a %v is not a string", b.prog.form)
}

func (b *Bound) appendParts(dst []byte) ([]byte, *Error) {
	start := len(dst)
	for i := range b.prog.parts {
		p := &b.prog.parts[i]
		if len(p.code.ins) == 0 {
			dst = append(dst, p.text...)
			continue
		}
		var err *Error
		if dst, err = b.appendCode(dst, &p.code); err != nil {
			return dst, err
		}
		if len(dst)-start > maxText+len(b.prog.text) {
			return dst, b.whole().fail(ValueError, "the text is longer than %d bytes", maxText)
		}
	}
	return dst, nil
}

// appendCode appends the value of c as a string.
func (b *Bound) appendCode(dst []byte, c *code) ([]byte, *Error) {
	slot := c.single()
	if slot < 0 {
		v, err := b.run(c)
		if err != nil {
			return dst, err
		}
		return v.appendText(dst, b.prog.dialect), nil
	}
	r := &b.prog.refs[slot]
	if cell := b.cells[slot]; c.ins[0].plain && cell.State == Ready {
		if v, ok := cell.Datum.Number(); ok {
			return b.appendNumber(dst, v, r)
		}
	}
	d, err := b.datum(slot)
	if err != nil {
		return dst, err
	}
	if v, ok := d.Number(); ok {
		return b.appendNumber(dst, v, r)
	}
	if d.Type.Text() {
		s := d.chars(b.prog.dialect)
		if b.prog.dialect == Documented || r.spec != nil {
			s = cString(s)
		}
		if r.spec != nil {
			return r.spec.appendString(dst, s)
		}
		return append(dst, s...), nil
	}
	if d.Type != nil && d.Type.Kind == Array {
		if b.prog.dialect == Upstream && (d.Type.Elem.Kind.Number() || d.Type.Elem.Kind == Opaque) {
			return dst, nil // upstream turns an array of numbers into an empty text
		}
		return dst, r.span().fail(TypeError, "`%s` is %s, which has no text; only arrays of char do", b.prog.refText(slot), describe(d.Type))
	}
	return dst, b.notNumber(slot, d)
}

func (b *Bound) appendNumber(dst []byte, v Value, r *reference) ([]byte, *Error) {
	if r.spec != nil {
		return r.spec.appendNumber(dst, v, b.prog.dialect)
	}
	return v.appendText(dst, b.prog.dialect), nil
}

// chars returns the bytes of a char array: the part in use, or the whole array for upstream.
func (d Datum) chars(dialect Dialect) []byte {
	from, n := 0, d.Type.Len
	if dialect == Documented {
		from, n = d.Type.Start, d.Type.Count
	}
	from = min(max(from, 0), len(d.Bytes))
	return d.Bytes[from:min(from+max(n, 0), len(d.Bytes))]
}

// cString returns s up to its first NUL.
func cString(s []byte) []byte {
	if i := bytes.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}
