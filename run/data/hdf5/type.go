package hdf5

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// maxRank limits the number of dimensions of arrays and of shapes.
const maxRank = 32

// Class is the kind of a Type.
type Class uint8

const (
	Integer   Class = iota // Size, Order, Signed
	Float                  // Size, Order, Format if it is not the IEEE format of that size
	Time                   // read as raw bytes
	String                 // Size, Pad, UTF8
	Bitfield               // Size, Order
	Opaque                 // Size, Tag
	Compound               // Size, Members
	Reference              // raw bytes, which only have a meaning in the same file
	Enum                   // Base, Values
	VarLen                 // Base; a string if Text is set
	Array                  // Base, Dims
)

var classNames = [...]string{"integer", "float", "time", "string", "bitfield", "opaque", "compound", "reference", "enum", "variable-length", "array"}

func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// Order is the byte order of a number.
type Order uint8

const (
	LittleEndian Order = iota
	BigEndian
)

// Padding says how a fixed-length string ends.
type Padding uint8

const (
	NullTerm Padding = iota // at least one NUL byte after the text
	NullPad                 // NUL bytes up to the size, maybe none
	SpacePad                // blanks up to the size, maybe none
)

// Type describes the bytes of one element, in a file or in memory.
type Type struct {
	Class  Class
	Size   int // bytes of one element
	Order  Order
	Signed bool

	Precision int          // significant bits of a number; 0 means all of them
	BitOffset int          // position of the lowest significant bit
	Format    *FloatFormat // nil means IEEE 754 of that size

	Pad  Padding
	UTF8 bool
	Text bool // VarLen: a string, not a sequence

	Members []Member
	Values  []EnumValue
	Base    *Type
	Dims    []int
	Tag     string
}

// Member is one named part of a Compound.
type Member struct {
	Name   string
	Offset int
	Type   Type
}

// EnumValue is one name of an Enum with its value in the bytes of the base type.
type EnumValue struct {
	Name  string
	Value []byte
}

// FloatFormat gives the positions of the parts of a floating-point number.
type FloatFormat struct {
	Sign, ExpPos, ExpSize, ManPos, ManSize uint8
	Implied                                bool // the leading mantissa bit is not stored
	Bias                                   uint32
}

var (
	ieeeHalf   = FloatFormat{15, 10, 5, 0, 10, true, 15}
	ieeeSingle = FloatFormat{31, 23, 8, 0, 23, true, 127}
	ieeeDouble = FloatFormat{63, 52, 11, 0, 52, true, 1023}
	ieeeQuad   = FloatFormat{127, 112, 15, 0, 112, true, 16383}
	x87        = FloatFormat{79, 64, 15, 0, 64, false, 16383}
)

// Int returns the type of a signed little-endian integer of size bytes.
func Int(size int) Type { return Type{Class: Integer, Size: size, Signed: true} }

// Uint returns the type of an unsigned little-endian integer of size bytes.
func Uint(size int) Type { return Type{Class: Integer, Size: size} }

// IEEE returns the type of a little-endian IEEE 754 number of 2, 4, 8 or 16 bytes.
func IEEE(size int) Type { return Type{Class: Float, Size: size} }

// Text returns the type of a fixed-length string of size bytes.
func Text(size int, pad Padding) Type { return Type{Class: String, Size: size, Pad: pad} }

// Bytes returns an opaque type of size bytes; tag describes it.
func Bytes(size int, tag string) Type { return Type{Class: Opaque, Size: size, Tag: tag} }

// Struct returns a compound type of size bytes.
func Struct(size int, members ...Member) Type {
	return Type{Class: Compound, Size: size, Members: members}
}

// ArrayOf returns the type of a fixed array of base elements; the last dimension varies fastest.
func ArrayOf(base Type, dims ...int) Type {
	size := base.Size
	for _, d := range dims {
		size *= d
	}
	return Type{Class: Array, Size: size, Base: &base, Dims: dims}
}

