// Package tensor has the arrays that flow through pipelines: numbers of one kind with any
// number of axes.
//
//	solver, numpy, JSON of a program, data store ──▶ Tensor ──▶ picture, statistics, file
//
// All arrays have the same form, whoever made them: no gaps between elements, and the
// last axis varies fastest. Data in another order is converted when it is copied into the
// program. From then on, an array is passed from process to process without being copied,
// so it must not be changed after it was pushed. An image is an array of height, width
// and channels.
package tensor

import (
	"fmt"
	"strings"
)

// A Kind is the type of an array's elements. It is the letter that Python's modules array
// and struct, and numpy, use for the type.
type Kind byte

// All kinds. Numbers in memory are little-endian.
const (
	Bool    Kind = '?'
	Int8    Kind = 'b'
	Uint8   Kind = 'B'
	Int16   Kind = 'h'
	Uint16  Kind = 'H'
	Int32   Kind = 'i'
	Uint32  Kind = 'I'
	Int64   Kind = 'q'
	Uint64  Kind = 'Q'
	Float16 Kind = 'e'
	Float32 Kind = 'f'
	Float64 Kind = 'd'
)

// Size returns the bytes of one element, or 0 for an unknown kind.
func (k Kind) Size() int {
	switch k {
	case Bool, Int8, Uint8:
		return 1
	case Int16, Uint16, Float16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Int64, Uint64, Float64:
		return 8
	}
	return 0
}

// String returns numpy's name for the kind.
func (k Kind) String() string {
	switch k {
	case Bool:
		return "bool"
	case Int8:
		return "int8"
	case Uint8:
		return "uint8"
	case Int16:
		return "int16"
	case Uint16:
		return "uint16"
	case Int32:
		return "int32"
	case Uint32:
		return "uint32"
	case Int64:
		return "int64"
	case Uint64:
		return "uint64"
	case Float16:
		return "float16"
	case Float32:
		return "float32"
	case Float64:
		return "float64"
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// KindOf returns the kind with a name, or 0 if there is none.
func KindOf(name string) Kind {
	for _, k := range []Kind{Bool, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64} {
		if k.String() == name {
			return k
		}
	}
	return 0
}

// IsFloat reports whether the kind is a floating-point kind.
func (k Kind) IsFloat() bool { return k == Float16 || k == Float32 || k == Float64 }

// MaxAxes is the largest number of axes of an array, and MaxBytes the largest number of
// bytes of its elements.
const (
	MaxAxes  = 32
	MaxBytes = 1 << 30
)

// A Tensor is an array whose elements follow each other without gaps, with the last axis
// varying fastest.
type Tensor struct {
	Kind  Kind
	Shape []int
	Data  []byte
}

// New returns an array of zeros.
func New(kind Kind, shape ...int) *Tensor {
	size := kind.Size()
	for _, n := range shape {
		size *= n
	}
	return &Tensor{Kind: kind, Shape: shape, Data: make([]byte, size)}
}

// Count returns the number of elements.
func (t *Tensor) Count() int {
	if n := t.Kind.Size(); n > 0 {
		return len(t.Data) / n
	}
	return 0
}

// String describes the array: `an array of 3 × 4 float32`.
func (t *Tensor) String() string {
	if len(t.Shape) == 0 {
		return "an array of one " + t.Kind.String()
	}
	return "an array of " + Extents(t.Shape) + " " + t.Kind.String()
}

// Extents formats a shape for people: `3 × 4`. An extent below 0 is unknown: `3 × ?`.
func Extents[N int | int64](shape []N) string {
	words := make([]string, len(shape))
	for i, n := range shape {
		if words[i] = "?"; n >= 0 {
			words[i] = fmt.Sprint(n)
		}
	}
	return strings.Join(words, " × ")
}

// Channel returns one channel of an image, which has the axes height, width and channel.
// The result has the axes height and width.
func (t *Tensor) Channel(c int) *Tensor {
	size, step := t.Kind.Size(), t.Shape[2]*t.Kind.Size()
	one := New(t.Kind, t.Shape[0], t.Shape[1])
	from := t.Data[c*size:]
	for i := 0; i < len(one.Data); i += size {
		copy(one.Data[i:i+size], from)
		from = from[min(step, len(from)):]
	}
	return one
}
