package pdi

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
)

// hdf5Text describes a type in the language in which HDF5's own tools show types.
func hdf5Text(name string, t data.Type, m *data.Machine) (string, error) {
	if !data.Sound(t) {
		return "", data.Errorf(data.StatusType, nil, "the type reaches outside its own buffer")
	}
	w := &hdf5Writer{machine: m}
	var dims []string
	for {
		a, ok := t.(*data.Array)
		if !ok {
			break
		}
		dims = append(dims, fmt.Sprint(a.Used))
		t = a.Elem
	}
	fmt.Fprintf(&w.out, "DATASET %q {\n   DATATYPE  ", name)
	w.typ(t, 1)
	space := "SCALAR"
	if len(dims) > 0 {
		list := strings.Join(dims, ", ")
		space = fmt.Sprintf("SIMPLE { ( %s ) / ( %s ) }", list, list)
	}
	fmt.Fprintf(&w.out, "\n   DATASPACE  %s\n}\n", space)
	return w.out.String(), w.err
}

type hdf5Writer struct {
	machine *data.Machine
	out     strings.Builder
	err     error
}

func (w *hdf5Writer) typ(t data.Type, depth int) {
	indent := strings.Repeat("   ", depth)
	switch t := t.(type) {
	case *data.Scalar:
		w.out.WriteString(w.scalar(t))
	case *data.Array:
		fmt.Fprintf(&w.out, "H5T_ARRAY { [%d] ", t.Used)
		w.typ(t.Elem, depth)
		w.out.WriteString(" }")
	case *data.Record:
		w.compound(t.Members, indent, depth)
	case *data.Tuple:
		w.compound(t.Elements, indent, depth)
	default:
		w.err = data.Errorf(data.StatusType, nil, "HDF5 has no type for a pointer")
	}
}

func (w *hdf5Writer) compound(members []data.Member, indent string, depth int) {
	w.out.WriteString("H5T_COMPOUND {\n")
	for i, m := range members {
		name := m.Name
		if name == "" {
			name = fmt.Sprintf("item%d", i)
		}
		w.out.WriteString(indent + "   ")
		w.typ(m.Type, depth+1)
		fmt.Fprintf(&w.out, " %q : %d;\n", name, m.Offset)
	}
	w.out.WriteString(indent + "}")
}

// scalar is the predefined type of a number, or so many opaque bytes.
func (w *hdf5Writer) scalar(s *data.Scalar) string {
	order := "LE"
	if w.machine.BigEndian {
		order = "BE"
	}
	bits := s.Size() * 8
	switch {
	case s.Kind == data.Signed && bits <= 64:
		return fmt.Sprintf("H5T_STD_I%d%s", bits, order)
	case s.Kind == data.Unsigned && bits <= 64:
		return fmt.Sprintf("H5T_STD_U%d%s", bits, order)
	case s.Kind == data.Float && (bits == 32 || bits == 64):
		return fmt.Sprintf("H5T_IEEE_F%d%s", bits, order)
	}
	return fmt.Sprintf("H5T_OPAQUE { OPAQUE_TAG %q; }", s.Name)
}
