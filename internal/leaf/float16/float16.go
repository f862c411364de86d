// Package float16 converts 16-bit numbers of IEEE 754, for which Go has no type: one sign bit, 5 exponent bits, 10 fraction bits.
package float16

import "math"

// Float returns the number with these bits.
func Float(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		f = math.Inf(1)
		if fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		f = -f
	}
	return f
}

// Bits returns the bits of the nearest number, ties to even; too large numbers become infinite.
func Bits(x float64) uint16 {
	sign := uint16(math.Float64bits(x) >> 48 & 0x8000)
	x = math.Abs(x)
	switch {
	case x != x:
		return sign | 0x7e00
	case x >= 65520:
		return sign | 0x7c00
	case x < 1.0/(1<<14): // subnormal
		return sign | uint16(math.RoundToEven(x*(1<<24)))
	}
	b := math.Float64bits(x)
	exp := int(b>>52) - 1023
	man := b & (1<<52 - 1)
	half := uint64(exp+15)<<10 | man>>42
	rest := man & (1<<42 - 1)
	if rest > 1<<41 || rest == 1<<41 && half&1 == 1 {
		half++
	}
	return sign | uint16(half)
}
