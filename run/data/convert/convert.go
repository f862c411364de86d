// Package convert writes types of a specification tree as declarations of other
// languages: C, Fortran, Go and numpy.
//
// A declaration has exactly the layout that the type has on its machine. Where a language would place
// a member differently, padding is written out; a member that cannot be placed at all becomes bytes.
//
//	data.Type ──C──▶ struct with static assertions
//	          ──Fortran─▶ derived type with bind(c)
//	          ──Go─▶ struct with tags
//	          ──Numpy─▶ dtype with offsets
package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pentode-dev/pentode/run/data"
)

// field is a member of a declared record, or padding between two members.
type field struct {
	name   string    // the name as an identifier of the target language
	typ    data.Type // nil for padding
	offset int64
	size   int64
	over   bool // it overlaps the previous member, so it cannot be declared
}

// members returns the members of a record or tuple, and the name of the record's type. For other
// types, ok is false.
func members(t data.Type) (list []data.Member, name string, ok bool) {
	switch t := t.(type) {
	case *data.Record:
		return t.Members, t.Name, true
	case *data.Tuple:
		return t.Elements, t.Name, true
	}
	return nil, "", false
}

// fields sorts members by offset and gives each a unique name.
func fields(list []data.Member, word func(string) string) []field {
	out := make([]field, len(list))
	taken := map[string]bool{}
	for i, m := range list {
		name := word(m.Name)
		if m.Name == "" {
			name = word("item" + strconv.Itoa(i))
		}
		for base, n := name, 2; taken[name]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		taken[name] = true
		out[i] = field{name: name, typ: m.Type, offset: m.Offset, size: m.Type.Size()}
	}
	slices.SortStableFunc(out, func(a, b field) int { return cmp.Compare(a.offset, b.offset) })
	return out
}

// placed returns the members of a record or tuple in the order of their offsets. If a C compiler
// would place a member elsewhere, placed adds padding before it. In a packed struct, every hole
// becomes padding, because the compiler adds none.
func placed(t data.Type, word func(string) string, packed bool) []field {
	list, _, _ := members(t)
	var out []field
	end, pads := int64(0), 0
	pad := func(to, align int64) {
		if packed {
			align = 1
		}
		if to > roundUp(end, align) {
			out = append(out, field{name: "pad" + strconv.Itoa(pads) + "_", offset: end, size: to - end})
			end, pads = to, pads+1
		}
	}
	for _, f := range fields(list, word) {
		if f.over = f.offset < end; !f.over {
			pad(f.offset, cAlign(f.typ))
			if f.size > 0 { // a member without bytes is not declared, so the next one follows the member before it
				end = f.offset + f.size
			}
		}
		out = append(out, f)
	}
	pad(t.Size(), cAlign(t))
	return out
}

// word turns any name into an identifier that is not one of the keywords.
func word(name string, keywords map[string]bool) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '_' || r < 128 && unicode.IsLetter(r), i > 0 && r >= '0' && r <= '9':
			b.WriteRune(r)
		case i == 0 && r >= '0' && r <= '9':
			b.WriteString("_" + string(r))
		default:
			b.WriteByte('_')
		}
	}
	w := b.String()
	if w == "" || keywords[w] {
		w += "_"
	}
	return w
}

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// check returns an error for types that no target language can declare.
func check(t data.Type) error {
	if !data.Sound(t) {
		return data.Errorf(data.StatusType, nil, "the type reaches outside its own buffer: no other language can declare it")
	}
	return nil
}
