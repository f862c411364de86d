package declnetcdf

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/netcdf"
)

// Create creates a file.
func (f *file) Create(path string) (*hdf5.File, error) { return netcdf.Create(path) }

// Explain returns the reason why a file cannot be opened.
func (f *file) Explain(path string, err error) error { return netcdf.Explain(path, err) }

// none stands for a variable that the configuration does not declare.
var none = &variable{}

func (f *file) variable(path string) *variable {
	if v := f.variables[strings.Trim(path, "/")]; v != nil {
		return v
	}
	return none
}

// Describe returns what is needed to create a variable.
func (f *file) Describe(path string, t data.Type) (declhdf5.NewDataset, error) {
	v := f.variable(path)
	if v.typ != nil {
		var err error
		if t, err = v.typ.Evaluate(); err != nil {
			return declhdf5.NewDataset{}, err
		}
	}
	n, err := f.describe(v, path, t)
	return n, data.Within(err, "variable `%s`", path)
}

func (f *file) describe(v *variable, path string, t data.Type) (n declhdf5.NewDataset, err error) {
	elem := t
	for a, ok := elem.(*data.Array); ok; a, ok = elem.(*data.Array) {
		n.Dims, n.Grows = append(n.Dims, uint64(a.Used)), append(n.Grows, a.Used == 0)
		elem = a.Elem
	}
	w := typeFinder{dialect: f.Env().Dialect}
	n.Type, err = w.element(elem)
	if n.Named = w.named; err != nil {
		return n, err
	}
	if f.Env().Machine.BigEndian {
		n.Type = n.Type.Big()
	}
	if n.Dimensions, err = v.names(path, len(n.Dims)); err != nil {
		return n, err
	}
	if n.Options, err = f.storage(v, path, len(n.Dims)); err == nil && v.fill != nil {
		n.Options.Fill, err = f.fill(v, elem, n.Type)
	}
	return n, err
}

// names returns the names of the dimensions.
func (v *variable) names(path string, rank int) ([]string, error) {
	if v.dimensions == nil {
		_, name := netcdf.Split(path)
		list := make([]string, rank)
		for i := range list {
			list[i] = fmt.Sprintf("%s_%d", name, i)
		}
		return list, nil
	}
	if len(v.dimensions) != rank {
		return nil, data.Errorf(data.StatusValue, v.node, "its type has %d dimensions, but `dimensions` names %d", rank, len(v.dimensions)).
			Upstream("Decl_netcdf plugin: Variable type dimension (%d) != defined variable dimensions (%d)", rank, len(v.dimensions))
	}
	list := make([]string, rank)
	for i, d := range v.dimensions {
		var err error
		if list[i], err = d.Text(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// storage returns how a variable is stored.
func (f *file) storage(v *variable, path string, rank int) (o hdf5.Options, err error) {
	level := v.deflate
	if level == nil {
		level = f.deflate
	}
	if level != nil {
		n, err := level.Long()
		switch {
		case err != nil:
			return o, err
		case n < 0 || n > 9:
			return o, data.Errorf(data.StatusValue, level.Node, "`deflate` is %d: it goes from 0 to 9", n)
		case rank > 0:
			o.Deflate = int(n)
		case n > 0 && v.deflate != nil:
			f.Log.Warn("`deflate` of `%s` is ignored: a single value is not compressed", path)
		}
	}
	if v.chunk == nil || rank == 0 {
		return o, nil
	}
	if len(v.chunk) != rank {
		return o, data.Errorf(data.StatusValue, v.chunk[0].Node, "`chunking` has %d dimensions, the variable %d", len(v.chunk), rank)
	}
	for _, c := range v.chunk {
		n, err := c.Long()
		if err != nil {
			return o, err
		}
		if n <= 0 {
			return o, data.Errorf(data.StatusValue, c.Node, "`chunking` is %d: a chunk has at least one element in each dimension", n)
		}
		o.Chunk = append(o.Chunk, uint64(n))
	}
	return o, nil
}

// fill returns the value of elements that are never written.
func (f *file) fill(v *variable, elem data.Type, t hdf5.Type) ([]byte, error) {
	if t.Class == hdf5.String {
		text, err := v.fill.Text()
		if err == nil && len(text) != 1 {
			err = data.Errorf(data.StatusValue, v.fill.Node, "`_FillValue` is `%s`: expected one character", text)
		}
		return []byte(text), err
	}
	scalar, ok := elem.(*data.Scalar)
	if !ok {
		return nil, data.Errorf(data.StatusType, v.fill.Node, "a record has no `_FillValue`")
	}
	b := make([]byte, scalar.Size())
	return b, v.fill.AssignTo(scalar, f.Env().Machine, b)
}

// Place finds a variable or creates it.
func (f *file) Place(h *hdf5.File, path string, n declhdf5.NewDataset) (*hdf5.Dataset, error) {
	for _, t := range n.Named {
		if err := defineType(h, t); err != nil {
			return nil, err
		}
	}
	s := netcdf.Shape{Type: n.Type, Chunk: n.Options.Chunk, Deflate: n.Options.Deflate, Fill: n.Options.Fill}
	for i, name := range n.Dimensions {
		s.Dimensions = append(s.Dimensions, netcdf.Dimension{Name: name, Size: n.Dims[i], Unlimited: n.Grows[i]})
	}
	d, made, err := netcdf.Define(h, path, s)
	if err != nil || !made || s.Fill == nil {
		return d, err
	}
	if n.Type.Class == hdf5.String {
		return d, netcdf.SetText(d.Object, "_FillValue", string(s.Fill))
	}
	return d, netcdf.SetNumbers(d.Object, "_FillValue", n.Type, s.Fill)
}

// defineType gives a record its name in the file.
func defineType(h *hdf5.File, t declhdf5.NamedType) error {
	there, err := h.Root().Exists(t.Name)
	if err != nil {
		return err
	}
	if !there {
		return h.Root().DefineType(t.Name, t.Type)
	}
	have, err := h.Root().NamedType(t.Name)
	if err == nil && !have.Equal(t.Type) {
		err = fmt.Errorf("the file has a different type `%s`: choose another name in `decl_netcdf.type`", t.Name)
	}
	return err
}

// Grow enlarges a variable to at least a shape.
func (f *file) Grow(h *hdf5.File, d *hdf5.Dataset, dims []uint64) error {
	return netcdf.Grow(h, d, dims)
}

// Find finds a variable to be read.
func (f *file) Find(h *hdf5.File, path string, elem hdf5.Type) (*hdf5.Dataset, error) {
	d, err := netcdf.Variable(h, path)
	if err != nil {
		return nil, err
	}
	if have := d.Type(); elem.Size > 0 && !alike(have, elem) {
		return nil, data.Errorf(data.StatusType, nil, "variable `%s` has elements of type %s, and the datum %s: they must be the same", path, have, elem)
	}
	return d, nil
}

// alike reports whether elements have the same kind and size; their byte order may differ.
func alike(a, b hdf5.Type) bool {
	if b.Size == 1 && (a.Size == 1 || a.VarText()) { // characters and one-byte numbers are interchangeable
		return true
	}
	return a.Class == b.Class && (a.Class == hdf5.Compound || a.Size == b.Size && a.Signed == b.Signed)
}
