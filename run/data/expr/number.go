package expr

import (
	"strconv"
	"strings"
)

// scanInt reads the integer at the start of s as C's strtol does with base 0: a sign,
// then decimal, 0 octal or 0x hexadecimal. n is its length, or 0 if there is none; ok is
// false if the integer does not fit 64 bits.
func scanInt(s string) (v int64, n int, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	base, start := 10, i
	switch {
	case i+2 < len(s) && s[i] == '0' && (s[i+1]|0x20) == 'x' && hexDigit(s[i+2]):
		base, start = 16, i+2
	case i < len(s) && s[i] == '0':
		base = 8
	}
	end := start
	for end < len(s) && digitBelow(s[end], base) {
		end++
	}
	if end == start {
		return 0, 0, true
	}
	digits := s[start:end]
	if s[0] == '-' {
		digits = "-" + digits
	}
	v, err := strconv.ParseInt(digits, base, 64)
	return v, end, err == nil
}

func hexDigit(c byte) bool { return c-'0' < 10 || (c|0x20)-'a' < 6 }

func digitBelow(c byte, base int) bool {
	if base == 16 {
		return hexDigit(c)
	}
	return int(c)-'0' < base && c >= '0'
}

// scanFloat reads the number at the start of s as C's strtod does, but inf and nan only
// if words is set. marked reports whether the number has a dot or an exponent.
func scanFloat(s string, words bool) (v float64, n int, marked bool) {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	if words {
		if v, k := scanFloatWord(s[i:]); k > 0 {
			if s[0] == '-' {
				v = -v
			}
			return v, i + k, true
		}
	}
	base, exponent := 10, byte('e')
	if i+2 < len(s) && s[i] == '0' && (s[i+1]|0x20) == 'x' &&
		(hexDigit(s[i+2]) || s[i+2] == '.' && i+3 < len(s) && hexDigit(s[i+3])) {
		base, exponent, i = 16, 'p', i+2
	}
	digits := 0
	for ; i < len(s) && (digitBelow(s[i], base) || s[i] == '.' && !marked); i++ {
		if s[i] == '.' {
			marked = true
		} else {
			digits++
		}
	}
	if digits == 0 {
		return 0, 0, false
	}
	hasExponent := false
	if i < len(s) && s[i]|0x20 == exponent {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		for k := j; k < len(s) && digitBelow(s[k], 10); k++ {
			i, marked, hasExponent = k+1, true, true
		}
	}
	text := s[:i]
	if base == 16 && !hasExponent {
		text += "p0"
	}
	v, _ = strconv.ParseFloat(text, 64) // out of range is ±Inf or 0, as in C
	return v, i, marked
}

func scanFloatWord(s string) (v float64, n int) {
	word := func(w string) bool { return len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) }
	switch {
	case word("infinity"):
		return posInf, 8
	case word("inf"):
		return posInf, 3
	case word("nan"):
		n = 3
		for i := n; i < len(s) && n == 3 && (i > 3 || s[i] == '('); i++ {
			switch c := s[i]; {
			case c == ')':
				n = i + 1
			case i > 3 && !nameByte(c):
				return posNaN, 3
			}
		}
		return posNaN, n
	}
	return 0, 0
}
