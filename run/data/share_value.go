package data

import "github.com/pentode-dev/pentode/run/data/expr"

// ShareRef puts what a Ref refers to into the store under another name. Rights
// and locks stay those of the one memory.
func (s *Store) ShareRef(name string, r Ref) error {
	if err := s.usable(); err != nil {
		return err
	}
	if !r.alive() {
		return Errorf(StatusPermission, nil, "cannot share `%s`: the datum was reclaimed", name)
	}
	return cannotShare(s.put(s.datum(name), r.buffer), name)
}

// ShareAs shares memory under a type of its own instead of the declared one.
func (s *Store) ShareAs(name string, t Type, memory []byte, access Access) error {
	if err := s.usable(); err != nil {
		return err
	}
	err := checkMemory(t, memory)
	if err == nil {
		b := s.newBuffer()
		b.typ, b.mirror, b.bytes = t, mirror(t), memory
		b.readable, b.writable = access&Out != 0, access&In != 0
		err = s.put(s.datum(name), b)
	}
	return cannotShare(err, name)
}

// cannotShare says so of an error. The original program says it in fewer cases: see announce.
func cannotShare(err error, name string) error {
	return within(err, "cannot share `"+name+"`", "")
}

// Predefine gives the store a metadatum that no tree declares, with its value.
func (s *Store) Predefine(name string, t Type, value []byte) error {
	s.makeMetadata(s.datum(name))
	if err := s.ShareAs(name, t, value, Out); err != nil {
		return err
	}
	return s.Reclaim(name)
}

// ShareValue shares what a value stands for under a name of its own. A reference
// is the memory itself, or the part of it, with its rights and locks; anything
// else is new memory.
func (s *Store) ShareValue(name string, v *Value) error {
	if err := s.usable(); err != nil {
		return err
	}
	d, err := v.bound.Ref()
	if err != nil {
		return valueError(v.Node, err)
	}
	b := s.newBuffer()
	b.readable, b.writable = true, true
	if v.Program.Form() == expr.Reference {
		for ref := range v.Program.Refs() {
			whole := s.datum(ref.Name)
			if len(ref.Path) == 0 && len(whole.stack) > 0 && !whole.top().null {
				return s.ShareRef(name, whole.top().ref())
			}
			if len(whole.stack) > 0 {
				b.parent = whole.top()
				b.readable, b.writable = b.parent.readable, b.parent.writable
			}
			break
		}
	}
	switch {
	case d.Type == nil:
		b.null = true
	case b.parent == nil && s.options.Host.Memory.Alloc != nil:
		memory, err := s.options.Host.Memory.alloc(int64(d.Type.Size))
		if err != nil {
			return err
		}
		copy(memory, d.Bytes)
		d.Bytes = memory
		fallthrough
	default:
		b.typ, b.mirror, b.bytes = unmirror(d.Type), d.Type, d.Bytes
	}
	return s.put(s.datum(name), b)
}
