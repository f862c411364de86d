package hdf5

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pentode-dev/pentode/core/float16"
)

func (t Type) numeric() bool {
	switch t.Class {
	case Integer, Bitfield, Float, Enum:
		return true
	}
	return false
}

// number is the type that an enum's values have.
func (t Type) number() Type {
	if t.Class == Enum {
		return *t.Base
	}
	return t
}

func (t Type) plain() bool { return t.precision() == 8*t.Size }

// value is a number on its way between two types: one of the three is set.
type value struct {
	kind uint8
	i    int64
	u    uint64
	f    float64
}

const (
	signed = iota
	unsigned
	floating
)

func compileNumber(from, to Type) (converter, error) {
	c := converter{from: from.Size, to: to.Size}
	alike := from.Size == to.Size && from.Signed == to.Signed && (from.Class == Float) == (to.Class == Float) &&
		from.plain() && to.plain() && (from.Class != Float || from.format() == to.format())
	if alike && from.Order == to.Order {
		return copyOf(from.Size), nil
	}
	if alike {
		c.run = swapper(from.Size)
		return c, nil
	}
	if from.Size > 16 || to.Size > 8 || to.Format != nil {
		return c, fmt.Errorf("%s cannot become %s", from, to)
	}
	load, store := loader(from), storer(to)
	if load == nil {
		return c, fmt.Errorf("%s cannot become %s", from, to)
	}
	c.run = func(dst, src []byte, n int) {
		for range n {
			store(dst, load(src))
			dst, src = dst[to.Size:], src[from.Size:]
		}
	}
	return c, nil
}

// swapper turns the byte order of elements.
func swapper(size int) func(dst, src []byte, n int) {
	switch size {
	case 2:
		return func(dst, src []byte, n int) {
			for i := 0; i < 2*n; i += 2 {
				binary.LittleEndian.PutUint16(dst[i:], binary.BigEndian.Uint16(src[i:]))
			}
		}
	case 4:
		return func(dst, src []byte, n int) {
			for i := 0; i < 4*n; i += 4 {
				binary.LittleEndian.PutUint32(dst[i:], binary.BigEndian.Uint32(src[i:]))
			}
		}
	case 8:
		return func(dst, src []byte, n int) {
			for i := 0; i < 8*n; i += 8 {
				binary.LittleEndian.PutUint64(dst[i:], binary.BigEndian.Uint64(src[i:]))
			}
		}
	}
	return func(dst, src []byte, n int) {
		for range n {
			for i := range size {
				dst[i] = src[size-1-i]
			}
			dst, src = dst[size:], src[size:]
		}
	}
}

func loadBits(p []byte, size int, order Order) uint64 {
	var v uint64
	for i := range size {
		if order == BigEndian {
			v = v<<8 | uint64(p[i])
		} else {
			v |= uint64(p[i]) << (8 * i)
		}
	}
	return v
}

func storeBits(p []byte, size int, order Order, v uint64) {
	for i := range size {
		if order == BigEndian {
			p[size-1-i] = byte(v)
		} else {
			p[i] = byte(v)
		}
		v >>= 8
	}
}

// loader gives what reads a number; nil where the type is too wide.
func loader(t Type) func([]byte) value {
	if t.Class == Float {
		return floatLoader(t)
	}
	if t.Size > 8 {
		return nil
	}
	size, order, shift := t.Size, t.Order, t.BitOffset
	spare := 64 - t.precision()
	if t.Signed {
		return func(p []byte) value {
			return value{kind: signed, i: int64(loadBits(p, size, order)>>shift<<spare) >> spare}
		}
	}
	return func(p []byte) value {
		return value{kind: unsigned, u: loadBits(p, size, order) >> shift << spare >> spare}
	}
}