// Big returns the type with all its numbers in big-endian order. The values of an Enum are bytes of its base
// type and are swapped too.
func (t Type) Big() Type {
	switch t.Class {
	case Integer, Float, Bitfield:
		t.Order = BigEndian
	case Compound:
		t.Members = slices.Clone(t.Members)
		for i := range t.Members {
			t.Members[i].Type = t.Members[i].Type.Big()
		}
	case Enum, Array, VarLen:
		turned := t.Base.Order == LittleEndian
		base := t.Base.Big()
		t.Base = &base
		t.Values = slices.Clone(t.Values)
		for i := range t.Values {
			if turned {
				t.Values[i].Value = slices.Clone(t.Values[i].Value)
				slices.Reverse(t.Values[i].Value)
			}
		}
	}
	return t
}

// Equal reports whether both types give the same meaning to the same bytes.
func (t Type) Equal(u Type) bool {
	if t.Class != u.Class || t.Size != u.Size || t.Order != u.Order || t.Signed != u.Signed ||
		t.precision() != u.precision() || t.BitOffset != u.BitOffset || t.Pad != u.Pad ||
		t.UTF8 != u.UTF8 || t.Text != u.Text || t.Tag != u.Tag || !slices.Equal(t.Dims, u.Dims) {
		return false
	}
	if t.Class == Float && t.format() != u.format() {
		return false
	}
	if (t.Base == nil) != (u.Base == nil) || t.Base != nil && !t.Base.Equal(*u.Base) {
		return false
	}
	return slices.EqualFunc(t.Members, u.Members, func(a, b Member) bool {
		return a.Name == b.Name && a.Offset == b.Offset && a.Type.Equal(b.Type)
	}) && slices.EqualFunc(t.Values, u.Values, func(a, b EnumValue) bool {
		return a.Name == b.Name && slices.Equal(a.Value, b.Value)
	})
}

func (t Type) precision() int {
	if t.Precision == 0 {
		return 8 * t.Size
	}
	return t.Precision
}

func (t Type) format() FloatFormat {
	if t.Format != nil {
		return *t.Format
	}
	switch t.Size {
	case 2:
		return ieeeHalf
	case 4:
		return ieeeSingle
	case 16:
		return ieeeQuad
	}
	return ieeeDouble
}

// fits reports whether all parts of the number lie in size bytes.
func (f FloatFormat) fits(size int) bool {
	return int(f.Sign) < 8*size && int(f.ExpPos)+int(f.ExpSize) <= 8*size && int(f.ManPos)+int(f.ManSize) <= 8*size
}

func (t Type) String() string {
	switch t.Class {
	case Integer, Float, Bitfield:
		name := t.Class.String()
		if t.Class == Integer && !t.Signed {
			name = "unsigned integer"
		}
		if t.Order == BigEndian {
			name = "big-endian " + name
		}
		return fmt.Sprintf("%d-byte %s", t.Size, name)
	case VarLen:
		if t.Text {
			return "variable-length string"
		}
		return "variable-length sequence of " + t.Base.String()
	case Array:
		return fmt.Sprintf("array %v of %s", t.Dims, t.Base)
	case Compound:
		names := make([]string, len(t.Members))
		for i, m := range t.Members {
			names[i] = m.Name
		}
		return "compound of " + strings.Join(names, ", ")
	case Enum:
		return "enum of " + t.Base.String()
	}
	return fmt.Sprintf("%d-byte %s", t.Size, t.Class)
}

// bytes returns the size of a box of elements; ok is false if it does not fit in 63 bits.
func (t Type) bytes(dims []uint64) (n uint64, ok bool) {
	return product(append([]uint64{uint64(t.Size)}, dims...))
}

// product multiplies dimensions; ok is false if the result does not fit in 63 bits.
func product(dims []uint64) (n uint64, ok bool) {
	n = 1
	for _, d := range dims {
		if d == 0 {
			return 0, true
		}
		hi, lo := bits.Mul64(n, d)
		if hi != 0 || lo>>63 != 0 {
			return 0, false
		}
		n = lo
	}
	return n, true
}

