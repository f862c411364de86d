package data

import (
	"fmt"
	"math/bits"
	"strings"
)

// Type is the layout and meaning of a piece of memory on one machine: a *Scalar, *Array,
// *Record, *Tuple or *Pointer. Types are immutable.
//
// In the Documented dialect no size is negative or too large. Upstream computes modulo
// 2⁶⁴ without checks, and so do types of its dialect: read as uint64, their sizes are the
// ones that it reports.
type Type interface {
	Size() int64     // bytes of the buffer, holes included
	DataSize() int64 // bytes that carry data
	Align() int64    // a power of two
	Dense() bool     // only alignment leaves bytes unused
	Attributes() []Attribute
	String() string

	with([]Attribute) Type
	partCount() int
	fits() bool
}

// Attribute is a `+name` of a type: any value, for plugins to read.
type Attribute struct {
	Name  string // without the `+`
	Value *Value
}

// maxParts limits the number of members of a type at all depths. This limits the cost of
// walking a type whose declaration repeats its parts.
const maxParts = 1 << 20

// layout holds the properties that every type has.
type layout struct {
	size, data, align int64
	dense             bool
	unsound           bool // reaches outside its own buffer: upstream's dialect only
	parts             int
	attrs             []Attribute `fingerprint:"set"`
}

func (l *layout) Size() int64             { return l.size }
func (l *layout) DataSize() int64         { return l.data }
func (l *layout) Align() int64            { return l.align }
func (l *layout) Dense() bool             { return l.dense }
func (l *layout) Attributes() []Attribute { return l.attrs }
func (l *layout) partCount() int          { return l.parts }

// fits reports whether every part of a type lies inside its buffer. It must be called
// before memory is accessed.
func (l *layout) fits() bool { return !l.unsound }

// Array is a sequence of equal elements, of which Used elements from Start on carry data.
// An array of several dimensions is an array of arrays, with the slowest dimension
// outside.
type Array struct {
	Elem                Type
	Length, Start, Used int64
	layout
}

// Record is a set of named members at known offsets: a `record`, or a `struct`
// laid out by C's rules.
type Record struct {
	Name    string // of the user type that declares it, if any
	Struct  bool
	Members []Member
	layout
}

// Tuple is a list of members accessed by position; some may have names as well.
type Tuple struct {
	Name     string
	Elements []Member
	layout
}

// Member is a part of a Record or Tuple.
type Member struct {
	Name   string // may be empty in a tuple
	Offset int64
	Type   Type
}

// Pointer is the address of a value of type Elem, which may be the type that contains the
// pointer.
type Pointer struct {
	Elem Type
	Back string // the user type that contains the pointer, if the pointer leads back to it
	layout
}

func (s *Scalar) with(a []Attribute) Type  { c := *s; c.attrs = a; return &c }
func (a *Array) with(l []Attribute) Type   { c := *a; c.attrs = l; return &c }
func (r *Record) with(a []Attribute) Type  { c := *r; c.attrs = a; return &c }
func (t *Tuple) with(a []Attribute) Type   { c := *t; c.attrs = a; return &c }
func (p *Pointer) with(a []Attribute) Type { c := *p; c.attrs = a; return &c }

func newArray(elem Type, length, start, used int64) Array {
	size, ok := product(length, elem.Size())
	ok = ok && elem.fits() && start >= 0 && used >= 0 && start <= length-used
	return Array{Elem: elem, Length: length, Start: start, Used: used, layout: layout{
		size: size, data: used * elem.DataSize(), align: elem.Align(),
		dense: length == used && elem.Dense(), unsound: !ok, parts: 1 + elem.partCount(),
	}}
}

