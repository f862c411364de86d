// Package structs reads the structs of compiled programs from their debug information.
//
//	debuginfo.File ──Of──▶ Program ──Struct──▶ Struct: members with their types and offsets
package structs

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/debuginfo"
)

// Struct is a struct or union as the compiler laid it out.
type Struct struct {
	Name    string // its tag, or the typedef's name if it has none
	Union   bool
	Size    int64
	Align   int64
	Packed  bool // some member is not aligned as its type asks
	Members []Member
}

// Member is one member of a struct.
type Member struct {
	Name        string // empty for an anonymous struct or union
	Type        *Type
	Offset      int64
	Unsupported string // why it cannot be described, such as a bit field; empty if it can
}

// Kind is the sort of a type.
type Kind int

const (
	Other   Kind = iota // not a C data type; Name says what it is
	Base                // a number, a character or a boolean
	Pointer             // Elem, nil for void
	Array               // Dims of Elem
	Record              // Struct
	Enum                // has Values, stored as given by Encoding and Size
)

// Encoding is how to interpret the bits of a base type.
type Encoding int

const (
	NoEncoding Encoding = iota
	Signed
	Unsigned
	Float
	Complex
	Bool
	SignedChar
	UnsignedChar
)

// Type is the type of a member.
type Type struct {
	Kind     Kind
	Name     string // the name of the base type, or the tag
	Typedef  string // the name that the program uses for it, or empty
	Encoding Encoding
	Size     int64
	Align    int64
	Elem     *Type
	Dims     []int64 // outermost first; -1 if the type has no size
	Struct   *Struct
	Values   []EnumValue
}

// EnumValue is one name of an enum.
type EnumValue struct {
	Name  string
	Value int64
}

const (
	deepestType = 64
	maxMembers  = 100_000
)

// Program is an opened program with its structs. They are read when the first one is
// needed.
type Program struct {
	name  string
	debug func(read func(*dwarf.Data, elf.Machine) error) error
	types *types
}

// Of returns the structs of a program.
func Of(f *debuginfo.File) *Program { return &Program{name: filepath.Base(f.Path), debug: f.DWARF} }

// read calls request with the types of the program and a reader for them.
func (p *Program) read(request func(*types, *typeReader) error) error {
	return p.debug(func(data *dwarf.Data, machine elf.Machine) error {
		if p.types == nil {
			found, err := findTypes(data)
			if errors.Is(err, errTooMuch) {
				return fmt.Errorf("`%s` has more types than can be read", p.name)
			} else if err != nil {
				return fmt.Errorf("the debug information of `%s` is damaged", p.name)
			}
			p.types = found
		}
		return request(p.types, newTypeReader(p.types, machine))
	})
}

// Names returns the sorted names of all structs and unions, and of the typedefs for
// them.
func (p *Program) Names() (names []string, err error) {
	err = p.read(func(x *types, t *typeReader) error {
		for name, offsets := range x.structs {
			if slices.ContainsFunc(offsets, t.isRecord) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return nil
	})
	return names, err
}

// Struct returns a struct or union by its tag or by a typedef's name.
func (p *Program) Struct(name string) (s *Struct, err error) {
	err = p.read(func(x *types, t *typeReader) error {
		var found *Struct
		for _, off := range x.structs[name] {
			if !t.isRecord(off) {
				continue
			}
			typ, err := t.read(off, 0)
			if err != nil {
				return fmt.Errorf("struct `%s` of `%s`: %w", name, p.name, err)
			}
			if found != nil && !sameLayout(found, typ.Struct) {
				return fmt.Errorf("`%s` has several different structs `%s`, in different source files", p.name, name)
			}
			if found == nil {
				found = typ.Struct
			}
		}
		if found == nil {
			return fmt.Errorf("`%s` has no struct `%s`, or uses it nowhere", p.name, name)
		}
		if t.weight(found) > maxMembers {
			return fmt.Errorf("struct `%s` of `%s` has more than %d members in all", name, p.name, maxMembers)
		}
		named := *found
		if named.Name == "" {
			named.Name = name
		}
		s = &named
		return nil
	})
	return s, err
}

// sameLayout reports whether two structs with the same name, from two units, have the
// same layout.
func sameLayout(a, b *Struct) bool {
	return a == b || a.Size == b.Size && slices.EqualFunc(a.Members, b.Members, func(m, n Member) bool {
		return m.Name == n.Name && m.Offset == n.Offset && m.Type.Kind == n.Type.Kind && m.Type.Size == n.Type.Size && m.Type.Encoding == n.Type.Encoding
	})
}

// weight counts the members of a struct and of all structs in it. It stops when it
// exceeds the limit.
func (t *typeReader) weight(s *Struct) int {
	if n, ok := t.weights[s]; ok {
		return n
	}
	n := 0
	for _, m := range s.Members {
		n++
		inner := m.Type
		for inner != nil && inner.Kind == Array {
			inner = inner.Elem
		}
		if inner != nil && inner.Struct != nil && inner.Kind == Record {
			n += t.weight(inner.Struct)
		}
		n = min(n, maxMembers+1)
	}
	t.weights[s] = n
	return n
}

// isRecord reports whether an entry is a struct or union, or a typedef of one.
func (t *typeReader) isRecord(off dwarf.Offset) bool {
	for range deepestType {
		e, err := t.entry(off)
		if err != nil {
			return false
		}
		switch e.Tag {
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
			declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
			return !declared
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType:
			next, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
			if !ok {
				return false
			}
			off = next
		default:
			return false
		}
	}
	return false
}
