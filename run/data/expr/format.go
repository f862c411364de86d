package expr

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/problem"
)

// A formatSpec is a parsed {fmt} format spec:
//
//	[[fill]align][sign]["#"]["0"][width]["." precision]["L"][type]
//
// Parsing does not depend on the value. Whether a value allows a part of the spec is
// checked when it is formatted, because upstream decides by value whether a number is an
// integer.
type formatSpec struct {
	span      `fingerprint:"-"`
	fill      string
	align     byte // 0, '<', '>', '^', or '=' for zeros after the sign
	sign      byte // 0, '+', '-', ' '
	alt       bool // #
	zero      bool // zero padding was requested with `0`
	width     int
	precision int // -1 if the spec has no precision
	local     bool
	typ       byte   // the letter at the end; 0 if there is none
	zeros     bool   // the spec only pads a decimal number with zeros, like `05d`
	err       *Error `fingerprint:"-"` // an error in the text, which Ref.Spec has
}

// maxWidth limits width and precision.
const maxWidth = 10000

const formatTypes = "aAbBcdeEfFgGosxX?"

// parseSpec reads s, which begins at offset off of the text. An invalid spec is kept with
// its error, because only reading it as text fails.
func parseSpec(s string, off int) *formatSpec {
	f := &formatSpec{span: span{int32(off), int32(off + len(s))}, fill: " ", precision: -1}
	fail := func(format string, args ...any) *formatSpec {
		f.err = f.fail(FormatError, "format spec `%s`: "+format, append([]any{problem.Clip(s, problem.Short)}, args...)...)
		return f
	}
	i := 0
	next := func() byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	take := func(set string) byte {
		if c := next(); c != 0 && strings.IndexByte(set, c) >= 0 {
			i++
			return c
		}
		return 0
	}
	number := func() (n int, ok bool) {
		for ; next()-'0' < 10; i++ {
			if n = n*10 + int(s[i]-'0'); n > maxWidth {
				return n, false
			}
		}
		return n, true
	}

	if _, n := utf8.DecodeRuneInString(s); n > 0 && n < len(s) && strings.IndexByte("<>^", s[n]) >= 0 {
		if s[0] == '{' {
			return fail("`{` cannot be the fill")
		}
		f.fill, f.align, i = s[:n], s[n], n+1
	} else {
		f.align = take("<>^")
	}
	f.sign = take("+- ")
	f.alt = take("#") != 0
	f.zero = take("0") != 0
	if f.zero && f.align == 0 {
		f.align, f.fill = '=', "0"
	}
	ok := true
	if next() != '0' {
		f.width, ok = number()
	}
	if !ok {
		return fail("the width is over %d", maxWidth)
	}
	if take(".") != 0 {
		if next()-'0' >= 10 {
			return fail("expected a number after `.`")
		}
		if f.precision, ok = number(); !ok {
			return fail("the precision is over %d", maxWidth)
		}
	}
	f.local = take("L") != 0
	f.typ = take(formatTypes)
	if i < len(s) {
		r, _ := utf8.DecodeRuneInString(s[i:])
		return fail("`%c` has no meaning here; a spec is [[fill]align][sign][#][0][width][.precision][L][type]", r)
	}
	f.zeros = f.align == '=' && f.sign == 0 && f.precision < 0 && (f.typ == 0 || f.typ == 'd')
	return f
}

// broken returns a copy of the parse error, which the caller may change.
func (f *formatSpec) broken() *Error {
	e := *f.err
	return &e
}

// mismatch returns the error for a spec that does not fit a value.
func (f *formatSpec) mismatch(format string, args ...any) *Error {
	return f.fail(FormatError, format, args...)
}

// appendNumber formats v. Upstream formats integral values as a long and others as a
// double. The documented dialect goes by the type of the datum and converts it if the spec
// requires another kind.
func (f *formatSpec) appendNumber(dst []byte, v Value, d Dialect) ([]byte, *Error) {
	if f.zeros && v.kind < Uint64 && int64(v.bits) >= 0 {
		return f.appendZeros(dst, v.bits), nil
	}
	if f.err != nil {
		return dst, f.broken()
	}
	if d == Upstream {
		if l, _ := v.long(); float64(l) == v.Double() {
			return f.appendInt(dst, Int(l))
		}
		return f.appendFloat(dst, v.Double(), 64)
	}
	switch f.typ {
	case 's':
		var scratch [32]byte
		return f.appendString(dst, v.appendText(scratch[:0], d))
	case 'a', 'A', 'e', 'E', 'f', 'F', 'g', 'G':
		return f.appendFloat(dst, v.Double(), 64)
	case 0:
		if v.kind == Float32 {
			return f.appendFloat(dst, v.float(), 32)
		} else if v.kind == Float64 {
			return f.appendFloat(dst, v.float(), 64)
		}
	case 'b', 'B', 'c', 'd', 'o', 'x', 'X':
		if v.kind.Float() {
			l, fits := v.long()
			if x := v.float(); !fits || x != math.Trunc(x) {
				return dst, f.mismatch("`%c` formats integers, the value is %v", f.typ, v)
			}
			v = Int(l)
		}
	}
	return f.appendInt(dst, v)
}

