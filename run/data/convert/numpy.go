package convert

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
)

// Numpy returns a declaration of the type as a numpy dtype. Offsets and sizes are written
// out, so the layout is exact on every machine; pointers become unsigned numbers.
func Numpy(name string, t data.Type, m *data.Machine) (string, error) {
	if err := check(t); err != nil {
		return "", err
	}
	w := numpyWriter{machine: m}
	return fmt.Sprintf("import numpy as np\n\n%s = np.dtype(%s)\n", NameInNumpy(name), w.typ(t, "")), nil
}

var keywordsOfPython = words(`False None True and as assert async await break class continue def del elif else except finally for
from global if import in is lambda nonlocal not or pass raise return try while with yield np`)

// NameInNumpy turns a name into a valid identifier of Python.
func NameInNumpy(name string) string { return word(name, keywordsOfPython) }

type numpyWriter struct{ machine *data.Machine }

func (w numpyWriter) typ(t data.Type, indent string) string {
	switch t := t.(type) {
	case *data.Scalar:
		return w.scalar(t)
	case *data.Pointer:
		return fmt.Sprintf("'%su%d'", w.order(t.Size()), t.Size())
	case *data.Array:
		return w.array(t, indent)
	}
	list, _, _ := members(t)
	return w.structure(list, t.Size(), indent)
}

func (w numpyWriter) structure(list []data.Member, size int64, indent string) string {
	var names, formats, offsets []string
	inner := indent + "    "
	for _, f := range fields(list, func(n string) string { return n }) {
		names = append(names, strconv.QuoteToASCII(f.name))
		formats = append(formats, w.typ(f.typ, inner))
		offsets = append(offsets, strconv.FormatInt(f.offset, 10))
	}
	join := func(parts []string) string { return "[" + strings.Join(parts, ", ") + "]" }
	return "{\n" + inner + "'names': " + join(names) + ",\n" + inner + "'formats': " + join(formats) + ",\n" +
		inner + "'offsets': " + join(offsets) + ",\n" + inner + "'itemsize': " + strconv.FormatInt(size, 10) + ",\n" + indent + "}"
}

func (w numpyWriter) array(a *data.Array, indent string) string {
	var dims []string
	t := data.Type(a)
	for {
		d, ok := t.(*data.Array)
		if !ok {
			break
		}
		dims = append(dims, strconv.FormatInt(d.Length, 10))
		t = d.Elem
	}
	return "(" + w.typ(t, indent) + ", (" + strings.Join(dims, ", ") + ",))"
}

// scalar returns numpy's format of a number. If numpy has no such format, it returns the
// format of bytes.
func (w numpyWriter) scalar(s *data.Scalar) string {
	letter := map[data.Kind]string{data.Signed: "i", data.Unsigned: "u", data.Float: "f"}[s.Kind]
	if letter == "" || s.Size() > 8 || letter == "f" && s.Size() < 2 {
		letter = "V"
	}
	return fmt.Sprintf("'%s%s%d'", w.order(s.Size()), letter, s.Size())
}

func (w numpyWriter) order(size int64) string {
	switch {
	case size == 1:
		return "|"
	case w.machine.BigEndian:
		return ">"
	}
	return "<"
}
