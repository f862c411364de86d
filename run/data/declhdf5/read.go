package declhdf5

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// read executes one operation on an open file.
func (f *file) read(h *hdf5.File, op *Operation) error {
	if op.group != nil {
		return f.readGroup(h, op.group)
	}
	t, memory, err := f.memory(op.Name, data.Ref.Write)
	if err != nil {
		return err
	}
	switch {
	case op.attribute != nil:
		err = f.readAttribute(h, op, t, memory)
	case op.SizeOf != nil:
		err = f.readSize(h, op, t, memory)
	default:
		err = f.readDataset(h, op, t, memory)
	}
	return data.Within(err, "`%s`", op.Name)
}

func (f *file) readDataset(h *hdf5.File, op *Operation, t data.Type, memory []byte) error {
	s, name, err := f.operand(op, t)
	if err != nil {
		return err
	}
	d, err := f.find(h, op, name, s.elem)
	if err != nil {
		return err
	}
	if d.Type().VarText() {
		if err := s.texts(); err != nil {
			return err
		}
	}
	part, err := op.Selection.box()
	if err != nil {
		return err
	}
	from, err := part.target(d.Space().Dims, s.used)
	if err != nil {
		return err
	}
	if err := d.Read(memory, s.memory(), from); err != nil {
		return err
	}
	if f.Format != nil {
		return f.takeAll(d.Object, f.Format.Attributes(name))
	}
	for _, a := range op.attributes {
		if err := f.readInto(d.Object, a); err != nil {
			return data.Within(err, "attribute `%s`", a.Name)
		}
	}
	return nil
}

// find finds a dataset to be read into elements of a type. The zero type means that only the
// dataset's size is needed.
func (f *file) find(h *hdf5.File, op *Operation, name string, elem hdf5.Type) (*hdf5.Dataset, error) {
	if f.Format != nil {
		return f.Format.Find(h, name, elem)
	}
	d, err := h.Root().Dataset(name)
	if err != nil {
		return nil, data.Errorf(data.StatusSystem, op.Node, "%v", err).Upstream("Cannot open `%[1]s' dataset object '%[1]s' doesn't exist", name)
	}
	return d, nil
}

// readInto reads an attribute of a dataset into the datum that its value refers to.
func (f *file) readInto(o hdf5.Object, a Attribute) error {
	name := Whole(a.Value)
	if name == "" {
		return data.Errorf(data.StatusValue, a.Value.Node, "expected a reference to the datum to read into, like `$%s`", a.Name)
	}
	t, memory, err := f.memory(name, data.Ref.Write)
	if err != nil {
		return err
	}
	return TakeAttribute(f.Context, o, a.Name, t, memory)
}

func (f *file) readAttribute(h *hdf5.File, op *Operation, t data.Type, memory []byte) error {
	path, err := op.attribute.Text()
	if err != nil {
		return err
	}
	object, name, err := splitAttribute(path)
	if err != nil {
		return err
	}
	o, err := find(h, object, false)
	if err != nil {
		return err
	}
	return TakeAttribute(f.Context, o, name, t, memory)
}

// TakeAttribute copies an attribute into memory of type t.
func TakeAttribute(c *data.Context, o hdf5.Object, name string, t data.Type, memory []byte) error {
	a, err := o.Attribute(name)
	if err != nil {
		return err
	}
	flat, err := c.Flatten(t, memory)
	if err != nil {
		return err
	}
	if array, ok := flat.Type.(*data.Array); ok && array.IsText() && (a.Type.Class == hdf5.String || a.Type.Text) {
		text, err := a.Strings()
		if err != nil {
			return err
		}
		clear(flat.Bytes)
		if len(text) > 0 {
			copy(flat.Bytes, text[0])
		}
		flat.Unpack()
		return nil
	}
	s, err := shapeOf(flat.Type, c.Env().Machine)
	if err != nil {
		return err
	}
	if have := a.Space.Len(); have != count(s.dims) {
		return data.Errorf(data.StatusValue, nil, "the attribute has %d elements, the datum %d", have, count(s.dims))
	}
	value, err := a.Read(s.elem)
	if err != nil {
		return err
	}
	copy(flat.Bytes, value)
	flat.Unpack()
	return nil
}

// readSize reads the dimensions of a dataset into an array of integers, or a single dimension
// into an integer.
func (f *file) readSize(h *hdf5.File, op *Operation, t data.Type, memory []byte) error {
	name, err := op.SizeOf.Text()
	if err != nil {
		return err
	}
	d, err := f.find(h, op, name, hdf5.Type{})
	if err != nil {
		return err
	}
	dims := d.Space().Dims
	flat, err := f.Flatten(t, memory)
	if err != nil {
		return err
	}
	elem, n := flat.Type, int64(1)
	if a, ok := elem.(*data.Array); ok {
		elem, n = a.Elem, a.Used
	}
	scalar, ok := elem.(*data.Scalar)
	switch {
	case !ok || scalar.Kind != data.Signed && scalar.Kind != data.Unsigned:
		return data.Errorf(data.StatusType, op.Node, "the size of a dataset needs an integer, or an array of them, not a %s", t)
	case int(n) != len(dims):
		return data.Errorf(data.StatusValue, op.Node, "`%s` has %d dimensions, but there is room for %d", name, len(dims), n)
	}
	for i, v := range dims {
		f.Env().Machine.PutInteger(scalar, flat.Bytes[int64(i)*scalar.Size():], v)
	}
	flat.Unpack()
	return nil
}
