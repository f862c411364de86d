package data

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/pentode-dev/pentode/core/float16"
)

// Number returns the value of a scalar: an int64, uint64, float32 or float64, a *big.Int
// for integers of 16 bytes and more, or the bytes themselves where they have no
// value. b must hold the scalar.
func (m *Machine) Number(s *Scalar, b []byte) any {
	b = b[:s.size]
	switch s.Kind {
	case Signed:
		if s.size > 8 {
			return m.bigInt(b, true)
		}
		shift := 64 - 8*uint(s.size)
		return int64(m.bits(b)<<shift) >> shift
	case Unsigned:
		if s.size > 8 {
			return m.bigInt(b, false)
		}
		return m.bits(b)
	case Float:
		switch s.size {
		case 2:
			return float32(float16.Float(uint16(m.bits(b))))
		case 4:
			return math.Float32frombits(uint32(m.bits(b)))
		case 8:
			return math.Float64frombits(m.bits(b))
		case 16:
			hi, lo := m.bits(b[8:]), m.bits(b[:8])
			if m.BigEndian {
				hi, lo = lo, hi
			}
			return quad(hi, lo)
		}
	}
	return b
}

// bits reads up to eight bytes in the machine's order.
func (m *Machine) bits(b []byte) uint64 {
	var w [8]byte
	if m.BigEndian {
		copy(w[8-len(b):], b)
		return binary.BigEndian.Uint64(w[:])
	}
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:])
}

// PutInteger writes the low bytes of v as an integer scalar.
func (m *Machine) PutInteger(s *Scalar, b []byte, v uint64) {
	for i := range b[:min(s.size, 8)] {
		at := i
		if m.BigEndian {
			at = int(s.size) - 1 - i
		}
		b[at] = byte(v >> (8 * i))
	}
}

func (m *Machine) bigInt(b []byte, signed bool) *big.Int {
	big1 := make([]byte, len(b))
	for i := range b {
		if m.BigEndian {
			big1[i] = b[i]
		} else {
			big1[len(b)-1-i] = b[i]
		}
	}
	n := new(big.Int).SetBytes(big1)
	if signed && big1[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// quad converts an IEEE 754 binary128, keeping the upper bits of its fraction.
func quad(hi, lo uint64) float64 {
	exponent := int(hi >> 48 & 0x7fff)
	fraction := hi<<16>>12 | lo>>60 // 48 + 4 of 112 bits
	var f float64
	switch exponent {
	case 0:
		f = 0
	case 0x7fff:
		f = math.Inf(1)
		if fraction != 0 || lo != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(float64(fraction|1<<52), exponent-16383-52)
	}
	if hi>>63 != 0 {
		f = -f
	}
	return f
}
