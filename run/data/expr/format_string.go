package expr

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/problem"
)

// appendString formats s as a string.
func (f *formatSpec) appendString(dst, s []byte) ([]byte, *Error) {
	switch {
	case f.err != nil:
		return dst, f.broken()
	case f.typ != 0 && f.typ != 's' && f.typ != '?':
		return dst, f.mismatch("`%c` formats a number, the value is the string `%s`", f.typ, problem.Clip(string(s), problem.Short))
	case f.sign != 0 || f.alt || f.zero || f.local:
		return dst, f.mismatch("a sign, `#`, `0` and `L` are for numbers, the value is the string `%s`", problem.Clip(string(s), problem.Short))
	}
	if f.precision >= 0 {
		s = s[:prefixRunes(s, f.precision)]
	}
	start := len(dst)
	if f.typ == '?' {
		dst = appendQuoted(dst, s)
	} else {
		dst = append(dst, s...)
	}
	if f.width == 0 {
		return dst, nil
	}
	return f.pad(dst, start, columns(dst[start:]), '<'), nil
}

// prefixRunes returns the length in bytes of the first n characters of s.
func prefixRunes(s []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return i
}

// columns returns how wide s is on a terminal.
func columns(s []byte) int {
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		s = s[size:]
		n++
		if unicode.Is(wide, r) {
			n++
		}
	}
	return n
}

// wide are the characters of two columns, as {fmt} counts them.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2329, 0x232a, 1}, {0x2e80, 0x303e, 1}, {0x3040, 0xa4cf, 1}, {0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1}, {0xfe10, 0xfe19, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x1f300, 0x1f64f, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x2fffd, 1}, {0x30000, 0x3fffd, 1},
	},
}

// appendQuoted appends s as `?` shows it: in quotes, with escapes for what
// cannot be seen.
func appendQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		switch {
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			dst = append(dst, s[:size]...)
		case r < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
		s = s[size:]
	}
	return append(dst, '"')
}
