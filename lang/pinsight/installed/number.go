package installed

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// atoi is C's atoi: the number at the start, or 0.
func atoi(text string) int32 {
	n, _, _ := strtol(text, 10)
	return int32(n)
}

// strtol is C's strtol with base 10 or base 0. For base 0, the prefix of the text decides the base. It returns the number at the start,
// and the text after it.
func strtol(text string, base int) (n int64, rest string, ok bool) {
	s := strings.TrimLeft(text, space)
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	switch {
	case base == 10:
	case len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && isDigit(s[2], 16):
		base, s = 16, s[2:]
	case s != "" && s[0] == '0':
		base = 8
	default:
		base = 10
	}
	i := 0
	for i < len(s) && isDigit(s[i], base) {
		i++
	}
	if i == 0 {
		return 0, text, false
	}
	n, _ = strconv.ParseInt(sign+s[:i], base, 64) // out of range: the largest or smallest number, as in C
	return n, s[i:], true
}

func isDigit(b byte, base int) bool {
	i := strings.IndexByte("0123456789abcdef", b|0x20)
	return i >= 0 && i < base && b >= '0' // the bit for lower case turns some control characters into digits, so they are excluded
}

// strtoull is C's strtoull with base 16: the number at the start.
func strtoull(text string) uint64 {
	i := 0
	for i < len(text) && isDigit(text[i], 16) {
		i++
	}
	n, _ := strconv.ParseUint(text[:i], 16, 64) // out of range: the largest number, as in C
	return n
}

// strtod is C's strtod, for a text that consists of a number and nothing else.
func strtod(text string) (float64, bool) {
	unsigned := strings.TrimLeft(text, "+-")
	if len(text)-len(unsigned) > 1 || strings.Contains(text, "_") {
		return 0, false
	}
	lower := strings.ToLower(unsigned)
	switch {
	case lower == "nan", strings.HasPrefix(lower, "nan(") && strings.HasSuffix(lower, ")"):
		return math.NaN(), true
	case strings.HasPrefix(lower, "0x") && !strings.Contains(lower, "p"):
		text += "p0" // ParseFloat requires an exponent
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}
