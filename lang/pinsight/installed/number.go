package installed

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// atoi is C's: the number at the front, or 0.
func atoi(text string) int32 {
	n, _, _ := decimal(text)
	return n
}

// decimal is C's strtol with base 10, cut to an int: the number at the front
// and what follows it.
func decimal(text string) (n int32, rest string, ok bool) {
	s := strings.TrimLeft(text, space)
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	start := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == start {
		return 0, text, false
	}
	long, _ := strconv.ParseInt(s[:i], 10, 64) // too large: the largest, as in C
	return int32(long), s[i:], true
}

// strtol is C's with base 0: the number at the front and what follows it.
func strtol(text string) (n int64, rest string, ok bool) {
	s := strings.TrimLeft(text, space)
	i, negative := 0, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	base, digits := 10, "0123456789"
	switch {
	case len(s) > i+2 && s[i] == '0' && s[i+1]|0x20 == 'x' && strings.IndexByte("0123456789abcdef", s[i+2]|0x20) >= 0:
		base, digits = 16, "0123456789abcdef"
		i += 2
	case len(s) > i && s[i] == '0':
		base, digits = 8, "01234567"
	}
	start := i
	for i < len(s) && strings.IndexByte(digits, s[i]|0x20) >= 0 && (s[i] >= 'A' || s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i == start {
		return 0, text, false
	}
	sign := ""
	if negative {
		sign = "-"
	}
	n, _ = strconv.ParseInt(sign+s[start:i], base, 64) // too large: the largest, as in C
	return n, s[i:], true
}

// strtod is C's where it takes the whole text.
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
		text += "p0" // Go wants an exponent
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}
