package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"slices"
)

// Struct is a struct or union as the compiler laid it out.
type Struct struct {
	Name    string // its tag, or the typedef's name where it has none
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

// Kind is what sort of type a type is.
type Kind int

const (
	Other   Kind = iota // not a C data type: see Name
	Base                // a number, a character or a truth value
	Pointer             // Elem, nil for void
	Array               // Dims of Elem
	Record              // Struct
	Enum                // Values, stored as Encoding and Size say
)

// Encoding is how the bits of a base type are read.
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
	Name     string // of the base type or the tag
	Typedef  string // the name the program uses for it, empty for none
	Encoding Encoding
	Size     int64
	Align    int64
	Elem     *Type
	Dims     []int64 // outermost first; -1 for a size the type does not say
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

// StructNames returns the names of all structs, unions and the typedefs of
// such, sorted.
func (f *File) StructNames() ([]string, error) {
	return guarded(f, func() ([]string, error) {
		x, err := f.typesOf()
		if err != nil {
			return nil, err
		}
		var names []string
		t := newTypeReader(f)
		for name, offsets := range x.structs {
			if slices.ContainsFunc(offsets, t.isRecord) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names, nil
	})
}

// Struct returns a struct or union by its tag or by a typedef's name.
func (f *File) Struct(name string) (*Struct, error) {
	return guarded(f, func() (*Struct, error) {
		x, err := f.typesOf()
		if err != nil {
			return nil, err
		}
		t := newTypeReader(f)
		var found *Struct
		for _, off := range x.structs[name] {
			if !t.isRecord(off) {
				continue
			}
			typ, err := t.read(off, 0)
			if err != nil {
				return nil, fmt.Errorf("struct `%s` of `%s`: %w", name, f.name(), err)
			}
			s := typ.Struct
			if found != nil && !sameLayout(found, s) {
				return nil, fmt.Errorf("`%s` has several different structs `%s`, in different source files", f.name(), name)
			}
			if found == nil {
				found = s
			}
		}
		if found == nil {
			return nil, fmt.Errorf("`%s` has no struct `%s`, or uses it nowhere", f.name(), name)
		}
		if t.weight(found) > maxMembers {
			return nil, fmt.Errorf("struct `%s` of `%s` has more than %d members in all", name, f.name(), maxMembers)
		}
		named := *found
		if named.Name == "" {
			named.Name = name
		}
		return &named, nil
	})
}

// sameLayout compares what a name means in two units.
func sameLayout(a, b *Struct) bool {
	return a == b || a.Size == b.Size && slices.EqualFunc(a.Members, b.Members, func(m, n Member) bool {
		return m.Name == n.Name && m.Offset == n.Offset && m.Type.Kind == n.Type.Kind && m.Type.Size == n.Type.Size && m.Type.Encoding == n.Type.Encoding
	})
}

// weight counts the members of a struct and of all structs in it, up to just
// over the limit.
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
