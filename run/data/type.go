package data

import (
	"fmt"
	"math/bits"
	"strings"
)

// Type is the layout and the meaning of a piece of memory on one machine: a *Scalar, *Array,
// *Record, *Tuple or *Pointer. Types are immutable.
//
// In the Documented dialect, sizes are never negative or too large. The original program
// computes sizes modulo 2⁶⁴ without checks, and so does its dialect here: converted to uint64,
// the sizes are those that the original program reports.
type Type interface {
	Size() int64     // number of bytes in memory, including holes
	DataSize() int64 // number of bytes in use
	Align() int64    // a power of two
	Dense() bool     // there are no unused bytes except holes for alignment
	Attributes() []Attribute
	String() string

	with([]Attribute) Type
	partCount() int
	fits() bool
}

// Attribute is a key `+name` of a type, with any value. Plugins read attributes.
type Attribute struct {
	Name  string // without the `+`
	Value *Value
}

// maxParts limits the total number of members in a type, at all levels. Without it, a short
// declaration that repeats its parts could describe a type that takes forever to walk.
const maxParts = 1 << 20

// layout has the properties that all types have.
type layout struct {
	size, data, align int64
	dense             bool
	unsound           bool // a part of the type lies outside its buffer, which is possible only in upstream's dialect
	parts             int
	attrs             []Attribute `fingerprint:"set"`
}

func (l *layout) Size() int64             { return l.size }
func (l *layout) DataSize() int64         { return l.data }
func (l *layout) Align() int64            { return l.align }
func (l *layout) Dense() bool             { return l.dense }
func (l *layout) Attributes() []Attribute { return l.attrs }
func (l *layout) partCount() int          { return l.parts }

// fits reports whether all parts of a type lie inside its buffer. Memory of the type may be
// accessed only if they do.
func (l *layout) fits() bool { return !l.unsound }

// Array is a sequence of equal elements. Only Used elements, from Start on, are in use. An
// array of several dimensions is an array of arrays; the outermost one is the dimension that
// varies slowest.
type Array struct {
	Elem                Type
	Length, Start, Used int64
	layout
}

// Record is a set of named members, each at an offset. It is declared as a `record`, or as a
// `struct`, whose offsets follow C's rules.
type Record struct {
	Name    string // the name of the user type, or "" if the type is declared without a name
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
	Name   string // may be empty if the member belongs to a tuple
	Offset int64
	Type   Type
}

// Pointer is the address of a value of type Elem, which may be the type that contains the
// pointer.
type Pointer struct {
	Elem Type
	Back string // if the pointer points to a type that contains it: the name of that type
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

// newMembers computes the layout of a record or tuple from its members. A hole that alignment
// requires does not make the type count as not dense.
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
	if uint64(size) > max(1, uint64(roundUp(end, l.align))) { // the byte that an empty type has for its address does not count as unused
		l.dense = false
	}
	return l
}

func newPointer(m *Machine, elem Type) *Pointer {
	return &Pointer{Elem: elem, layout: layout{
		size: m.Pointer, data: m.Pointer, align: align(&m.IntAlign, m.Pointer), dense: true, parts: 1,
	}}
}

// pack sets the offsets of members as C does, and returns the size of the struct.
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

// product multiplies two sizes. The result is false if the product is not a valid size.
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

// equal compares two types. Pairs of pointers whose comparison has begun are in inside and
// count as equal, so that recursive types end.
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