func floatLoader(t Type) func([]byte) value {
	order := t.Order
	switch f := t.format(); {
	case f == ieeeDouble && t.Size == 8:
		return func(p []byte) value {
			return value{kind: floating, f: math.Float64frombits(loadBits(p, 8, order))}
		}
	case f == ieeeSingle && t.Size == 4:
		return func(p []byte) value {
			return value{kind: floating, f: float64(math.Float32frombits(uint32(loadBits(p, 4, order))))}
		}
	case f.ManSize > 64 || f.ExpSize > 16 || t.Size > 16:
		return nil
	default:
		return func(p []byte) value { return value{kind: floating, f: f.decode(p[:t.Size], order)} }
	}
}

// decode reads a float of any format with at most 64 bits of mantissa.
func (f FloatFormat) decode(p []byte, order Order) float64 {
	var wide [16]byte
	for i := range p {
		if order == BigEndian {
			wide[i] = p[len(p)-1-i]
		} else {
			wide[i] = p[i]
		}
	}
	lo, hi := binary.LittleEndian.Uint64(wide[:]), binary.LittleEndian.Uint64(wide[8:])
	field := func(pos, size uint8) uint64 {
		v := lo>>pos | hi<<(64-uint(pos))
		if pos >= 64 {
			v = hi >> (pos - 64)
		}
		if size < 64 {
			v &= 1<<size - 1
		}
		return v
	}
	man, exp := field(f.ManPos, f.ManSize), field(f.ExpPos, f.ExpSize)
	var x float64
	switch top := uint64(1)<<f.ExpSize - 1; {
	case exp == top && (man == 0 || !f.Implied && man<<(65-f.ManSize) == 0):
		x = math.Inf(1)
	case exp == top:
		return math.NaN()
	default:
		scale := int(exp) - int(f.Bias) - int(f.ManSize)
		if !f.Implied {
			scale++
		} else if exp == 0 {
			scale++
		}
		x = math.Ldexp(float64(man), scale)
		if f.Implied && exp != 0 {
			x += math.Ldexp(1, int(exp)-int(f.Bias))
		}
	}
	if field(f.Sign, 1) == 1 {
		return -x
	}
	return x
}

// storer gives what writes a number, taking the nearest one the type can hold.
func storer(t Type) func([]byte, value) {
	size, order := t.Size, t.Order
	if t.Class == Float {
		return func(p []byte, v value) {
			x := v.float()
			switch size {
			case 2:
				storeBits(p, 2, order, uint64(float16.Bits(x)))
			case 4:
				storeBits(p, 4, order, uint64(math.Float32bits(float32(x))))
			default:
				storeBits(p, 8, order, math.Float64bits(x))
			}
		}
	}
	shift, width := t.BitOffset, t.precision()
	mask := ^uint64(0) >> (64 - width) << shift
	if t.Signed {
		limit := int64(1)<<(width-1) - 1
		return func(p []byte, v value) { storeBits(p, size, order, uint64(v.int(limit))<<shift&mask) }
	}
	limit := ^uint64(0) >> (64 - width)
	return func(p []byte, v value) { storeBits(p, size, order, v.uint(limit)<<shift&mask) }
}

func (v value) float() float64 {
	switch v.kind {
	case signed:
		return float64(v.i)
	case unsigned:
		return float64(v.u)
	}
	return v.f
}

func (v value) int(limit int64) int64 {
	switch v.kind {
	case signed:
		return max(-limit-1, min(limit, v.i))
	case unsigned:
		return int64(min(uint64(limit), v.u))
	}
	switch {
	case v.f != v.f:
		return 0
	case v.f >= float64(limit):
		return limit
	case v.f <= float64(-limit-1):
		return -limit - 1
	}
	return int64(v.f)
}

func (v value) uint(limit uint64) uint64 {
	switch v.kind {
	case signed:
		return min(limit, uint64(max(0, v.i)))
	case unsigned:
		return min(limit, v.u)
	}
	switch {
	case !(v.f > 0):
		return 0
	case v.f >= float64(limit):
		return limit
	}
	return uint64(v.f)
}
