package expr

import "bytes"

// maxText bounds the text one evaluation may make.
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
			return dst, nil // an array of numbers is an empty text to upstream
		}
		return dst, r.span().fail(TypeError, "`%s` is %s, which has no text; only arrays of char have", b.prog.refText(slot), describe(d.Type))
	}
	return dst, b.notNumber(slot, d)
}

func (b *Bound) appendNumber(dst []byte, v Value, r *reference) ([]byte, *Error) {
	if r.spec != nil {
		return r.spec.appendNumber(dst, v, b.prog.dialect)
	}
	return v.appendText(dst, b.prog.dialect), nil
}

// chars returns the bytes of a char array: its slice, or for upstream all of it.
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
