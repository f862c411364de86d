package expr

import (
	"bytes"
	"math"
	"strconv"
)

// appendFloat formats x, a float of the given number of bits.
func (f *formatSpec) appendFloat(dst []byte, x float64, bits int) ([]byte, *Error) {
	lower := f.typ | 0x20
	if f.typ != 0 && lower != 'a' && (lower < 'e' || lower > 'g') {
		return dst, f.mismatch("`%c` does not format a float, the value is %v", f.typ, Float(x))
	}
	upper := f.typ != 0 && f.typ < 'a'
	start := len(dst)
	dst = f.appendSign(dst, math.Signbit(x))
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return f.appendNonFinite(dst, start, math.IsNaN(x), upper), nil
	}
	x = math.Abs(x)
	digits := len(dst) // behind the sign
	switch {
	case lower == 'a':
		dst = f.appendHex(dst, x, upper)
	case lower == 'f':
		dst = strconv.AppendFloat(dst, x, 'f', f.precisionOr(6), 64)
		if f.alt && f.precision == 0 {
			dst = append(dst, '.')
		}
	case lower == 'e':
		var scratch [32]byte
		dst = f.appendExponent(dst, strconv.AppendFloat(scratch[:0], x, 'e', f.precisionOr(6), 64), upper)
	default:
		dst = f.appendGeneral(dst, x, bits, upper)
	}
	if f.align == '=' {
		return f.pad(dst, digits, len(dst)-start, '='), nil
	}
	return f.pad(dst, start, len(dst)-start, '>'), nil
}

func (f *formatSpec) precisionOr(n int) int {
	if f.precision >= 0 {
		return f.precision
	}
	return n
}

// appendNonFinite finishes inf and nan, which are never padded with zeros.
func (f *formatSpec) appendNonFinite(dst []byte, start int, nan, upper bool) []byte {
	word := "inf"
	switch {
	case nan && upper:
		word = "NAN"
	case nan:
		word = "nan"
	case upper:
		word = "INF"
	}
	dst = append(dst, word...)
	g := *f
	if g.fill == "0" {
		g.fill = " "
	}
	return g.pad(dst, start, len(dst)-start, '<')
}

// appendExponent appends sci, "d.ddde±dd", with the point that `#` demands.
func (f *formatSpec) appendExponent(dst, sci []byte, upper bool) []byte {
	e := bytes.IndexByte(sci, 'e')
	dst = append(dst, sci[:e]...)
	if f.alt && e == 1 {
		dst = append(dst, '.')
	}
	if upper {
		dst = append(dst, 'E')
	} else {
		dst = append(dst, 'e')
	}
	return append(dst, sci[e+1:]...)
}

// appendGeneral appends x as `g` does, or without a type: fixed or with an
// exponent, by size. Without a type and precision, the digits are the fewest
// that give x back.
func (f *formatSpec) appendGeneral(dst []byte, x float64, bits int, upper bool) []byte {
	prec, limit := f.precision, f.precision
	switch {
	case prec == 0:
		prec, limit = 1, 1
	case prec < 0 && f.typ != 0:
		prec, limit = 6, 6
	case prec < 0 && bits == 32:
		limit = 7
	case prec < 0:
		limit = 16
	}
	if prec > 0 {
		bits = 64
		prec-- // behind the point
	}
	var scratch [64]byte
	sci := strconv.AppendFloat(scratch[:0], x, 'e', prec, bits)
	e := bytes.IndexByte(sci, 'e')
	exp, _ := strconv.Atoi(string(sci[e+1:]))
	digits := sci[:1]
	if e > 1 {
		copy(sci[1:], sci[2:e]) // close the gap of the point
		digits = sci[:e-1]
	}
	if !f.alt {
		digits = bytes.TrimRight(digits[1:], "0")
		digits = sci[:1+len(digits)]
	}
	point := func() {
		if f.alt {
			dst = append(dst, '.')
		}
	}
	switch {
	case exp < -4 || exp >= limit:
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(dst, '.')
			dst = append(dst, digits[1:]...)
		} else {
			point()
		}
		if upper {
			dst = append(dst, 'E')
		} else {
			dst = append(dst, 'e')
		}
		if exp < 0 {
			dst, exp = append(dst, '-'), -exp
		} else {
			dst = append(dst, '+')
		}
		if exp < 10 {
			dst = append(dst, '0')
		}
		return strconv.AppendInt(dst, int64(exp), 10)
	case exp < 0:
		dst = append(dst, "0."...)
		for range -exp - 1 {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	case len(digits) > exp+1:
		dst = append(dst, digits[:exp+1]...)
		dst = append(dst, '.')
		return append(dst, digits[exp+1:]...)
	}
	dst = append(dst, digits...)
	for range exp + 1 - len(digits) {
		dst = append(dst, '0')
	}
	point()
	return dst
}

// appendHex appends x as `a` does: like Go's %x, but with as few digits in
// the exponent as it has.
func (f *formatSpec) appendHex(dst []byte, x float64, upper bool) []byte {
	format, p := byte('x'), byte('p')
	if upper {
		format, p = 'X', 'P'
	}
	var scratch [40]byte
	hex := strconv.AppendFloat(scratch[:0], x, format, f.precision, 64)
	e := bytes.IndexByte(hex, p)
	dst = append(dst, hex[:e]...)
	if f.alt && e == 3 { // 0x1
		dst = append(dst, '.')
	}
	dst = append(dst, hex[e:e+2]...)
	exp := bytes.TrimLeft(hex[e+2:], "0")
	if len(exp) == 0 {
		exp = hex[len(hex)-1:]
	}
	return append(dst, exp...)
}
