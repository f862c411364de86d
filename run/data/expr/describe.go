package expr

import (
	"fmt"
	"strings"
)

func (r *reference) span() span { return span{int32(r.Offset), int32(r.End)} }

func (p *Program) refText(slot int) string {
	r := &p.refs[slot]
	return clip(p.text[r.Offset:r.End])
}

// notNumber is the error of a datum where a number is needed.
func (b *Bound) notNumber(slot int, d Datum) *Error {
	return b.prog.refs[slot].span().fail(TypeError, "`%s` is %s, a number is needed", b.prog.refText(slot), describe(d.Type))
}

// describe names a type as a person would.
func describe(t *Type) string {
	switch {
	case t == nil:
		return "null"
	case t.Text():
		return fmt.Sprintf("a string of %d bytes", t.Count)
	case t.Kind == Array:
		return fmt.Sprintf("an array of %d %s", t.Count, plural(t.Elem))
	case t.Kind == Opaque:
		return fmt.Sprintf("%d bytes without a value", t.Size)
	case t.Kind == Record || t.Kind == Tuple || t.Kind == Pointer:
		return "a " + t.Kind.String()
	}
	return "of type " + t.Kind.String()
}

func plural(t *Type) string {
	if t.Kind.Number() {
		return t.Kind.String()
	}
	return t.Kind.String() + "s"
}

func named(t *Type) bool {
	for _, m := range t.Members {
		if m.Name != "" {
			return true
		}
	}
	return false
}

// memberStatus is the class of a missing member: upstream has no names in tuples.
func memberStatus(t *Type) Status {
	if t.Kind == Record {
		return ValueError
	}
	return TypeError
}

func memberNames(t *Type) string {
	const most = 12
	var names []string
	for _, m := range t.Members {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
