package pdi

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// hdf5Text describes the dataset that decl_hdf5 makes of a type, in the language in which HDF5's own tools
// show types.
func hdf5Text(name string, t data.Type, m *data.Machine) (string, error) {
	if !data.Sound(t) {
		return "", data.Errorf(data.StatusType, nil, "the type reaches outside its own buffer")
	}
	elem, space, err := declhdf5.TypeOf(t, m)
	if err != nil {
		return "", err
	}
	extent := "SCALAR"
	if len(space.Dims) > 0 {
		list := strings.Trim(strings.ReplaceAll(fmt.Sprint(space.Dims), " ", ", "), "[]")
		extent = fmt.Sprintf("SIMPLE { ( %s ) / ( %s ) }", list, list)
	}
	return fmt.Sprintf("DATASET %q {\n   DATATYPE  %s\n   DATASPACE  %s\n}\n", name, hdf5Type(elem, "   "), extent), nil
}

// hdf5Type writes a type; lines after the first begin with indent.
func hdf5Type(t hdf5.Type, indent string) string {
	order, name := "LE", "little"
	if t.Order == hdf5.BigEndian {
		order, name = "BE", "big"
	}
	bits := t.Size * 8
	switch t.Class {
	case hdf5.Integer:
		sign := map[bool]string{true: "I", false: "U"}[t.Signed]
		return fmt.Sprintf("H5T_STD_%s%d%s", sign, bits, order)
	case hdf5.Float:
		if bits == 32 || bits == 64 {
			return fmt.Sprintf("H5T_IEEE_F%d%s", bits, order)
		}
		return fmt.Sprintf("%d-bit %s-endian floating-point", bits, name)
	case hdf5.Array:
		dims := strings.ReplaceAll(fmt.Sprint(t.Dims), " ", "][")
		return "H5T_ARRAY { " + dims + " " + hdf5Type(*t.Base, indent) + " }"
	case hdf5.Compound:
		var b strings.Builder
		b.WriteString("H5T_COMPOUND {\n")
		for _, m := range t.Members {
			fmt.Fprintf(&b, "%s   %s %q : %d;\n", indent, hdf5Type(m.Type, indent+"   "), m.Name, m.Offset)
		}
		return b.String() + indent + "}"
	}
	return fmt.Sprintf("H5T_OPAQUE { OPAQUE_TAG %q; }", t.Tag)
}
