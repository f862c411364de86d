package structs

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// typeReader reads types from the debug information, with a limit on their
// depth. The standard library's reader has none, so a malicious chain of types
// would overflow its stack.
type typeReader struct {
	data    *dwarf.Data
	machine elf.Machine
	units   []*dwarf.Entry // by offset
	types   map[dwarf.Offset]*Type
	weights map[*Struct]int
}

var errType = errors.New("its debug information is damaged")

func newTypeReader(x *types, machine elf.Machine) *typeReader {
	return &typeReader{x.data, machine, x.units, make(map[dwarf.Offset]*Type), make(map[*Struct]int)}
}

func (t *typeReader) entry(off dwarf.Offset) (*dwarf.Entry, error) {
	r := t.data.Reader()
	r.Seek(off)
	e, err := r.Next()
	if err != nil || e == nil {
		return nil, errType
	}
	return e, nil
}

// read returns the type at an offset. Of a pointer, it reads only the name of
// the type that it points to, since that type does not affect the layout.
func (t *typeReader) read(off dwarf.Offset, depth int) (*Type, error) {
	if typ, ok := t.types[off]; ok {
		if typ == nil {
			return nil, errors.New("a type contains itself")
		}
		return typ, nil
	}
	if depth > deepestType {
		return nil, fmt.Errorf("its types are nested more than %d deep", deepestType)
	}
	t.types[off] = nil // it is being read
	e, err := t.entry(off)
	if err != nil {
		return nil, err
	}
	typ, err := t.convert(e, depth)
	if err != nil {
		return nil, err
	}
	t.types[off] = typ
	return typ, nil
}

func (t *typeReader) convert(e *dwarf.Entry, depth int) (*Type, error) {
	typ := &Type{Name: text(e, dwarf.AttrName), Size: integer(e, dwarf.AttrByteSize)}
	var err error
	switch e.Tag {
	case dwarf.TagBaseType:
		typ.Kind, typ.Encoding = Base, encodings[integer(e, dwarf.AttrEncoding)]
		typ.Align = t.natural(typ)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		typ.Kind = Pointer
		typ.Align = t.natural(typ)
		typ.Elem = t.pointee(e)
	case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
		return t.renamed(e, depth)
	case dwarf.TagArrayType:
		err = t.array(typ, e, depth)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		typ.Kind = Record
		typ.Struct = &Struct{Name: typ.Name, Size: typ.Size, Union: e.Tag == dwarf.TagUnionType}
		err = t.members(typ.Struct, e, depth)
		typ.Align = typ.Struct.Align
	case dwarf.TagEnumerationType:
		typ.Kind, typ.Encoding = Enum, Unsigned
		err = t.values(typ, e)
		typ.Align = t.natural(typ)
	default:
		typ.Align = 1
	}
	if align := integer(e, dwarf.AttrAlignment); align > 0 {
		typ.Align = align
		if typ.Struct != nil {
			typ.Struct.Align = align
		}
	}
	return typ, err
}

var encodings = map[int64]Encoding{
	0x02: Bool, 0x03: Complex, 0x04: Float, 0x05: Signed, 0x06: SignedChar, 0x07: Unsigned, 0x08: UnsignedChar,
	0x10: UnsignedChar, // a UTF character
}

func integer(e *dwarf.Entry, attr dwarf.Attr) int64 {
	n, _ := e.Val(attr).(int64)
	return max(n, 0)
}

// location returns a member's offset. Old compilers write it as an expression
// that adds the offset to the struct's address.
func location(e *dwarf.Entry) int64 {
	const plusConstant = 0x23
	code, ok := e.Val(dwarf.AttrDataMemberLoc).([]byte)
	if !ok {
		return integer(e, dwarf.AttrDataMemberLoc)
	}
	if len(code) > 1 && code[0] == plusConstant {
		if n, size := binary.Uvarint(code[1:]); size > 0 && n < 1<<62 {
			return int64(n)
		}
	}
	return 0
}

// natural returns the alignment of a type without an explicit one: the largest
// power of two that divides its size, up to the machine's limit. For a complex
// number, it uses the size of one half.
func (t *typeReader) natural(typ *Type) int64 {
	size := typ.Size
	if typ.Encoding == Complex {
		size /= 2
	}
	limit := int64(16)
	if t.machine == elf.EM_386 {
		limit = 4
	}
	return lowBit(size, limit)
}

// lowBit returns the largest power of two that divides n, up to a limit.
func lowBit(n, limit int64) int64 {
	a := int64(1)
	for a < limit && n > 0 && n%(2*a) == 0 {
		a *= 2
	}
	return a
}

// pointee returns the type that a pointer points to, with its name but without
// its members. A base type also has its encoding and size.
func (t *typeReader) pointee(e *dwarf.Entry) *Type {
	var typedef string
	for range deepestType {
		off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			return nil
		}
		var err error
		if e, err = t.entry(off); err != nil {
			return nil
		}
		name := text(e, dwarf.AttrName)
		switch e.Tag {
		case dwarf.TagTypedef:
			if typedef == "" {
				typedef = name
			}
		case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
		case dwarf.TagBaseType:
			return &Type{Kind: Base, Name: name, Typedef: typedef, Encoding: encodings[integer(e, dwarf.AttrEncoding)], Size: integer(e, dwarf.AttrByteSize)}
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
			return &Type{Kind: Record, Name: name, Typedef: typedef}
		case dwarf.TagPointerType:
			return &Type{Kind: Pointer, Typedef: typedef}
		case dwarf.TagEnumerationType:
			return &Type{Kind: Enum, Name: name, Typedef: typedef}
		default:
			return &Type{Name: name, Typedef: typedef}
		}
	}
	return nil
}

