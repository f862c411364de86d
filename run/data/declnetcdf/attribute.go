package declnetcdf

import (
	"slices"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/expr"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/netcdf"
)

// Attributes returns the attributes of a variable.
func (f *file) Attributes(path string) []declhdf5.Attribute { return f.variable(path).attributes }

// Set returns a function that sets an attribute. Like the original program, it skips an attribute whose datum cannot be read.
func (f *file) Set(a declhdf5.Attribute) (func(hdf5.Object) error, error) {
	if a.Value.Program.Form() == expr.Text {
		text, err := a.Value.Text()
		return func(o hdf5.Object) error { return netcdf.SetText(o, a.Name, text) }, err
	}
	var t data.Type
	var memory []byte
	if name := declhdf5.Whole(a.Value); name != "" {
		ref, err := f.Ref(name)
		if err == nil {
			memory, err = ref.Read()
		}
		if err != nil {
			f.Log.Warn("attribute `%s` is skipped: `%s` cannot be read now", a.Name, name)
			return nil, nil
		}
		t = ref.Type()
	} else {
		var err error
		if t, memory, err = a.Value.Evaluate(); err != nil {
			return nil, err
		}
	}
	return f.setValue(a.Name, t, memory)
}

// setValue returns a function that sets a number, an array of numbers or a text.
func (f *file) setValue(name string, t data.Type, memory []byte) (func(hdf5.Object) error, error) {
	array, ok := t.(*data.Array)
	if ok && array.IsText() {
		text := array.Text(memory)
		return func(o hdf5.Object) error { return netcdf.SetText(o, name, text) }, nil
	}
	elem := t
	if ok {
		elem = array.Elem
	}
	switch elem.(type) {
	case *data.Scalar:
	case *data.Array:
		return nil, data.Errorf(data.StatusType, nil, "a netCDF attribute has at most one dimension, `%s` has more", t).
			Upstream("Decl_netcdf plugin: Multi dimensional array for attribute not supported")
	default:
		return nil, data.Errorf(data.StatusType, nil, "a netCDF attribute is a number, an array of numbers or a text, not `%s`", t).
			Upstream("Decl_netcdf plugin: Record datatype for attribute not supported")
	}
	w := typeFinder{dialect: f.Env().Dialect}
	word, err := w.element(elem)
	if err != nil {
		return nil, err
	}
	if f.Env().Machine.BigEndian {
		word = word.Big()
	}
	flat, err := f.Flatten(t, memory)
	if err != nil {
		return nil, err
	}
	flat.Pack()
	value := slices.Clone(flat.Bytes)
	if word.Class == hdf5.String {
		return func(o hdf5.Object) error { return netcdf.SetText(o, name, string(value)) }, nil
	}
	return func(o hdf5.Object) error { return netcdf.SetNumbers(o, name, word, value) }, nil
}

// Take reads an attribute into the datum that its value names. Like the original program, it skips values that do not
// name a datum and data that cannot be written to.
func (f *file) Take(o hdf5.Object, a declhdf5.Attribute) error {
	name := declhdf5.Whole(a.Value)
	if name == "" {
		return nil
	}
	ref, err := f.Ref(name)
	if err != nil {
		return err
	}
	memory, err := ref.Write()
	if err != nil {
		f.Log.Debug("attribute `%s` is not read: `%s` cannot be written to now", a.Name, name)
		return nil
	}
	return declhdf5.TakeAttribute(f.Context, o, a.Name, ref.Type(), memory)
}
