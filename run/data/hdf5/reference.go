package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Objects refer to each other by their addresses, which never change.

// Ref is the type of a reference to an object of the same file.
func Ref() Type { return Type{Class: Reference, Size: 8} }

// Reference returns a reference to the object, in the type Ref.
func (o Object) Reference() []byte { return binary.LittleEndian.AppendUint64(nil, o.addr) }

// Referred opens the dataset that a reference leads to. The dataset has no path.
func (f *File) Referred(ref []byte) (*Dataset, error) {
	if len(ref) != 8 {
		return nil, fmt.Errorf("reference of %d bytes, expected 8", len(ref))
	}
	o, err := f.object(binary.LittleEndian.Uint64(ref))
	if err != nil {
		return nil, err
	}
	if !o.has(msgLayout) {
		return nil, errors.New("reference leads to no dataset")
	}
	if err := o.load(); err != nil {
		return nil, err
	}
	return &Dataset{Object{o, "?"}}, nil
}

// SetSequences sets an attribute of variable-length sequences, and replaces an existing one with the same name.
func (o Object) SetSequences(name string, base Type, values [][]byte) error {
	fail := func(err error) error { return fmt.Errorf("attribute `%s` on `%s`: %w", name, o.path, err) }
	if err := base.check(); err != nil {
		return fail(err)
	}
	if err := o.changeable(); err != nil {
		return fail(err)
	}
	elements, err := o.f.values.Put(values, base.Size)
	if err != nil {
		return fail(err)
	}
	t := Type{Class: VarLen, Size: 16, Base: &base}
	return o.putAttribute(Attribute{Name: name, Type: t, Space: Space{Dims: []uint64{uint64(len(values))}}, f: o.f, Data: elements}, fail)
}

// Sequences returns the elements of an attribute of sequences.
func (a Attribute) Sequences() ([][]byte, error) {
	if a.Type.Class != VarLen {
		return nil, fmt.Errorf("attribute `%s` is a %s, not a variable-length sequence", a.Name, a.Type)
	}
	out, err := a.f.values.Sequences(a.Data, int(a.Space.Len()), a.Type.Base.Size)
	if err != nil {
		return nil, fmt.Errorf("attribute `%s`: %w", a.Name, err)
	}
	return out, nil
}

// DefineType gives a type a name at a path in the group. Datasets do not refer to it; each has its own copy of the type.
func (g *Group) DefineType(path string, t Type) error {
	if err := t.check(); err != nil {
		return fmt.Errorf("type `%s`: %w", path, err)
	}
	body := encodeType(t)
	if len(body) > maxMessage {
		return fmt.Errorf("type `%s` takes %d bytes, at most %d fit", path, len(body), maxMessage)
	}
	at, name, err := g.parent(path)
	if err != nil {
		return err
	}
	if err := at.free(name); err != nil {
		return err
	}
	o := at.newObject(6 + len(body))
	o.messages = []message{{kind: msgDatatype, flags: 1, body: body}}
	return at.link(Link{Name: name, addr: o.addr})
}

// NamedType returns the type with a name.
func (g *Group) NamedType(path string) (Type, error) {
	o, err := g.lookup(path)
	if err != nil {
		return Type{}, err
	}
	if o.has(msgLayout) || !o.has(msgDatatype) {
		return Type{}, fmt.Errorf("`%s` is not a type", o.path)
	}
	t, err := o.datatype()
	if err != nil {
		return t, o.wrap(err)
	}
	return t, nil
}
