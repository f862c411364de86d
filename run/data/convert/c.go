package convert

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
)

var keywordsOfC = words(`auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while`)

// NameInC turns a name into a valid identifier of C.
func NameInC(name string) string { return word(name, keywordsOfC) }

// C returns a declaration of the type in C, with assertions that check sizes and offsets
// at compile time. It begins with the headers it needs.
func C(name string, t data.Type, m *data.Machine) (string, error) {
	if err := check(t); err != nil {
		return "", err
	}
	w := &cWriter{machine: m, done: map[string]bool{}}
	if _, _, ok := members(t); ok {
		w.structure(NameInC(name), t)
	} else {
		decl := w.declare(t, NameInC(name))
		fmt.Fprintf(&w.out, "typedef %s;\n", decl)
		fmt.Fprintf(&w.out, "_Static_assert(sizeof(%s) == %d, \"size\");\n", NameInC(name), t.Size())
	}
	return "#include <stddef.h>\n#include <stdint.h>\n\n" + w.out.String(), nil
}

type cWriter struct {
	machine *data.Machine
	out     strings.Builder
	done    map[string]bool // structs that are already declared
	packed  bool            // the struct being written is declared as packed
}

// structure declares the structs that a record or tuple contains, and then its own struct.
func (w *cWriter) structure(name string, t data.Type) {
	if w.done[name] {
		return
	}
	w.done[name] = true
	if t.Size() == 0 {
		fmt.Fprintf(&w.out, "struct %s { };\n\n", name)
		return
	}
	packed := cAlign(t) == 1
	outer := w.packed
	w.packed = packed
	defer func() { w.packed = outer }()
	var body, asserts strings.Builder
	for _, f := range placed(t, NameInC, packed) {
		switch {
		case f.typ == nil:
			fmt.Fprintf(&body, "  uint8_t %s[%d];\n", f.name, f.size)
		case f.over:
			fmt.Fprintf(&body, "  /* %s overlaps the member before it, at byte %d */\n", f.name, f.offset)
		case f.size == 0:
			fmt.Fprintf(&body, "  /* %s has no bytes */\n", f.name)
		default:
			fmt.Fprintf(&body, "  %s;%s\n", w.declare(f.typ, f.name), inUse(f.typ))
			fmt.Fprintf(&asserts, "_Static_assert(offsetof(struct %s, %s) == %d, \"offset\");\n", name, f.name, f.offset)
		}
	}
	attribute := ""
	if packed && t.Align() > 1 {
		attribute = "__attribute__((packed)) "
	}
	fmt.Fprintf(&w.out, "struct %s%s {\n%s};\n", attribute, name, body.String())
	fmt.Fprintf(&w.out, "%s_Static_assert(sizeof(struct %s) == %d, \"size\");\n\n", asserts.String(), name, t.Size())
}

// cAlign returns the alignment that C gives a type. It is 1 if the struct has to be packed,
// because C would place some member at another offset.
func cAlign(t data.Type) int64 {
	switch t := t.(type) {
	case *data.Array:
		return cAlign(t.Elem)
	case *data.Scalar, *data.Pointer:
		return t.Align()
	}
	list, _, _ := members(t)
	widest := int64(1)
	for _, m := range list {
		if m.Type.Size() == 0 {
			continue // a member without bytes is left out of the declaration
		}
		a := cAlign(m.Type)
		if m.Offset%a != 0 {
			return 1
		}
		widest = max(widest, a)
	}
	if t.Size()%widest != 0 {
		return 1
	}
	return widest
}

// declare returns the declaration of a name in C, where parts of the type come before and
// after the name.
func (w *cWriter) declare(t data.Type, name string) string {
	switch t := t.(type) {
	case *data.Array:
		return w.declare(t.Elem, fmt.Sprintf("%s[%d]", name, t.Length))
	case *data.Pointer:
		if t.Back != "" {
			return "struct " + NameInC(t.Back) + " *" + name
		}
		if _, array := t.Elem.(*data.Array); array {
			return w.declare(t.Elem, "(*"+name+")")
		}
		return w.declare(t.Elem, "*"+name)
	case *data.Scalar:
		word, dims := w.scalar(t)
		return word + " " + name + dims
	}
	_, user, _ := members(t)
	if user == "" {
		user = strings.Trim(name, "*()[]0123456789") + "_t"
	}
	w.structure(NameInC(user), t)
	return "struct " + NameInC(user) + " " + name
}

// ownWords are the scalars that have the same name in PDI and in C.
var ownWords = words("char short int long float double size_t")

// scalar returns the C type of a number. If C has no such type, it returns an array of bytes,
// whose dimension is in dims.
func (w *cWriter) scalar(s *data.Scalar) (word, dims string) {
	if ownWords[strings.TrimPrefix(s.Name, "unsigned ")] || strings.HasSuffix(s.Name, "long long") {
		return s.Name, ""
	}
	bits := 8 * s.Size()
	switch {
	case s.Kind == data.Signed && bits <= 64:
		return fmt.Sprintf("int%d_t", bits), ""
	case s.Kind == data.Unsigned && bits <= 64 || bits == 8:
		return fmt.Sprintf("uint%d_t", bits), ""
	case s.Kind == data.Float && bits == 32:
		return "float", ""
	case s.Kind == data.Float && bits == 64:
		return "double", ""
	}
	if w.packed {
		return "uint8_t", fmt.Sprintf("[%d]", s.Size())
	}
	// The result is a struct, because C allows _Alignas for a member but not for a typedef.
	return fmt.Sprintf("struct { _Alignas(%d) uint8_t bytes[%d]; }", s.Align(), s.Size()), ""
}

// inUse returns a comment that says which parts of the type's arrays are in use, or "" if
// there are no such arrays.
func inUse(t data.Type) string {
	note := ""
	for a, ok := t.(*data.Array); ok; a, ok = a.Elem.(*data.Array) {
		if a.Used != a.Length {
			note += fmt.Sprintf("[%d..%d)", a.Start, a.Start+a.Used)
		} else {
			note += "[]"
		}
	}
	if strings.Trim(note, "[]") == "" {
		return ""
	}
	return " /* in use: " + note + " */"
}
