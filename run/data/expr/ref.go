package expr

// Ref returns the value as typed memory: of a reference the datum itself, of
// anything else a new one. What a reference may not read, and an empty
// sequence, is the null reference.
func (b *Bound) Ref() (Datum, error) {
	d, err := b.ref()
	return d, plain(err)
}

func (b *Bound) ref() (Datum, *Error) {
	switch b.prog.form {
	case Reference:
		slot := b.prog.code.single()
		d, err := b.datum(slot)
		if err != nil && b.hidden(slot) {
			return Datum{}, nil
		}
		return d, err
	case IntLiteral, FloatLiteral, Operation:
		v, err := b.run(&b.prog.code)
		if err != nil {
			return Datum{}, err
		}
		t := Scalar(v.kind)
		d := Datum{Type: t, Bytes: make([]byte, t.Size)}
		v.put(d.Bytes, false)
		return d, nil
	case Text:
		s, err := b.appendParts(nil)
		if err != nil {
			return Datum{}, err
		}
		n := len(s) + 1
		return Datum{
			Type:  &Type{Kind: Array, Size: n, Align: 1, Elem: Scalar(Uint8), Len: n, Count: n},
			Bytes: append(s, 0),
		}, nil
	}
	return b.refItems()
}

// refItems lays the items of a sequence or mapping out in new memory.
func (b *Bound) refItems() (Datum, *Error) {
	if len(b.items) == 0 && b.prog.form == Sequence {
		return Datum{}, nil
	}
	types := make([]*Type, len(b.items))
	same := b.prog.form == Sequence
	for i, it := range b.items {
		d, err := it.ref()
		if err != nil {
			return Datum{}, err
		}
		if d.Type == nil {
			return Datum{}, it.whole().fail(ValueError, "an item without a value has no type")
		}
		types[i] = d.Type
		same = same && d.Type.Equal(types[0])
	}
	t := layOut(b.prog, types, same)
	d := Datum{Type: t, Bytes: make([]byte, t.Size)}
	return d, b.copyTo(d, false)
}

// layOut returns the type of items of the given types: an array where all are
// the same, else a tuple or record with C's alignment.
func layOut(p *Program, types []*Type, same bool) *Type {
	if same {
		e, n := types[0], len(types)
		return &Type{Kind: Array, Size: n * e.Size, Align: e.Align, Elem: e, Len: n, Count: n}
	}
	t := &Type{Kind: Tuple, Align: 1}
	if p.form == Mapping {
		t.Kind = Record
	}
	for i, e := range types {
		align := max(e.Align, 1)
		t.Size = (t.Size + align - 1) / align * align
		m := Member{Offset: t.Size, Type: e}
		if p.form == Mapping {
			m.Name = p.keys[i]
		}
		t.Members = append(t.Members, m)
		t.Size += e.Size
		t.Align = max(t.Align, align)
	}
	t.Size = (t.Size + t.Align - 1) / t.Align * t.Align
	if t.Kind == Tuple {
		t.Size = max(1, t.Size)
	}
	return t
}
