package data

// Densify returns the type of a copy of t without its unused bytes: arrays shrink to the part in
// use, and members move together as far as their alignment allows. Attributes of records and
// tuples are dropped, because they were written for the original layout.
//
// The type that a pointer points to is densified as well: the result describes a value with
// everything reachable from it. A copy of the bytes alone keeps the pointers as they are.
func Densify(t Type) Type { return densify(t, true) }

func densify(t Type, targets bool) Type {
	if p, ok := t.(*Pointer); ok && targets && p.Back == "" {
		c := *p
		c.Elem = densify(p.Elem, targets)
		return &c
	}
	return rebuild(t, func(t Type) Type { return densify(t, targets) })
}

// rebuild makes a copy of t in which every part is replaced by the result of change.
func rebuild(t Type, change func(Type) Type) Type {
	switch t := t.(type) {
	case *Array:
		a := newArray(change(t.Elem), t.Used, 0, t.Used)
		a.attrs = t.attrs
		return &a
	case *Record:
		members := rebuildMembers(t.Members, change)
		size := max(pack(members), 1)
		return &Record{Name: t.Name, Struct: true, Members: members, layout: newMembers(members, size)}
	case *Tuple:
		members := rebuildMembers(t.Elements, change)
		size := max(pack(members), min(t.size, 1))
		return &Tuple{Name: t.Name, Elements: members, layout: newMembers(members, size)}
	}
	return t
}

func rebuildMembers(members []Member, change func(Type) Type) []Member {
	dense := make([]Member, len(members))
	for i, m := range members {
		dense[i] = Member{Name: m.Name, Type: change(m.Type)}
	}
	return dense
}

// pairing goes through a value and its dense form at the same time. It calls run for each pair
// of byte ranges that correspond to each other.
type pairing struct {
	run    func(dense, memory []byte)
	follow func(*Pointer, []byte) ([]byte, error) // nil: pointers are copied
}

// CopyDense copies a value to memory without gaps. dense must be Densify(t). Pointers are copied
// unchanged. Both buffers must be large enough for their types.
func CopyDense(to []byte, dense Type, from []byte, t Type) {
	p := pairing{run: func(d, m []byte) { copy(d, m) }}
	p.walk(to, dense, from, t) // cannot fail: only following a pointer can, and pointers are copied
}

func (p *pairing) walk(d []byte, dense Type, b []byte, t Type) error {
	switch t := t.(type) {
	case *Array:
		return p.walkArray(d, dense.(*Array), b, t)
	case *Record:
		return p.walkMembers(d, dense.(*Record).Members, b, t.Members)
	case *Tuple:
		return p.walkMembers(d, dense.(*Tuple).Elements, b, t.Elements)
	case *Pointer:
		if p.follow == nil {
			break
		}
		target, err := p.follow(t, b)
		if err != nil {
			return err
		}
		return p.walk(d, dense, target, t.Elem)
	}
	p.run(d[:t.Size()], b[:t.Size()])
	return nil
}

func (p *pairing) walkArray(d []byte, dense *Array, b []byte, t *Array) error {
	step, denseStep := t.Elem.Size(), dense.Elem.Size()
	first := t.Start * step
	if step == 0 {
		return nil
	}
	if _, plain := t.Elem.(*Scalar); plain || p.follow == nil && t.Elem.Dense() && step == denseStep {
		p.run(d[:t.Used*denseStep], b[first:first+t.Used*step])
		return nil
	}
	for i := range t.Used {
		at := first + i*step
		if err := p.walk(d[i*denseStep:(i+1)*denseStep], dense.Elem, b[at:at+step], t.Elem); err != nil {
			return err
		}
	}
	return nil
}

func (p *pairing) walkMembers(d []byte, dense []Member, b []byte, members []Member) error {
	for i := range members {
		to, from := dense[i], members[i]
		err := p.walk(d[to.Offset:to.Offset+to.Type.Size()], to.Type, b[from.Offset:from.Offset+from.Type.Size()], from.Type)
		if err != nil {
			return err
		}
	}
	return nil
}
