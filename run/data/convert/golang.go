package convert

import (
	"fmt"
	"go/format"
	"strings"
	"unicode"

	"github.com/pentode-dev/pentode/run/data"
)

// Go returns a declaration of the type in Go. Struct tags keep the original names of members. Holes that
// Go would not leave by itself become blank fields; numbers that Go would place at another offset become
// bytes. The declaration assumes that the Go compiler aligns numbers as the machine does.
func Go(name string, t data.Type, m *data.Machine) (string, error) {
	if err := check(t); err != nil {
		return "", err
	}
	w := &goWriter{machine: m, done: map[string]bool{}}
	if _, _, ok := members(t); ok {
		w.structure(NameInGo(name), t)
	} else {
		fmt.Fprintf(&w.out, "type %s %s\n", NameInGo(name), w.typ(t, name))
	}
	text, err := format.Source([]byte(w.out.String()))
	if err != nil {
		return "", data.Errorf(data.StatusImpl, nil, "`%s` cannot be written in Go", name)
	}
	return string(text), nil
}

// NameInGo turns a name into an exported identifier of Go: `first_int` becomes FirstInt.
func NameInGo(name string) string {
	var b strings.Builder
	up := true
	for _, r := range word(name, nil) {
		if r == '_' {
			up = true
			continue
		}
		if up {
			r = unicode.ToUpper(r)
		}
		up = false
		b.WriteRune(r)
	}
	w := b.String()
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		w = "X" + w
	}
	return w
}

type goWriter struct {
	machine *data.Machine
	out     strings.Builder
	done    map[string]bool
}

func (w *goWriter) structure(name string, t data.Type) {
	if w.done[name] {
		return
	}
	w.done[name] = true
	list, _, _ := members(t)
	names := map[string]string{}
	var body strings.Builder
	end, widest := int64(0), int64(1)
	for _, f := range fields(list, func(n string) string { g := NameInGo(n); names[g] = n; return g }) {
		if f.offset < end {
			fmt.Fprintf(&body, "// %s overlaps the field before it, at byte %d\n", f.name, f.offset)
			continue
		}
		if f.size == 0 { // if it were the last field, Go would make the struct larger
			fmt.Fprintf(&body, "// %s has no bytes\n", f.name)
			continue
		}
		align := w.align(f.typ)
		typ := w.typ(f.typ, f.name)
		if f.offset%align != 0 || t.Size()%align != 0 {
			typ, align = fmt.Sprintf("[%d]byte", f.size), 1
		}
		if f.offset != roundUp(end, align) {
			fmt.Fprintf(&body, "_ [%d]byte\n", f.offset-end)
		}
		tag := ""
		if original, ok := names[f.name]; ok && original != "" {
			tag = " `pdi:" + fmt.Sprintf("%q", strings.ReplaceAll(original, "`", "'")) + "`"
		}
		fmt.Fprintf(&body, "%s %s%s\n", f.name, typ, tag)
		widest = max(widest, align)
		end = f.offset + f.size
	}
	if t.Size() > roundUp(end, widest) {
		fmt.Fprintf(&body, "_ [%d]byte\n", t.Size()-end)
	}
	fmt.Fprintf(&w.out, "// %s has %d bytes.\ntype %s struct {\n%s}\n\n", name, t.Size(), name, body.String())
}

// align returns the alignment of the Go type with which typ is declared.
func (w *goWriter) align(t data.Type) int64 {
	switch t := t.(type) {
	case *data.Array:
		return w.align(t.Elem)
	case *data.Scalar:
		if _, bytes := goNumber(t); bytes {
			return 1
		}
		return t.Align()
	case *data.Pointer:
		return t.Align()
	}
	list, _, _ := members(t)
	widest := int64(1)
	for _, m := range list {
		if a := w.align(m.Type); m.Offset%a == 0 && t.Size()%a == 0 {
			widest = max(widest, a)
		}
	}
	return widest
}

func (w *goWriter) typ(t data.Type, name string) string {
	switch t := t.(type) {
	case *data.Scalar:
		word, _ := goNumber(t)
		return word
	case *data.Array:
		return fmt.Sprintf("[%d]%s", t.Length, w.typ(t.Elem, name))
	case *data.Pointer:
		if t.Back != "" {
			return "*" + NameInGo(t.Back)
		}
		return "*" + w.typ(t.Elem, name)
	}
	_, user, _ := members(t)
	if user == "" {
		user = name + "_type"
	}
	w.structure(NameInGo(user), t)
	return NameInGo(user)
}

// goNumber returns the Go type of a number. If Go has no such type, it returns an array of bytes, and
// bytes is true.
func goNumber(s *data.Scalar) (word string, bytes bool) {
	bits := 8 * s.Size()
	switch {
	case s.Kind == data.Signed && bits <= 64:
		return fmt.Sprintf("int%d", bits), false
	case s.Kind == data.Unsigned && bits <= 64:
		return fmt.Sprintf("uint%d", bits), false
	case s.Kind == data.Float && (bits == 32 || bits == 64):
		return fmt.Sprintf("float%d", bits), false
	case bits == 8:
		return "byte", false
	}
	return fmt.Sprintf("[%d]byte", s.Size()), true
}