// newMembers computes the common layout of records and tuples: the sum of their members.
// A member may be followed by a hole for alignment, and the type still counts as dense.
func newMembers(members []Member, size int64) layout {
	l := layout{size: size, align: 1, dense: true, parts: 1}
	var end int64
	for i := range members {
		t := members[i].Type
		l.data += t.DataSize()
		l.align = max(l.align, t.Align())
		l.parts += t.partCount()
		end = roundUp(end, t.Align())
		if !t.Dense() || uint64(members[i].Offset) > uint64(end) {
			l.dense = false
		}
		end += t.Size()
		if at := members[i].Offset; !t.fits() || at < 0 || t.Size() > size || at > size-t.Size() {
			l.unsound = true
		}
	}
	if uint64(size) > max(1, uint64(roundUp(end, l.align))) { // an empty type may have one byte, to have an address
		l.dense = false
	}
	return l
}

func newPointer(m *Machine, elem Type) *Pointer {
	return &Pointer{Elem: elem, layout: layout{
		size: m.Pointer, data: m.Pointer, align: align(&m.IntAlign, m.Pointer), dense: true, parts: 1,
	}}
}

// pack lays members out one after the other as C does, and returns the size.
func pack(members []Member) int64 {
	end, widest := int64(0), int64(1)
	for i := range members {
		t := members[i].Type
		members[i].Offset = roundUp(end, t.Align())
		end = members[i].Offset + t.Size()
		widest = max(widest, t.Align())
	}
	return roundUp(end, widest)
}

func roundUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }

func powerOfTwo(n int64) bool { return n > 0 && n&(n-1) == 0 }

// product multiplies two sizes and reports whether the result is a valid size.
func product(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), a >= 0 && b >= 0 && hi == 0 && int64(lo) >= 0
}

func (a *Array) String() string {
	var dims strings.Builder
	t := Type(a)
	for {
		d, ok := t.(*Array)
		if !ok {
			break
		}
		if d.Used == d.Length {
			fmt.Fprintf(&dims, "[%d]", d.Length)
		} else {
			fmt.Fprintf(&dims, "[%d..%d of %d]", d.Start, d.Start+d.Used, d.Length)
		}
		t = d.Elem
	}
	return "array " + t.String() + " " + dims.String()
}

func (r *Record) String() string {
	word := "record"
	if r.Struct {
		word = "struct"
	}
	return joinWords(word, r.Name)
}

func (t *Tuple) String() string { return joinWords("tuple", t.Name) }

func (p *Pointer) String() string {
	if p.Back != "" {
		return "pointer to " + p.Back
	}
	return "pointer to " + p.Elem.String()
}

func joinWords(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}

// Equal reports whether two types have the same layout and meaning. Names and attributes
// do not matter.
func Equal(a, b Type) bool { return equal(a, b, nil) }

// equal follows each pair of pointers only once: a pair that is being compared counts as equal.
func equal(a, b Type, inside [][2]*Pointer) bool {
	switch a := a.(type) {
	case *Scalar:
		b, ok := b.(*Scalar)
		return ok && a.Kind == b.Kind && a.size == b.size && a.align == b.align
	case *Array:
		b, ok := b.(*Array)
		return ok && a.Length == b.Length && a.Start == b.Start && a.Used == b.Used && equal(a.Elem, b.Elem, inside)
	case *Record:
		b, ok := b.(*Record)
		return ok && a.size == b.size && equalMembers(a.Members, b.Members, true, inside)
	case *Tuple:
		b, ok := b.(*Tuple)
		return ok && a.size == b.size && equalMembers(a.Elements, b.Elements, false, inside)
	case *Pointer:
		b, ok := b.(*Pointer)
		if !ok || a.size != b.size {
			return false
		}
		pair := [2]*Pointer{a, b}
		for _, p := range inside {
			if p == pair {
				return true
			}
		}
		return equal(a.Elem, b.Elem, append(inside, pair))
	}
	return a == nil && b == nil
}

func equalMembers(a, b []Member, named bool, inside [][2]*Pointer) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if named && a[i].Name != b[i].Name || a[i].Offset != b[i].Offset || !equal(a[i].Type, b[i].Type, inside) {
			return false
		}
	}
	return true
}

// Sound reports whether every part of a type lies inside its buffer. Types of the
// Documented dialect always do; upstream accepts others.
func Sound(t Type) bool { return t.fits() }
