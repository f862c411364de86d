package data

import "github.com/pentode-dev/pentode/run/data/expr"

// mirror converts a type to an expr.Type, the form of types in package expr. Every part
// of the type must lie inside its buffer.
func mirror(t Type) *expr.Type { return mirrored(t, map[*Pointer]*expr.Type{}) }

// mirrored converts a type; seen has the pointers that were converted already, so that
// recursive types end.
func mirrored(t Type, seen map[*Pointer]*expr.Type) *expr.Type {
	e := &expr.Type{Size: int(t.Size()), Align: int(t.Align())}
	switch t := t.(type) {
	case *Scalar:
		e.Kind = scalarKind(t)
		e.Unsigned = e.Kind == expr.Opaque && t.Kind == Unsigned
	case *Array:
		e.Kind = expr.Array
		e.Elem = mirrored(t.Elem, seen)
		e.Len, e.Start, e.Count = int(t.Length), int(t.Start), int(t.Used)
	case *Record:
		e.Kind = expr.Record
		e.Members = mirroredMembers(t.Members, seen)
	case *Tuple:
		e.Kind = expr.Tuple
		e.Members = mirroredMembers(t.Elements, seen)
	case *Pointer:
		if m, ok := seen[t]; ok {
			return m
		}
		seen[t] = e
		e.Kind = expr.Pointer
		e.To = mirrored(t.Elem, seen)
	}
	return e
}

func mirroredMembers(members []Member, seen map[*Pointer]*expr.Type) []expr.Member {
	list := make([]expr.Member, len(members))
	for i, m := range members {
		list[i] = expr.Member{Name: m.Name, Offset: int(m.Offset), Type: mirrored(m.Type, seen)}
	}
	return list
}

func scalarKind(s *Scalar) expr.Kind {
	if s.size == 1 || s.size == 2 || s.size == 4 || s.size == 8 {
		step := expr.Kind(align(&[5]int64{0, 1, 2, 3}, s.size))
		switch s.Kind {
		case Signed:
			return expr.Int8 + step
		case Unsigned:
			return expr.Uint8 + step
		case Float:
			if s.size >= 4 {
				return expr.Float32 + step - 2
			}
		}
	}
	return expr.Opaque
}

// unmirror converts the type of an expression's value back to a Type of this package.
func unmirror(e *expr.Type) Type { return unmirrored(e, map[*expr.Type]*Pointer{}) }

func unmirrored(e *expr.Type, seen map[*expr.Type]*Pointer) Type {
	l := layout{size: int64(e.Size), data: int64(e.Size), align: int64(e.Align), dense: true, parts: 1}
	switch e.Kind {
	case expr.Array:
		a := newArray(unmirrored(e.Elem, seen), int64(e.Len), int64(e.Start), int64(e.Count))
		return &a
	case expr.Record:
		m := unmirroredMembers(e.Members, seen)
		return &Record{Members: m, layout: newMembers(m, l.size)}
	case expr.Tuple:
		m := unmirroredMembers(e.Members, seen)
		return &Tuple{Elements: m, layout: newMembers(m, l.size)}
	case expr.Pointer:
		if p, ok := seen[e]; ok {
			p.Back = "type that contains it"
			return p
		}
		p := &Pointer{layout: l}
		seen[e] = p
		p.Elem = unmirrored(e.To, seen)
		return p
	}
	s := &Scalar{Name: e.Kind.String(), layout: l}
	switch {
	case e.Kind.Signed():
		s.Kind = Signed
	case e.Kind.Integer():
		s.Kind = Unsigned
	case e.Kind == expr.Float32:
		s.Kind, s.Name = Float, "float"
	case e.Kind == expr.Float64:
		s.Kind, s.Name = Float, "double"
	default:
		s.Name = "byte"
	}
	return s
}

func unmirroredMembers(members []expr.Member, seen map[*expr.Type]*Pointer) []Member {
	list := make([]Member, len(members))
	for i, m := range members {
		list[i] = Member{Name: m.Name, Offset: int64(m.Offset), Type: unmirrored(m.Type, seen)}
	}
	return list
}
