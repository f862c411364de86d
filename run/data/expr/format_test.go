package expr_test

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// formatScope has one datum of each class of value that can be formatted.
func formatScope(t testing.TB) *scope {
	s := newScope()
	s.declare(t, `metadata:
  i: int
  n: int
  z: int
  u: uint64
  d: double
  d3: double
  dn: double
  small: double
  huge: double
  f: float
  zero: double
  inf: double
  nan: double
  a: {type: array, subtype: char, size: 8}
  wide: {type: array, subtype: char, size: 8}
  q: {type: array, subtype: char, size: 8}
  odd: {type: array, subtype: char, size: 32}
  dhalf: double
  dthird: double
  d100: double
  one: double
`, [][2]string{{"i", "42"}, {"n", "-42"}, {"z", "0"}, {"u", "-1"}, {"d", "1.5"}, {"d3", "3.0"}, {"dn", "-392.65"},
		{"small", "0.00001234"}, {"huge", "1.0e300"}, {"f", "0.1"}, {"zero", "0.0"}, {"inf", "1.0e300 * 1.0e300"},
		{"nan", "nan + 0.0"}, {"a", "abc"}, {"wide", "日本"}, {"q", "\"a\\\"\\tb\""},
		{"odd", "x"}, {"dhalf", "0.5"}, {"dthird", "1.0 / 3"}, {"d100", "1234567.0"}, {"one", "1.0"}})
	copy(s.Cell("odd").Datum.Bytes, "a\n\r\\\x01\u200b\U000e0001é\xff") // the last byte is not UTF-8
	return s
}

