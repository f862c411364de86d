package declnetcdf

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/netcdf"
)

// typeFinder translates types of the store to netCDF types.
type typeFinder struct {
	dialect data.Dialect
	static  bool                 // only checking a tree: expressions have no values
	named   []declhdf5.NamedType // the record types found so far, each after the types that it contains
}

// Check returns an error if netCDF has no type for the elements. It does not need the values of expressions.
func Check(t data.Type, d data.Dialect) error {
	_, err := (&typeFinder{dialect: d, static: true}).element(t)
	return err
}

// element returns the netCDF type of an element.
func (w *typeFinder) element(t data.Type) (hdf5.Type, error) {
	switch t := t.(type) {
	case *data.Scalar:
		if w.dialect == data.Upstream {
			return upstreamType(t)
		}
		if word, ok := scalarType(t); ok {
			return word, nil
		}
		if t.Size() > 8 {
			return hdf5.Type{}, data.Errorf(data.StatusType, nil, "netCDF has no type for `%s` of %d bytes", t, t.Size())
		}
		return hdf5.Type{}, data.Errorf(data.StatusType, nil, "netCDF has no type for `%s`", t)
	case *data.Record:
		return w.record(t)
	case *data.Tuple:
		return hdf5.Type{}, data.Errorf(data.StatusType, nil, "netCDF has no type for a tuple: make it a record, whose members have names")
	}
	return hdf5.Type{}, data.Errorf(data.StatusType, nil, "netCDF has no type for a pointer: use the plugin `serialize`")
}

// scalarType returns the netCDF type of a number or a character.
func scalarType(t *data.Scalar) (hdf5.Type, bool) {
	size := int(t.Size())
	whole := size == 1 || size == 2 || size == 4 || size == 8
	switch {
	case size == 1 && (t.Name == "char" || t.Name == "character"):
		return netcdf.Char(), true
	case t.Kind == data.Signed && whole:
		return hdf5.Int(size), true
	case t.Kind == data.Unsigned && whole:
		return hdf5.Uint(size), true
	case t.Kind == data.Float && (size == 4 || size == 8):
		return hdf5.IEEE(size), true
	}
	return hdf5.Type{}, false
}

// upstreamType returns the type that the original program chooses: it treats all bytes as characters and has
// no large unsigned numbers.
func upstreamType(t *data.Scalar) (hdf5.Type, error) {
	found, ok := scalarType(t)
	switch {
	case t.Size() == 1 && (t.Kind == data.Signed || t.Kind == data.Unsigned):
		return netcdf.Char(), nil
	case ok && t.Kind != data.Unsigned:
		return found, nil
	}
	kind := map[data.Kind]string{data.Signed: "signed", data.Unsigned: "unsigned", data.Float: "float"}[t.Kind]
	e := data.Errorf(data.StatusType, nil, "the original program cannot write a `%s` of %d bytes to netCDF files", t, t.Size())
	if kind == "" {
		return found, e.Upstream("Decl_netcdf plugin: Unsupported unknown scalar datatype: %s", t)
	}
	return found, e.Upstream("Decl_netcdf plugin: Unsupported %s scalar datatype", kind)
}

// record returns a compound type, which needs a name.
func (w *typeFinder) record(t *data.Record) (hdf5.Type, error) {
	name := ""
	for _, a := range t.Attributes() {
		switch {
		case a.Name != "decl_netcdf.type":
		case w.static && !a.Value.Constant():
			name = "known_later"
		default:
			var err error
			if name, err = a.Value.Text(); err != nil {
				return hdf5.Type{}, err
			}
		}
	}
	if name == "" {
		return hdf5.Type{}, data.Errorf(data.StatusValue, nil, "a record needs a name in netCDF files: give its type the attribute `+decl_netcdf.type: NAME`")
	}
	if err := netcdf.CheckName(name); err != nil {
		return hdf5.Type{}, err
	}
	members := make([]hdf5.Member, len(t.Members))
	for i, m := range t.Members {
		var dims []int
		elem := m.Type
		for a, ok := elem.(*data.Array); ok; a, ok = elem.(*data.Array) {
			if a.Used != a.Length {
				return hdf5.Type{}, data.Errorf(data.StatusType, nil, "member `%s` is a slice of an array: netCDF has no such type", m.Name)
			}
			dims, elem = append(dims, int(a.Length)), a.Elem
		}
		of, err := w.element(elem)
		if err != nil {
			return of, data.Within(err, "member `%s`", m.Name)
		}
		if dims != nil {
			of = hdf5.ArrayOf(of, dims...)
		}
		members[i] = hdf5.Member{Name: m.Name, Offset: int(m.Offset), Type: of}
	}
	typ := hdf5.Struct(int(t.Size()), members...)
	w.named = append(w.named, declhdf5.NamedType{Name: name, Type: typ})
	return typ, nil
}
