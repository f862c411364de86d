package tensor

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/pentode-dev/pentode/internal/leaf/float16"
)

// Floats fills dst with the elements from index i on. Integers above 2⁵³ are rounded.
func (t *Tensor) Floats(dst []float64, i int) {
	p := t.Data[i*t.Kind.Size():]
	switch t.Kind {
	case Bool, Uint8:
		for j := range dst {
			dst[j] = float64(p[j])
		}
	case Int8:
		for j := range dst {
			dst[j] = float64(int8(p[j]))
		}
	case Int16:
		for j := range dst {
			dst[j] = float64(int16(binary.LittleEndian.Uint16(p[2*j:])))
		}
	case Uint16:
		for j := range dst {
			dst[j] = float64(binary.LittleEndian.Uint16(p[2*j:]))
		}
	case Float16:
		for j := range dst {
			dst[j] = float16.Float(binary.LittleEndian.Uint16(p[2*j:]))
		}
	case Int32:
		for j := range dst {
			dst[j] = float64(int32(binary.LittleEndian.Uint32(p[4*j:])))
		}
	case Uint32:
		for j := range dst {
			dst[j] = float64(binary.LittleEndian.Uint32(p[4*j:]))
		}
	case Float32:
		for j := range dst {
			dst[j] = float64(math.Float32frombits(binary.LittleEndian.Uint32(p[4*j:])))
		}
	case Int64:
		for j := range dst {
			dst[j] = float64(int64(binary.LittleEndian.Uint64(p[8*j:])))
		}
	case Uint64:
		for j := range dst {
			dst[j] = float64(binary.LittleEndian.Uint64(p[8*j:]))
		}
	case Float64:
		for j := range dst {
			dst[j] = math.Float64frombits(binary.LittleEndian.Uint64(p[8*j:]))
		}
	}
}

// SetFloats writes numbers to the elements from index i on. In an array of integers, fractions
// are cut off, and a number outside the range of the kind becomes the nearest end of that
// range.
func (t *Tensor) SetFloats(i int, src []float64) {
	p := t.Data[i*t.Kind.Size():]
	switch t.Kind {
	case Float64:
		for j, v := range src {
			binary.LittleEndian.PutUint64(p[8*j:], math.Float64bits(v))
		}
	case Float32:
		for j, v := range src {
			binary.LittleEndian.PutUint32(p[4*j:], math.Float32bits(float32(v)))
		}
	case Float16:
		for j, v := range src {
			binary.LittleEndian.PutUint16(p[2*j:], float16.Bits(v))
		}
	default:
		for j, v := range src {
			t.SetInt(i+j, t.Kind.nearest(v))
		}
	}
}

// At returns the i-th element as a float64.
func (t *Tensor) At(i int) float64 {
	var one [1]float64
	t.Floats(one[:], i)
	return one[0]
}

// Int returns the i-th element of an array of integers. A Uint64 above the range of int64
// becomes negative: its bits are returned unchanged.
func (t *Tensor) Int(i int) int64 {
	p := t.Data[i*t.Kind.Size():]
	switch t.Kind {
	case Bool, Uint8:
		return int64(p[0])
	case Int8:
		return int64(int8(p[0]))
	case Int16:
		return int64(int16(binary.LittleEndian.Uint16(p)))
	case Uint16:
		return int64(binary.LittleEndian.Uint16(p))
	case Int32:
		return int64(int32(binary.LittleEndian.Uint32(p)))
	case Uint32:
		return int64(binary.LittleEndian.Uint32(p))
	}
	return int64(binary.LittleEndian.Uint64(p))
}

// SetInt writes the i-th element of an array of integers. If v does not fit, only its low bits
// are stored.
func (t *Tensor) SetInt(i int, v int64) {
	p := t.Data[i*t.Kind.Size():]
	switch t.Kind.Size() {
	case 1:
		p[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(p, uint32(v))
	default:
		binary.LittleEndian.PutUint64(p, uint64(v))
	}
}

// Range returns the smallest and the largest number of an integer kind.
func (k Kind) Range() (low, high float64) {
	switch bits := 8 * k.Size(); k {
	case Bool:
		return 0, 1
	case Uint8, Uint16, Uint32, Uint64:
		return 0, math.Ldexp(1, bits) - 1
	default:
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1
	}
}

// nearest returns the number of an integer kind that is nearest to v, as its bits. For NaN it
// returns 0.
func (k Kind) nearest(v float64) int64 {
	low, high := k.Range()
	switch {
	case math.IsNaN(v):
		return 0
	case v <= low:
		v = low
	case v >= high && k == Uint64:
		return -1
	case v >= high && k == Int64:
		return math.MaxInt64
	case v >= high:
		v = high
	}
	if k == Uint64 {
		return int64(uint64(v))
	}
	return int64(v)
}

// AppendText appends the i-th element with as many digits as are needed to read it back.
func (t *Tensor) AppendText(dst []byte, i int) []byte {
	switch t.Kind {
	case Uint64:
		return strconv.AppendUint(dst, uint64(t.Int(i)), 10)
	case Float16, Float32:
		return strconv.AppendFloat(dst, t.At(i), 'g', -1, 32)
	case Float64:
		return strconv.AppendFloat(dst, t.At(i), 'g', -1, 64)
	}
	return strconv.AppendInt(dst, t.Int(i), 10)
}
