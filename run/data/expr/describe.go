package expr

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

func (r *reference) span() span { return span{int32(r.Offset), int32(r.End)} }

func (p *Program) refText(slot int) string {
	r := &p.refs[slot]
	return problem.Clip(p.text[r.Offset:r.End], problem.Short)
}

// before returns the text of a reference up to one of its steps, as a complete reference.
func (p *Program) before(r *reference, s *step) string {
	text := p.text[r.Offset:s.off]
	if strings.HasPrefix(text, "${") {
		text += "}"
	}
	return problem.Clip(text, problem.Short)
}

// notNumber returns the error for a datum that is used as a number but is not one.
func (b *Bound) notNumber(slot int, d Datum) *Error {
	return b.prog.refs[slot].span().fail(TypeError, "`%s` is %s, a number is needed", b.prog.refText(slot), describe(d.Type))
}

// describe describes a type in words.
func describe(t *Type) string {
	switch {
	case t == nil:
		return "null"
	case t.Kind == Array && t.Count < 0:
		return "an array of " + plural(t.Elem)
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

// noMember returns the error for a member that does not exist in t, the type of `of`.
func (s *step) noMember(of string, t *Type) *Error {
	names := memberNames(t)
	switch {
	case t.Kind == Record:
		return s.fail(ValueError, "`%s` has no member `%s`: it has %s", of, s.member, names).
			as("Record subaccess error: no member named %s", s.member)
	case t.Kind == Tuple && names != "none":
		return s.fail(TypeError, "`%s` has no element `%s`: it has %s", of, s.member, names)
	}
	return s.fail(TypeError, "`%s` is %s and has no members; write `${…}` if the dot is text", of, describe(t))
}

// noElement returns the error for an index that does not exist in t, the type of `of`.
func (s *step) noElement(of string, t *Type, i int64) *Error {
	n := t.Count
	switch {
	case t.Kind == Tuple:
		n = len(t.Members)
	case t.Kind != Array:
		return s.fail(TypeError, "`%s` is %s and has no elements", of, describe(t))
	case n < 0:
		return s.fail(ValueError, "index %d is outside `%s`", i, of)
	}
	return s.fail(ValueError, "index %d is outside `%s`, which has %d elements", i, of, n).
		as("Subaccess %v index out of range: %d >= %d", t.Kind, uint64(i), n)
}

func memberNames(t *Type) string {
	const maxNames = 12
	var names []string
	for _, m := range t.Members {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > maxNames:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}
