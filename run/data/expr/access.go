package expr

import "math"

// hidden reports whether a reference gives the null reference: its name is
// known, but not its value.
func (b *Bound) hidden(slot int) bool {
	state := b.cells[slot].State
	return state == Unreadable || state == Unset && len(b.prog.refs[slot].steps) == 0
}

// datum returns what a reference refers to.
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
