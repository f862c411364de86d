// Package tensor is arrays of numbers with any number of dimensions, as they
// travel between a pipeline and programs that compute with them.
package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/pentode-dev/pentode/core/float16"
)

// A Kind is the type of an array's elements. Its letter is that of Python's
// array, struct and numpy.
type Kind byte

// The kinds that there are; all are little-endian.
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

// Size is the bytes of one element, 0 for a kind that does not exist.
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

// String is the name that numpy has for the kind.
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

// A Tensor is an array whose last dimension varies fastest, without gaps.
type Tensor struct {
	Kind  Kind
	Shape []int
	Data  []byte
}

// Count is the number of elements.
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
	dims := make([]string, len(t.Shape))
	for i, n := range t.Shape {
		dims[i] = fmt.Sprint(n)
	}
	return "an array of " + strings.Join(dims, " × ") + " " + t.Kind.String()
}

// At is the i-th element as a number.
func (t *Tensor) At(i int) float64 {
	p := t.Data[i*t.Kind.Size():]
	switch t.Kind {
	case Bool, Uint8:
		return float64(p[0])
	case Int8:
		return float64(int8(p[0]))
	case Int16:
		return float64(int16(binary.LittleEndian.Uint16(p)))
	case Uint16:
		return float64(binary.LittleEndian.Uint16(p))
	case Int32:
		return float64(int32(binary.LittleEndian.Uint32(p)))
	case Uint32:
		return float64(binary.LittleEndian.Uint32(p))
	case Int64:
		return float64(int64(binary.LittleEndian.Uint64(p)))
	case Uint64:
		return float64(binary.LittleEndian.Uint64(p))
	case Float16:
		return float16.Float(binary.LittleEndian.Uint16(p))
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(p))
	}
	return 0
}

// Numbers are all elements, so that processes which take lists of numbers
// take arrays too.
func (t *Tensor) Numbers() []float64 {
	list := make([]float64, t.Count())
	for i := range list {
		list[i] = t.At(i)
	}
	return list
}
