package expr

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

var (
	posInf = math.Inf(1)
	posNaN = math.Float64frombits(0x7ff8000000000000)
	// negNaN is the result of 0/0 on x86; printing shows its sign.
	negNaN = math.Float64frombits(0xfff8000000000000)
)

// A Value is a number with its kind. Signed integers are kept sign-extended, unsigned
// ones zero-extended, and floats as float64.
type Value struct {
	bits uint64
	kind Kind
}

// Int returns v as an int64 value, and Float returns f as a float64 value.
func Int(v int64) Value     { return Value{uint64(v), Int64} }
func Float(f float64) Value { return Value{math.Float64bits(f), Float64} }

func truth(b bool) Value {
	if b {
		return Value{1, Uint8}
	}
	return Value{0, Uint8}
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

func (v Value) float() float64 { return math.Float64frombits(v.bits) }

// Double returns v converted to a float64.
func (v Value) Double() float64 {
	switch {
	case v.kind.Float():
		return v.float()
	case v.kind == Uint64:
		return float64(v.bits)
	}
	return float64(int64(v.bits))
}

// long converts v as a C cast on x86-64 does. exact is false if the value does not fit an
// int64; a fraction that is cut off still fits.
func (v Value) long() (l int64, exact bool) {
	switch {
	case v.kind.Float():
		f := v.float()
		if f >= -1<<63 && f < 1<<63 {
			return int64(f), true
		}
		return math.MinInt64, false
	case v.kind == Uint64:
		return int64(v.bits), int64(v.bits) >= 0
	}
	return int64(v.bits), true
}

func (v Value) zero() bool {
	if v.kind.Float() {
		return v.float() == 0
	}
	return v.bits == 0
}

// convert returns v as a number of kind k, as a C cast does.
func (v Value) convert(k Kind) Value {
	switch {
	case k == Float64:
		return Float(v.Double())
	case k == Float32 && v.kind.Float():
		return Value{math.Float64bits(float64(float32(v.float()))), Float32}
	case k == Float32 && v.kind == Uint64:
		return Value{math.Float64bits(float64(float32(v.bits))), Float32}
	case k == Float32:
		return Value{math.Float64bits(float64(float32(int64(v.bits)))), Float32}
	}
	u := v.bits
	if v.kind.Float() {
		u = truncate(v.float(), k)
	}
	return Value{narrow(u, k), k}
}

// truncate converts f to integer kind k. A value that does not fit gives the same result
// as on x86-64: the narrow kinds are cut from an int32, and uint32 from an int64.
func truncate(f float64, k Kind) uint64 {
	switch {
	case k == Uint64 && f >= 1<<64:
		return 0
	case k == Uint64 && f >= 1<<63:
		return uint64(f)
	case k != Uint64 && k != Int64 && k != Uint32 && !(f > -1<<31-1 && f < 1<<31):
		return 1 << 31
	}
	l, _ := Float(f).long()
	return uint64(l)
}

// narrow cuts u to the width of integer kind k and extends it again.
func narrow(u uint64, k Kind) uint64 {
	switch k {
	case Int8:
		return uint64(int64(int8(u)))
	case Int16:
		return uint64(int64(int16(u)))
	case Int32:
		return uint64(int64(int32(u)))
	case Uint8:
		return uint64(uint8(u))
	case Uint16:
		return uint64(uint16(u))
	case Uint32:
		return uint64(uint32(u))
	}
	return u
}

// Number returns the number in d; ok is false if d is not a number.
func (d *Datum) Number() (v Value, ok bool) {
	if d.Type == nil {
		return Value{}, false
	}
	b := d.Bytes
	if d.Big {
		return d.bigNumber()
	}
	switch d.Type.Kind {
	case Int8:
		if len(b) >= 1 {
			return Value{uint64(int64(int8(b[0]))), Int8}, true
		}
	case Uint8:
		if len(b) >= 1 {
			return Value{uint64(b[0]), Uint8}, true
		}
	case Int16:
		if len(b) >= 2 {
			return Value{uint64(int64(int16(binary.LittleEndian.Uint16(b)))), Int16}, true
		}
	case Uint16:
		if len(b) >= 2 {
			return Value{uint64(binary.LittleEndian.Uint16(b)), Uint16}, true
		}
	case Int32:
		if len(b) >= 4 {
			return Value{uint64(int64(int32(binary.LittleEndian.Uint32(b)))), Int32}, true
		}
	case Uint32:
		if len(b) >= 4 {
			return Value{uint64(binary.LittleEndian.Uint32(b)), Uint32}, true
		}
	case Float32:
		if len(b) >= 4 {
			return Value{math.Float64bits(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), Float32}, true
		}
	case Int64, Uint64, Float64:
		if len(b) >= 8 {
			return Value{binary.LittleEndian.Uint64(b), d.Type.Kind}, true
		}
	}
	return Value{}, false
}

// int32 is Number for int32, the kind of nearly every size and counter. It is small
// enough to be inlined.
func (d *Datum) int32() (v Value, ok bool) {
	if d.Type == nil || d.Type.Kind != Int32 || d.Big || len(d.Bytes) < 4 {
		return Value{}, false
	}
	return Value{uint64(int64(int32(binary.LittleEndian.Uint32(d.Bytes)))), Int32}, true
}

// bigNumber reads a number whose bytes are in big-endian order.
func (d *Datum) bigNumber() (Value, bool) {
	k := d.Type.Kind
	if !k.Number() || len(d.Bytes) < kindSizes[k] {
		return Value{}, false
	}
	var turned [8]byte
	for i, n := 0, kindSizes[k]; i < n; i++ {
		turned[i] = d.Bytes[n-1-i]
	}
	return (&Datum{Type: d.Type, Bytes: turned[:]}).Number()
}

// put writes v in its own kind to the start of b.
func (v Value) put(b []byte, big bool) {
	u := v.bits
	if v.kind == Float32 {
		u = uint64(math.Float32bits(float32(v.float())))
	}
	n := kindSizes[v.kind]
	if big {
		u = bits.ReverseBytes64(u) >> (64 - 8*n)
	}
	switch n {
	case 1:
		b[0] = byte(u)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(u))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(u))
	case 8:
		binary.LittleEndian.PutUint64(b, u)
	}
}

// appendText appends v as text: integral values as integers, others with the 17 digits
// that identify a float64. Upstream converts every kind to long or double, so its
// unsigned numbers above the range of long look like floats; the documented dialect
// prints the number in the datum's type.
func (v Value) appendText(dst []byte, d Dialect) []byte {
	if v.kind == Uint64 && d == Documented {
		return strconv.AppendUint(dst, v.bits, 10)
	}
	l, _ := v.long()
	if f := v.Double(); float64(l) != f {
		return appendC17g(dst, f)
	}
	return strconv.AppendInt(dst, l, 10)
}

func (v Value) String() string { return string(v.appendText(nil, Documented)) }

// appendC17g appends f as C's "%.17g" does.
func appendC17g(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return append(dst, "-nan"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	return strconv.AppendFloat(dst, f, 'g', 17, 64)
}
