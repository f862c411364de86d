package data

// Densify returns the type of a copy of t from which unused bytes are left out:
// arrays shrink to the part in use, members move together as far as their
// alignment lets them. Attributes of records and tuples are dropped, as the
// copy no longer has the layout they were written for.
//
// What a pointer points to is not copied and keeps its layout. Upstream claims
// otherwise in the type, and so does its dialect.
func Densify(t Type, d Dialect) Type {
	switch t := t.(type) {
	case *Array:
		a := newArray(Densify(t.Elem, d), t.Used, 0, t.Used)
		a.attrs = t.attrs
		return &a
	case *Record:
		members := densifyMembers(t.Members, d)
		size := max(pack(members), 1)
		return &Record{Name: t.Name, Struct: true, Members: members, layout: newMembers(members, size)}
	case *Tuple:
		members := densifyMembers(t.Elements, d)
		return &Tuple{Name: t.Name, Elements: members, layout: newMembers(members, pack(members))}
	case *Pointer:
		if d == Upstream {
			p := *t
			p.Elem = Densify(t.Elem, d)
			return &p
		}
	}
	return t
}

func densifyMembers(members []Member, d Dialect) []Member {
	dense := make([]Member, len(members))
	for i, m := range members {
		dense[i] = Member{Name: m.Name, Type: Densify(m.Type, d)}
	}
	return dense
}

// copyDense copies the data of a value from its layout to that of its densified
// type. Both buffers must hold their type; from may be sparse.
func copyDense(to []byte, dense Type, from []byte, t Type) {
	copyBetween(to, dense, from, t, func(dst, src []byte) { copy(dst, src) })
}

// copySparse is the way back: it fills the parts of a sparse value that carry
// data and leaves the rest alone.
func copySparse(to []byte, t Type, from []byte, dense Type) {
	copyBetween(from, dense, to, t, func(dst, src []byte) { copy(src, dst) })
}

// copyBetween walks a type and its densified form side by side and hands over
// the runs of bytes that belong together.
func copyBetween(d []byte, dense Type, s []byte, sparse Type, run func(d, s []byte)) {
	switch sparse := sparse.(type) {
	case *Array:
		elem, step := sparse.Elem.Size(), dense.Size()
		if sparse.Used == 0 || elem == 0 {
			return
		}
		step /= sparse.Used
		first := sparse.Start * elem
		if dense, ok := dense.(*Array); ok && elem == step && Equal(sparse.Elem, dense.Elem) {
			run(d[:dense.size], s[first:first+sparse.Used*elem])
			return
		}
		for i := range sparse.Used {
			at := first + i*elem
			copyBetween(d[i*step:(i+1)*step], dense.(*Array).Elem, s[at:at+elem], sparse.Elem, run)
		}
	case *Record:
		copyMembers(d, dense.(*Record).Members, s, sparse.Members, run)
	case *Tuple:
		copyMembers(d, dense.(*Tuple).Elements, s, sparse.Elements, run)
	default:
		run(d[:sparse.Size()], s[:sparse.Size()])
	}
}

func copyMembers(d []byte, dense []Member, s []byte, sparse []Member, run func(d, s []byte)) {
	for i := range sparse {
		a, b := dense[i], sparse[i]
		copyBetween(d[a.Offset:a.Offset+a.Type.Size()], a.Type, s[b.Offset:b.Offset+b.Type.Size()], b.Type, run)
	}
}
