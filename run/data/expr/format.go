package expr

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/problem"
)

// A formatSpec is a parsed {fmt} format spec:
//
//	[[fill]align][sign]["#"]["0"][width]["." precision]["L"][type]
//
// Parsing does not look at the value. Which parts a value may have is decided
// when it is formatted, because upstream decides by value whether a number is
// an integer.
type formatSpec struct {
	span      `fingerprint:"-"`
	fill      string
	align     byte // 0, '<', '>', '^', or '=' for zeros after the sign
	sign      byte // 0, '+', '-', ' '
	alt       bool // #
	zero      bool // 0
	width     int
	precision int // -1: none
	local     bool
	typ       byte   // 0: none
	zeros     bool   // nothing but zeros before decimal digits, like `05d`
	err       *Error `fingerprint:"-"` // of the text, which Ref.Spec has
}

// maxWidth bounds width and precision.
const maxWidth = 10000

const formatTypes = "aAbBcdeEfFgGosxX?"

// parseSpec reads s, which stands at offset off of the text. A spec that
// cannot be read is kept with its error: only reading as text needs it.
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

// broken returns the error of parsing as a new one, which the caller may complete.
func (f *formatSpec) broken() *Error {
	e := *f.err
	return &e
}

// mismatch is the error of a spec that does not fit a value.
func (f *formatSpec) mismatch(format string, args ...any) *Error {
	return f.fail(FormatError, format, args...)
}

// appendNumber formats v. Upstream formats a long where the value is
// integral and a double elsewhere; the documented dialect goes by the type of the datum and
// converts where the spec asks for another kind.
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

// appendZeros formats u where f.zeros holds: the way numbers stand in file
// names, and worth a path of its own.
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
	if f.align == '=' { // the zeros stand behind sign and prefix
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