// maxTypeSize limits the size of one element, and so of every scratch buffer.
const maxTypeSize = 1 << 26

// check returns an error if the type cannot be written.
func (t Type) check() error {
	if t.Size <= 0 || t.Size > maxTypeSize {
		return fmt.Errorf("%s has a size of %d bytes, expected 1 to %d", t.Class, t.Size, maxTypeSize)
	}
	if t.Precision < 0 || t.BitOffset < 0 || t.BitOffset+t.precision() > 8*t.Size {
		return fmt.Errorf("%d bits from bit %d on do not fit in %d bytes", t.precision(), t.BitOffset, t.Size)
	}
	switch t.Class {
	case Integer, Bitfield:
		if t.Size > 8 {
			return fmt.Errorf("%s of %d bytes, expected 1 to 8", t.Class, t.Size)
		}
	case Float:
		if t.Format == nil && t.Size != 2 && t.Size != 4 && t.Size != 8 && t.Size != 16 {
			return fmt.Errorf("float of %d bytes, expected 2, 4, 8 or 16", t.Size)
		}
		if !t.format().fits(t.Size) {
			return fmt.Errorf("float has bits outside its %d bytes", t.Size)
		}
	case Compound:
		return t.checkMembers()
	case Enum:
		return t.checkValues()
	case Array:
		size := 1
		for _, d := range t.Dims {
			if d <= 0 || d > maxTypeSize/size {
				return fmt.Errorf("array has a dimension of %d", d)
			}
			size *= d
		}
		if t.Base == nil || len(t.Dims) == 0 || len(t.Dims) > maxRank || size*t.Base.Size != t.Size {
			return fmt.Errorf("array %v has %d bytes, expected its elements to fill it", t.Dims, t.Size)
		}
		return t.Base.check()
	case VarLen:
		if t.Base == nil || t.Size != 16 {
			return fmt.Errorf("variable-length type without a base type")
		}
		return t.Base.check()
	case Opaque:
		if len(t.Tag) > 248 {
			return fmt.Errorf("opaque tag has %d bytes, expected at most 248", len(t.Tag))
		}
	}
	return nil
}

func (t Type) checkMembers() error {
	if len(t.Members) == 0 || len(t.Members) > 65535 {
		return fmt.Errorf("compound has %d members, expected 1 to 65535", len(t.Members))
	}
	seen := make(map[string]bool, len(t.Members))
	for _, m := range t.Members {
		if m.Name == "" || strings.IndexByte(m.Name, 0) >= 0 || seen[m.Name] {
			return fmt.Errorf("compound member `%s` needs a unique name", m.Name)
		}
		seen[m.Name] = true
		if err := m.Type.check(); err != nil {
			return fmt.Errorf("member `%s`: %w", m.Name, err)
		}
		if m.Offset < 0 || m.Offset > t.Size-m.Type.Size {
			return fmt.Errorf("member `%s` at offset %d does not fit in %d bytes", m.Name, m.Offset, t.Size)
		}
	}
	return nil
}

func (t Type) checkValues() error {
	if t.Base == nil || t.Base.Class != Integer || t.Base.Size != t.Size {
		return fmt.Errorf("enum needs an integer base type of the same size")
	}
	if len(t.Values) > 65535 {
		return fmt.Errorf("enum has %d values, expected at most 65535", len(t.Values))
	}
	for _, v := range t.Values {
		if v.Name == "" || strings.IndexByte(v.Name, 0) >= 0 || len(v.Value) != t.Size {
			return fmt.Errorf("enum value `%s` needs a name and %d bytes", v.Name, t.Size)
		}
	}
	return t.Base.check()
}

// VarText reports whether elements are texts of variable length, which are read into texts of a fixed length.
func (t Type) VarText() bool { return t.Class == VarLen && (t.Text || t.Base.Class == String) }