// renamed reads a typedef or a type with a qualifier such as const.
func (t *typeReader) renamed(e *dwarf.Entry, depth int) (*Type, error) {
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return &Type{Name: "void", Align: 1}, nil
	}
	inner, err := t.read(off, depth+1)
	if err != nil {
		return nil, err
	}
	typ := *inner
	if e.Tag == dwarf.TagTypedef {
		typ.Typedef = text(e, dwarf.AttrName)
	}
	if align := integer(e, dwarf.AttrAlignment); align > 0 {
		typ.Align = align
	}
	return &typ, nil
}

func (t *typeReader) array(typ *Type, e *dwarf.Entry, depth int) error {
	typ.Kind = Array
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return errType
	}
	elem, err := t.read(off, depth+1)
	if err != nil {
		return err
	}
	typ.Elem, typ.Align = elem, elem.Align
	size := elem.Size
	fortran := t.fortran(e)
	err = t.children(e, func(kid *dwarf.Entry) error {
		if kid.Tag != dwarf.TagSubrangeType {
			return nil
		}
		n := int64(-1)
		if count, ok := kid.Val(dwarf.AttrCount).(int64); ok {
			n = count
		} else if upper, ok := kid.Val(dwarf.AttrUpperBound).(int64); ok {
			n = upper + 1 // C counts from 0, so upper is -1 for an empty array
			if lower, ok := kid.Val(dwarf.AttrLowerBound).(int64); ok {
				n -= lower
			} else if fortran {
				n--
			}
		}
		if len(typ.Dims) == deepestType {
			return fmt.Errorf("an array has more than %d dimensions", deepestType)
		}
		typ.Dims = append(typ.Dims, n)
		if n < 0 || size > 0 && n > (1<<62)/size {
			size = 0
		} else {
			size *= n
		}
		return nil
	})
	if fortran {
		slices.Reverse(typ.Dims)
	}
	if typ.Size == 0 {
		typ.Size = size
	}
	return err
}

// fortran reports whether an entry was compiled from Fortran, where arrays
// count from 1 and the first index is the innermost.
func (t *typeReader) fortran(e *dwarf.Entry) bool {
	i := sort.Search(len(t.units), func(i int) bool { return t.units[i].Offset > e.Offset })
	if i == 0 {
		return false
	}
	switch integer(t.units[i-1], dwarf.AttrLanguage) {
	case 0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d: // the codes of Fortran 77, 90, 95, 2003, 2008 and 2018
		return true
	}
	return false
}

func (t *typeReader) values(typ *Type, e *dwarf.Entry) error {
	return t.children(e, func(kid *dwarf.Entry) error {
		if kid.Tag == dwarf.TagEnumerator {
			v, _ := kid.Val(dwarf.AttrConstValue).(int64)
			if v < 0 {
				typ.Encoding = Signed
			}
			typ.Values = append(typ.Values, EnumValue{text(kid, dwarf.AttrName), v})
		}
		return nil
	})
}

func (t *typeReader) members(s *Struct, e *dwarf.Entry, depth int) error {
	s.Align = 1
	err := t.children(e, func(kid *dwarf.Entry) error {
		if kid.Tag != dwarf.TagMember || kid.Val(dwarf.AttrExternal) != nil {
			return nil
		}
		if len(s.Members) == maxMembers {
			return fmt.Errorf("it has more than %d members", maxMembers)
		}
		m, err := t.member(kid, depth)
		if err != nil {
			return err
		}
		s.Members = append(s.Members, m)
		align := min(m.Type.Align, lowBit(m.Offset, 1<<20))
		if m.Offset == 0 {
			align = m.Type.Align
		}
		s.Packed = s.Packed || align < m.Type.Align
		s.Align = max(s.Align, align)
		return nil
	})
	for s.Align > 1 && s.Size%s.Align != 0 {
		s.Align /= 2
		s.Packed = true
	}
	return err
}

func (t *typeReader) member(e *dwarf.Entry, depth int) (Member, error) {
	m := Member{Name: text(e, dwarf.AttrName), Offset: location(e)}
	off, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return m, errType
	}
	typ, err := t.read(off, depth+1)
	if err != nil {
		return m, err
	}
	m.Type = typ
	if align := integer(e, dwarf.AttrAlignment); align > 0 {
		aligned := *typ
		aligned.Align = align
		m.Type = &aligned
	}
	if bits := integer(e, dwarf.AttrBitSize); bits > 0 {
		m.Unsupported = fmt.Sprintf("it is a bit field of %d bits", bits)
		if at, ok := e.Val(dwarf.AttrDataBitOffset).(int64); ok && at >= 0 && typ.Size > 0 {
			m.Offset = at / 8 / typ.Size * typ.Size
		}
		return m, nil
	}
	switch {
	case typ.Kind == Other:
		m.Unsupported = "its type is not a data type of C"
	case typ.Kind == Base && typ.Encoding == NoEncoding:
		m.Unsupported = fmt.Sprintf("its type `%s` is not a number", typ.Name)
	case typ.Kind == Array:
		for _, n := range typ.Dims {
			if n < 0 {
				m.Unsupported = "it is an array without a size"
			}
		}
	}
	return m, nil
}

// children visits the entries directly below an entry.
func (t *typeReader) children(e *dwarf.Entry, visit func(*dwarf.Entry) error) error {
	if !e.Children {
		return nil
	}
	r := t.data.Reader()
	r.Seek(e.Offset)
	if _, err := r.Next(); err != nil {
		return errType
	}
	for {
		kid, err := r.Next()
		if err != nil {
			return errType
		}
		if kid == nil || kid.Tag == 0 {
			return nil
		}
		if err := visit(kid); err != nil {
			return err
		}
		if kid.Children {
			r.SkipChildren()
		}
	}
}