// appendZeros formats u if f.zeros is set. Numbers in file names are written this way, so
// they have a fast path.
func (f *formatSpec) appendZeros(dst []byte, u uint64) []byte {
	var buf [20]byte
	i := len(buf) - 1
	for ; u >= 10; i-- {
		buf[i] = byte('0' + u%10)
		u /= 10
	}
	buf[i] = byte('0' + u)
	for n := len(buf) - i; n < f.width; n++ {
		dst = append(dst, '0')
	}
	return append(dst, buf[i:]...)
}

// appendInt formats an integer.
func (f *formatSpec) appendInt(dst []byte, v Value) ([]byte, *Error) {
	u, negative := v.bits, v.kind.Signed() && int64(v.bits) < 0
	if negative {
		u = -u
	}
	if f.precision >= 0 {
		return dst, f.mismatch("an integer has no precision, the value is %v", v)
	}
	base, prefix := 10, ""
	switch f.typ {
	case 0, 'd':
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	case 'b':
		base, prefix = 2, "0b"
	case 'B':
		base, prefix = 2, "0B"
	case 'o':
		if base = 8; u != 0 {
			prefix = "0"
		}
	case 'c':
		start := len(dst)
		return f.pad(append(dst, byte(u)), start, 1, '<'), nil
	default:
		return dst, f.mismatch("`%c` does not format an integer, the value is %v", f.typ, v)
	}
	start := len(dst)
	dst = f.appendSign(dst, negative)
	if f.alt {
		dst = append(dst, prefix...)
	}
	digits := len(dst)
	dst = strconv.AppendUint(dst, u, base)
	if f.typ == 'X' {
		copy(dst[digits:], bytes.ToUpper(dst[digits:]))
	}
	if f.align == '=' { // the zeros follow the sign and the prefix
		return f.pad(dst, digits, len(dst)-start, '='), nil
	}
	return f.pad(dst, start, len(dst)-start, '>'), nil
}

func (f *formatSpec) appendSign(dst []byte, negative bool) []byte {
	switch {
	case negative:
		return append(dst, '-')
	case f.sign == '+' || f.sign == ' ':
		return append(dst, f.sign)
	}
	return dst
}

// pad fills dst[start:], which is columns wide, up to the width.
func (f *formatSpec) pad(dst []byte, start, columns int, align byte) []byte {
	total := f.width - columns
	if total <= 0 {
		return dst
	}
	if f.align != 0 {
		align = f.align
	}
	left := total // '>' and '='
	switch align {
	case '<':
		left = 0
	case '^':
		left = total / 2
	}
	end := len(dst)
	if len(f.fill) == 1 {
		for range total {
			dst = append(dst, f.fill[0])
		}
	} else {
		for range total {
			dst = append(dst, f.fill...)
		}
	}
	if n := left * len(f.fill); n > 0 {
		copy(dst[start+n:], dst[start:end])
		for i := start; i < start+n; i += len(f.fill) {
			copy(dst[i:], f.fill)
		}
	}
	return dst
}

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
	digits := len(dst) // after the sign
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

// appendGeneral appends x as `g` does, or as a spec without a type does: fixed or with an
// exponent, depending on its size. Without type and precision, it writes the shortest
// digits that identify x.
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
		prec-- // after the point
	}
	var scratch [64]byte
	sci := strconv.AppendFloat(scratch[:0], x, 'e', prec, bits)
	e := bytes.IndexByte(sci, 'e')
	exp, _ := strconv.Atoi(string(sci[e+1:]))
	digits := sci[:1]
	if e > 1 {
		copy(sci[1:], sci[2:e]) // close the gap left by the point
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

// appendHex appends x as `a` does: like Go's %x, but with the fewest possible digits in the
// exponent.
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

// columns returns the width of s on a terminal.
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

// wide are the characters that take two columns, as {fmt} counts them.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2329, 0x232a, 1}, {0x2e80, 0x303e, 1}, {0x3040, 0xa4cf, 1}, {0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1}, {0xfe10, 0xfe19, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x1f300, 0x1f64f, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x2fffd, 1}, {0x30000, 0x3fffd, 1},
	},
}

// appendQuoted appends s as `?` formats it: in quotes, with escapes for invisible characters.
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
