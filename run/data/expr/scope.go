package expr

// This file is the interface to the data store: what a program needs to know about the
// data that its references name.
//
//	Scope ──Cell(name), once, in Bind──▶ Cell ◀──share, reclaim── store
//	                                      │
//	Bound.Long, Double, Text, Ref ──read──┘
//
// Names are looked up once, when a program is bound. After that an evaluation
// reads its cells directly: no map, no lock, no allocation. The store keeps
// each cell up to date and evaluates under the lock that guards its cells.

// A Scope gives meaning to the names in references.
type Scope interface {
	// Cell returns the cell of the named datum. It returns the same pointer for the same
	// name and never nil: the State of an undeclared name's cell is Absent.
	Cell(name string) *Cell

	// Deref returns what ptr, a datum of kind Pointer, points to. The store decides which
	// memory may be followed.
	Deref(ptr Datum) (Datum, error)
}

// A Cell holds the current value of a name. The zero Cell is a name without data.
type Cell struct {
	State State
	Datum Datum // valid when State is Ready

	// Fetch, if not nil, is called when an evaluation finds the cell Absent, before that
	// becomes an error. A plugin may then share the datum on demand.
	Fetch func()
}

// A State says whether a cell can be read.
type State uint8

const (
	Absent     State = iota // not declared, or declared but not shared
	Unset                   // metadata that was never given a value
	Unreadable              // shared, but without the right to read it now
	Ready                   // Datum can be read
)

// A Datum is typed memory. The zero Datum is the null reference, which has neither type
// nor memory. Bytes is at least Type.Size long. This package writes to it only if it is
// the destination of Copy.
type Datum struct {
	Type  *Type
	Bytes []byte
	Big   bool // the bytes of numbers are in big-endian order
}

// A Type is the evaluated type of a datum, reduced to what expressions need: all sizes
// are numbers, and user types and attributes are gone. Types are immutable and may be
// shared.
type Type struct {
	Kind  Kind
	Size  int // bytes in memory, holes and unselected elements included
	Align int

	// Of an Array: Elem is its element type and Len the number of elements in memory.
	// Indices count from Start and are below Count. Start is 0 and Count is Len unless
	// the array is a slice of a larger one.
	Elem              *Type
	Len, Start, Count int

	// To is the type that a Pointer points to.
	To *Type

	// Unsigned means that an Opaque is an unsigned integer, too large to compute with.
	Unsigned bool

	// Members of a Record or Tuple in order; those of a tuple may be unnamed.
	Members []Member
}

// A Member is one part of a Record or Tuple.
type Member struct {
	Name   string
	Offset int
	Type   *Type
}

// A Kind is the shape of a type. The numeric kinds come first and in this
// order, which the arithmetic conversions rely on.
type Kind uint8

const (
	Null Kind = iota // the type of the null reference
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Opaque // a scalar without a readable value: `byte`, or a number of 16 bytes
	Array
	Record // PDI's record and struct
	Tuple
	Pointer
)

var kindNames = [...]string{"null", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"float32", "float64", "opaque scalar", "array", "record", "tuple", "pointer"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown kind"
}

// Number reports whether k is an integer or float that can be computed with.
func (k Kind) Number() bool { return k >= Int8 && k <= Float64 }

// Integer reports whether k is a signed or unsigned integer.
func (k Kind) Integer() bool { return k >= Int8 && k <= Uint64 }

// Signed reports whether k is a signed integer.
func (k Kind) Signed() bool { return k >= Int8 && k <= Int64 }

// Float reports whether k is a floating-point number.
func (k Kind) Float() bool { return k == Float32 || k == Float64 }

var kindSizes = [...]int{Int8: 1, Int16: 2, Int32: 4, Int64: 8, Uint8: 1, Uint16: 2, Uint32: 4, Uint64: 8, Float32: 4, Float64: 8}

// Scalar returns the type of a number of kind k, aligned to its size.
func Scalar(k Kind) *Type {
	if !k.Number() {
		panic("expr.Scalar of " + k.String())
	}
	return &scalars[k]
}

var scalars = func() (t [Float64 + 1]Type) {
	for k := Int8; k <= Float64; k++ {
		t[k] = Type{Kind: k, Size: kindSizes[k], Align: kindSizes[k]}
	}
	return t
}()

// Text reports whether t is an array of one-byte integers, which reads as a string.
func (t *Type) Text() bool {
	return t != nil && t.Kind == Array && (t.Elem.Kind == Uint8 || t.Elem.Kind == Int8)
}

// Member returns the member called name.
func (t *Type) Member(name string) (Member, bool) {
	if name != "" {
		for i := range t.Members {
			if t.Members[i].Name == name {
				return t.Members[i], true
			}
		}
	}
	return Member{}, false
}

// Equal reports whether two types have the same structure.
func (t *Type) Equal(u *Type) bool {
	if t == u {
		return true
	}
	if t == nil || u == nil || t.Kind != u.Kind || t.Size != u.Size || t.Align != u.Align ||
		t.Len != u.Len || t.Start != u.Start || t.Count != u.Count || len(t.Members) != len(u.Members) {
		return false
	}
	for i, m := range t.Members {
		if n := u.Members[i]; m.Name != n.Name || m.Offset != n.Offset || !m.Type.Equal(n.Type) {
			return false
		}
	}
	return t.Elem.Equal(u.Elem) && t.To.Equal(u.To)
}
