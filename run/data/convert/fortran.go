package convert

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
)

// Names that a component must not have: Fortran's intrinsic types, and the kinds that
// declarations use.
var keywordsOfFortran = words(`integer real complex character logical doubleprecision type class
c_int8_t c_int16_t c_int32_t c_int64_t c_float c_double c_char c_ptr`)

// maxFortranName is the largest length of a name in Fortran.
const maxFortranName = 63

// NameInFortran turns a name into a valid identifier of Fortran: it begins with a letter.
// Because Fortran ignores case, the identifier is in lower case.
func NameInFortran(name string) string {
	name = strings.ToLower(word(name, nil))
	if name[0] == '_' {
		name = "x" + name
	}
	if keywordsOfFortran[name] {
		name += "_"
	}
	return name[:min(len(name), maxFortranName-4)] // leave space for a number that makes the name unique
}

// Fortran returns a declaration of the type for a module that uses iso_c_binding. A type
// that is not a record becomes a record with the component `value`, because Fortran has
// no other way to name a type.
func Fortran(name string, t data.Type, _ *data.Machine) (string, error) {
	if err := check(t); err != nil {
		return "", err
	}
	if t.Size() == 0 { // a derived type needs at least one component, but Fortran has no component of size 0
		return fmt.Sprintf("  ! %s has no bytes\n\n", NameInFortran(name)), nil
	}
	w := &fortranWriter{done: map[string]bool{}}
	if _, _, ok := members(t); ok {
		w.derived(NameInFortran(name), t)
	} else {
		fmt.Fprintf(&w.out, "  type, bind(c) :: %s\n    %s\n  end type\n", NameInFortran(name), w.component(t, "value"))
	}
	return w.out.String(), nil
}

type fortranWriter struct {
	out  strings.Builder
	done map[string]bool // derived types that are already declared
}

// derived declares the types that a record or tuple contains, and then its own derived
// type. If C would place a member at another offset, the derived type consists of bytes
// only, because Fortran has no packed types.
func (w *fortranWriter) derived(name string, t data.Type) {
	if w.done[name] {
		return
	}
	w.done[name] = true
	packed := cAlign(t) == 1
	var body strings.Builder
	for _, f := range placed(t, NameInFortran, packed) {
		switch {
		case f.typ == nil:
			fmt.Fprintf(&body, "    integer(c_int8_t) :: %s(%d)\n", f.name, f.size)
		case f.over:
			fmt.Fprintf(&body, "    ! %s overlaps the member before it, at byte %d\n", f.name, f.offset)
		case f.size == 0:
			fmt.Fprintf(&body, "    ! %s has no bytes\n", f.name)
		case packed && cAlign(f.typ) > 1:
			fmt.Fprintf(&body, "    integer(c_int8_t) :: %s(%d) ! %s\n", f.name, f.size, f.typ)
		default:
			fmt.Fprintf(&body, "    %s\n", w.component(f.typ, f.name))
		}
	}
	fmt.Fprintf(&w.out, "  type, bind(c) :: %s\n%s  end type\n\n", name, body.String())
}

// component declares a member. Fortran lists the dimensions of an array in the opposite
// order: the one that varies fastest comes first.
func (w *fortranWriter) component(t data.Type, name string) string {
	var dims, remarks []string
	if note := strings.Trim(inUse(t), " /*"); note != "" {
		remarks = append(remarks, note)
	}
	for a, ok := t.(*data.Array); ok; a, ok = t.(*data.Array) {
		dims = append([]string{fmt.Sprint(a.Length)}, dims...)
		t = a.Elem
	}
	word := "type(c_ptr)"
	switch t := t.(type) {
	case *data.Pointer:
	case *data.Scalar:
		own := false
		if word, own = fortranScalar(t); !own {
			remarks = append(remarks, t.Name)
		}
		if n := t.Size() / largestInFortran; n > 1 {
			dims = append([]string{fmt.Sprint(n)}, dims...)
		}
	default:
		_, user, _ := members(t)
		if user == "" {
			user = name + "_t"
		}
		w.derived(NameInFortran(user), t)
		word = "type(" + NameInFortran(user) + ")"
	}
	decl := word + " :: " + name
	if len(dims) > 0 {
		decl += "(" + strings.Join(dims, ", ") + ")"
	}
	if len(remarks) > 0 {
		decl += " ! " + strings.Join(remarks, ", ")
	}
	return decl
}

// largestInFortran is the size in bytes of the largest Fortran number.
const largestInFortran = 16

// fortranScalar returns the Fortran type of a number. If Fortran has no such type, own is
// false and the result is an integer of the same size and alignment.
func fortranScalar(s *data.Scalar) (word string, own bool) {
	size := s.Size()
	switch {
	case s.Name == "char" || s.Name == "character" && size == 1:
		return "character(kind=c_char)", true
	case s.Name == "logical" && size <= largestInFortran:
		return fmt.Sprintf("logical(kind=%d)", size), true
	case s.Kind == data.Float && size == 4:
		return "real(c_float)", true
	case s.Kind == data.Float && size == 8:
		return "real(c_double)", true
	case s.Kind == data.Float && size == 16:
		return "real(kind=16)", true
	case size >= largestInFortran:
		return "integer(kind=16)", s.Kind == data.Signed && size == largestInFortran
	}
	return fmt.Sprintf("integer(c_int%d_t)", 8*size), s.Kind == data.Signed
}