func TestFormatSpec(t *testing.T) {
	s := formatScope(t)
	const wrong = "\x00error"
	for _, c := range []struct{ ref, documented, upstream string }{
		// Fill, alignment, width.
		{"i:6", "    42", "    42"},
		{"i:<6", "42    ", "42    "},
		{"i:^6", "  42  ", "  42  "},
		{"i:*^7", "**42***", "**42***"},
		{"i:é>4", "éé42", "éé42"},
		{"i:0>5", "00042", "00042"},
		{"i:<05", "42   ", "42   "},
		{"i:1", "42", "42"},
		{"i:{<5", wrong, wrong},
		{"a:.0", "", ""},
		{"a:3.0", "   ", "   "},
		// Sign, prefix, zeros.
		{"i:+", "+42", "+42"},
		{"i: ", " 42", " 42"},
		{"i:-", "42", "42"},
		{"n:+", "-42", "-42"},
		{"n:05", "-0042", "-0042"},
		{"i:+06d", "+00042", "+00042"},
		{"i:#x", "0x2a", "0x2a"},
		{"i:#X", "0X2A", "0X2A"},
		{"i:#b", "0b101010", "0b101010"},
		{"i:#B", "0B101010", "0B101010"},
		{"i:#o", "052", "052"},
		{"z:#o", "0", "0"},
		{"i:#", "42", "42"},
		{"n:#08x", "-0x0002a", "-0x0002a"},
		{"n:x", "-2a", "-2a"},
		{"i:c", "*", "*"},
		{"i:3c", "*  ", "*  "},
		{"i:L", "42", "42"},
		{"i:00d", wrong, wrong},
		{"i:.2", wrong, wrong},
		{"i:y", wrong, wrong},
		{"i:?", wrong, wrong},
		{"i:dd", wrong, wrong},
		{"i:5 d", wrong, wrong},
		{"i:.", wrong, wrong},
		{"i:10001", wrong, wrong},
		{"i:999999999999999999999d", wrong, wrong},
		{"d:.99999f", wrong, wrong},
		// Floats.
		{"d:", "1.5", "1.5"},
		{"d:8", "     1.5", "     1.5"},
		{"d:f", "1.500000", "1.500000"},
		{"d:.0f", "2", "2"},
		{"d:#.0f", "2.", "2."},
		{"d:.3e", "1.500e+00", "1.500e+00"},
		{"d:.0E", "2E+00", "2E+00"},
		{"d:#.0e", "2.e+00", "2.e+00"},
		{"d:g", "1.5", "1.5"},
		{"d:#g", "1.50000", "1.50000"},
		{"d:.1g", "2", "2"},
		{"d:.3", "1.5", "1.5"},
		{"d:a", "0x1.8p+0", "0x1.8p+0"},
		{"d:A", "0X1.8P+0", "0X1.8P+0"},
		{"d:010.3f", "000001.500", "000001.500"},
		{"d:+010.3f", "+00001.500", "+00001.500"},
		{"d:*<7.2f", "1.50***", "1.50***"},
		{"dn:", "-392.65", "-392.65"},
		{"dn:g", "-392.65", "-392.65"},
		{"dn:08.1f", "-00392.6", "-00392.6"},
		{"dn:.2g", "-3.9e+02", "-3.9e+02"},
		{"dn:.2G", "-3.9E+02", "-3.9E+02"},
		{"small:", "1.234e-05", "1.234e-05"},
		{"small:g", "1.234e-05", "1.234e-05"},
		{"small:f", "0.000012", "0.000012"},
		{"huge:", "1e+300", "1e+300"},
		{"huge:#", "1.e+300", "1.e+300"},
		{"huge:.3e", "1.000e+300", "1.000e+300"},
		{"dhalf:a", "0x1p-1", "0x1p-1"},
		{"one:#a", "0x1.p+0", wrong},
		{"dhalf:#a", "0x1.p-1", "0x1.p-1"},
		{"d:#a", "0x1.8p+0", "0x1.8p+0"},
		{"huge:a", "0x1.7e43c8800759cp+996", "0x1.7e43c8800759cp+996"},
		{"dhalf:.0", "0.5", "0.5"},
		{"dthird:.0g", "0.3", "0.3"},
		{"dthird:.3", "0.333", "0.333"},
		{"d100:", "1234567", "1234567"},
		{"d100:.3", "1.23e+06", wrong},
		{"d100:.10g", "1234567", wrong},
		{"d100:#.10g", "1234567.000", wrong},
		{"inf:f", "inf", "inf"},
		{"inf:F", "INF", "INF"},
		{"inf:06", "   inf", "   inf"},
		{"inf:6", "inf   ", "inf   "},
		{"nan:F", "NAN", "NAN"},
		{"nan:+06", "  +nan", "  +nan"},
		{"nan:>7", "    nan", "    nan"},
		// Cases in which the datum's type and upstream's guess by value differ.
		{"d3:", "3", "3"},
		{"d3:f", "3.000000", wrong},
		{"d3:#", "3.", "3"},
		{"d3:d", "3", "3"},
		{"d3:x", "3", "3"},
		{"zero:.2f", "0.00", wrong},
		{"i:.2f", "42.00", wrong},
		{"i:e", "4.200000e+01", wrong},
		{"i:a", "0x1.5p+5", wrong},
		{"d:d", wrong, wrong},
		{"d:x", wrong, wrong},
		{"huge:d", wrong, wrong},
		{"i:>5s", "   42", wrong},
		{"d:s", "1.5", wrong},
		{"u:", "18446744073709551615", "1.8446744073709552e+19"},
		{"u:x", "ffffffffffffffff", wrong},
		{"u:+d", "+18446744073709551615", wrong},
		{"f:", "0.1", "0.10000000149011612"},
		{"f:.3f", "0.100", "0.100"},
		// Strings.
		{"a:", "abc", "abc"},
		{"a:s", "abc", "abc"},
		{"a:6", "abc   ", "abc   "},
		{"a:>6", "   abc", "   abc"},
		{"a:^6", " abc  ", " abc  "},
		{"a:.2", "ab", "ab"},
		{"a:-<6.1s", "a-----", "a-----"},
		{"a:?", `"abc"`, `"abc"`},
		{"q:?", `"a\"\tb"`, `"a\"\tb"`},
		{"odd:?", `"a\n\r\\\x01\u200b\U000e0001é\xff"`, `"a\n\r\\\x01\u200b\U000e0001é\xff"`},
		{"wide:6", "日本  ", "日本  "},
		{"wide:.1", "日", "日"},
		{"a:d", wrong, wrong},
		{"a:+", wrong, wrong},
		{"a:#", wrong, wrong},
		{"a:05", wrong, wrong},
		{"a:L", wrong, wrong},
	} {
		for dialect, want := range map[expr.Dialect]string{expr.Documented: c.documented, expr.Upstream: c.upstream} {
			p, err := expr.Compile("${"+c.ref+"}", dialect)
			if err != nil {
				t.Errorf("%s: %v", c.ref, err)
				continue
			}
			got, err := p.Bind(s).Text()
			if err != nil {
				got = wrong
				if e, ok := err.(*expr.Error); !ok || e.Status != expr.FormatError || e.Offset != strings.IndexByte(c.ref, ':')+3 {
					t.Errorf("%s in dialect %d: %v is not an error at the spec", c.ref, dialect, err)
				}
			}
			if got != want {
				t.Errorf("%s in dialect %d: %q, want %q (%v)", c.ref, dialect, got, want, err)
			}
		}
	}
}

// TestWideCharacters checks both ends of each range of wide characters, and the
// characters next to them.
func TestWideCharacters(t *testing.T) {
	s := formatScope(t)
	p, err := expr.Compile("${odd:3}", expr.Documented)
	if err != nil {
		t.Fatal(err)
	}
	check := func(r rune, columns int) {
		t.Helper()
		memory := s.Cell("odd").Datum.Bytes
		clear(memory)
		copy(memory, string(r))
		if got, err := p.Bind(s).Text(); err != nil || got != string(r)+strings.Repeat(" ", 3-columns) {
			t.Errorf("%U is not %d columns wide: %q, %v", r, columns, got, err)
		}
	}
	for _, ends := range [][2]rune{
		{0x1100, 0x115f}, {0x2329, 0x232a}, {0x2e80, 0x303e}, {0x3040, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe10, 0xfe19},
		{0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd},
	} {
		check(ends[0]-1, 1)
		check(ends[0], 2)
		check(ends[0]+1, 2)
		check(ends[1], 2)
		check(ends[1]+1, 1)
	}
}
