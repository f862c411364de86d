package expr_test

import (
	"fmt"
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// stdScope returns a scope with the data that the tests refer to.
func stdScope(t testing.TB) *scope {
	s := newScope()
	s.declare(t, `metadata:
  i: int
  neg: int
  zero: int
  big: int64
  most: int64
  least: int64
  u16: uint16
  u32: uint32
  u64: uint64
  f: float
  d: double
  d3: double
  dbig: double
  sc: {type: array, subtype: char, size: 6}
  word: {type: array, subtype: char, size: 6}
  part: {type: array, subtype: char, size: 8, start: 2, subsize: 3}
  arr: {type: array, subtype: int, size: 4}
  mat: {type: array, subtype: int, size: [2, 3]}
  rec: {type: record, buffersize: 16, members: {a: {disp: 0, type: int}, b: {disp: 8, type: double}}}
  recs: {type: array, size: 2, subtype: {type: struct, members: [{p: int}, {q: float}]}}
  tup: {type: tuple, elements: [int, double]}
  pint: {type: pointer, subtype: int}
  parr: {type: pointer, subtype: {type: array, subtype: int, size: 3}}
  unset: int
  few: uint64
data: {unshared: int, wo: int}
`, [][2]string{{"i", "5"}, {"neg", "-7"}, {"zero", "0"}, {"big", "5000000000"}, {"most", "9223372036854775807"},
		{"least", "-9223372036854775808"}, {"u16", "60000"}, {"u32", "4000000000"}, {"u64", "-1"}, {"few", "12"}, {"f", "0.1"}, {"d", "1.5"},
		{"d3", "3.0"}, {"dbig", "1.0e300"}, {"sc", "hello"}, {"word", "off"}, {"part", "abcdefg"}, {"arr", "[10, 20, 30, 40]"},
		{"mat", "[[1, 2, 3], [4, 5, 6]]"}, {"rec", "{a: 7, b: 2.25}"}, {"recs", "[{p: 1, q: 1.5}, {p: 2, q: 2.5}]"},
		{"tup", "[4, 0.75]"}, {"pint", "@ptr"}, {"parr", "@ptr"}, {"wo", "@wo"}})
	tuple := s.Cell("tup").Datum.Type
	tuple.Members[0].Name = "first" // the name in the documentation's examples
	return s
}

// outcome evaluates text and returns the value or the class of the error.
func outcome(s *scope, d expr.Dialect, reading, text string) string {
	p, err := expr.Compile(text, d)
	if err != nil {
		return "parse " + err.(*expr.Error).Status.String()
	}
	var v any
	b := p.Bind(s)
	switch reading {
	case "long":
		v, err = b.Long()
	case "double":
		v, err = b.Double()
	case "text":
		v, err = b.Text()
	case "type":
		var dat expr.Datum
		if dat, err = b.Ref(); dat.Type != nil {
			v = dat.Type.Kind
		}
	}
	if err != nil {
		return "error " + err.(*expr.Error).Status.String()
	}
	return fmt.Sprint(v)
}

// TestDialects lists every difference between the two dialects, and next to each a
// similar text that both read alike.
func TestDialects(t *testing.T) {
	s := stdScope(t)
	for _, c := range []struct{ why, reading, text, documented, upstream string }{
		{"blanks after a reference stay", "text", "$i apples", "5 apples", "5apples"},
		{"", "text", "a${i} b", "a5 b", "a5b"},
		{"", "text", "a$(1+2) b", "a3 b", "a3b"},
		{"", "text", "$i $i", "5 5", "55"},
		{"", "text", "at $i [m]", "at 5 [m]", "parse VALUE"},
		{"", "long", "$arr [1]", "20", "20"},

		{"`\\$` and `\\\\` escape", "text", `\$i`, "$i", `\i`},
		{"", "text", `a\\$i`, `a\5`, `a\5`},
		{"", "text", `a\nb`, "parse VALUE", `a\b`},
		{"", "text", `tail\`, "parse VALUE", `tail\`},

		{"`off` is false", "long", "off", "0", "error VALUE"},
		{"", "long", "Off", "0", "0"},

		{"a literal is a float when it has a dot or an exponent itself", "type", "10 % $rec.a", "int64", "error TYPE"},
		{"", "long", "10 % $rec.a", "3", "error TYPE"},
		{"", "text", "15 / $rec.a", "2", "2.1428571428571428"},
		{"", "double", "1e3", "1000", "error VALUE"},
		{"", "text", "1e3 + $i", "1005", "1e3 + 5"},
		{"", "long", "010 + $rec.a", "15", "17"},
		{"", "text", "0x1.8p1", "3", "3"},
		{"", "text", "0x.8p1", "1", "1"},
		{"", "text", "0X.cP+1", "1.5", "1.5"},
		{"", "text", "0x.p1", "0x.p1", "0x.p1"},
		{"", "text", "0x1p", "0x1p", "0x1p"},
		{"", "text", "08", "08", "08"},
		{"`nan` and `inf` are text", "text", "nan + $rec.b", "nan + 2.25", "nan"},
		{"", "text", "inf * 1.0", "inf * 1.0", "inf"},
		{"", "text", "-inf + 1.0", "-inf + 1.0", "-inf"},
		{"", "text", "-Infinity * 2.0", "-Infinity * 2.0", "-inf"},
		{"", "text", "infinite * 2.0", "infinite * 2.0", "infinite * 2.0"},
		{"", "text", "nan(q1) + 1.0", "nan(q1) + 1.0", "nan"},
		{"", "text", "nan(q-1) + 1.0", "nan(q-1) + 1.0", "nan(q-1) + 1.0"},

		{"integers compute in int64", "type", "$i + $i", "int64", "int32"},
		{"", "text", "$u16 * $u16", "3600000000", "-694967296"},
		{"", "text", "$u32 * $u32", "error VALUE", "1983905792"},
		{"", "text", "$neg < $u32", "1", "0"},
		{"", "text", "-1 < $u64", "1", "0"},
		{"", "text", "$u64 > $most", "1", "1"},
		{"", "text", "$u64 < $most", "0", "0"},
		{"", "text", "$most < $u64", "1", "1"},
		{"", "text", "$most > $u64", "0", "0"},
		{"", "text", "$u64 < $u64", "0", "0"},
		{"", "text", "$u64 > $u64", "0", "0"},
		{"", "text", "$u64 = $u64", "1", "1"},
		{"", "text", "$u64 = $most", "0", "0"},
		{"", "text", "$d > $u64", "0", "0"},
		{"", "text", "$u64 = -1", "0", "1"},
		{"", "text", "$few + 1", "13", "13"},
		{"", "text", "$few - 13", "-1", "1.8446744073709552e+19"},
		{"", "text", "$few * $few + $few / 5 + $few % 5", "148", "148"},
		{"", "text", "($few < 13) + 10 * ($few > 13) + 100 * ($few = 12)", "101", "101"},
		{"", "text", "$few + $most", "error VALUE", "9.2233720368547758e+18"},
		{"", "text", "$least - $few", "error VALUE", "9223372036854775796"},
		{"", "text", "$few * $most", "error VALUE", "1.8446744073709552e+19"},
		{"", "text", "$few / $zero", "error VALUE", "error VALUE"},
		{"", "text", "$few % $zero", "error VALUE", "error VALUE"},
		{"", "type", "1 < 2", "uint8", "uint8"},
		{"overflow is an error", "text", "$most + 1", "error VALUE", "-9223372036854775808"},
		{"", "text", "$least - 1", "error VALUE", "9223372036854775807"},
		{"", "text", "$big * $big", "error VALUE", "6553255926290448384"},
		{"", "text", "$least * -1", "error VALUE", "-9223372036854775808"},
		{"", "text", "$least / -1", "error VALUE", "error VALUE"},
		{"", "text", "$least % -1", "0", "error VALUE"},
		{"", "text", "$u64 + 1", "error VALUE", "0"},
		{"", "long", "$u64", "error VALUE", "-1"},
		{"", "long", "$dbig", "error VALUE", "-9223372036854775808"},
		{"", "text", "3037000499 * 3037000499", "9223372030926249001", "9223372030926249001"},
		{"a float operand makes a float64", "type", "$f + $f", "float64", "float32"},
		{"", "type", "$i + $f", "float64", "float32"},
		{"division by zero is an error", "text", "1 / $zero", "error VALUE", "error VALUE"},
		{"", "text", "1 % $zero", "error VALUE", "error VALUE"},
		{"", "text", "$d / 0", "error VALUE", "inf"},
		{"", "text", "$d % 2", "error TYPE", "error TYPE"},

		{"a spec stands only in braces", "text", "a$i:b", "a5:b", "a101"},
		{"", "text", "file_$i:03d.h5", "file_5:03d.h5", "error SYSTEM"},
		{"", "text", "${i:03d}", "005", "005"},
		{"", "long", "${i:03d}", "5", "5"},

		{"a char array ends at its NUL", "text", "<$sc>", "<hello>", "<hello\x00>"},
		{"", "text", "$part", "cde", "abcdefg\x00"},
		{"other arrays have no text", "text", "x$arr", "error TYPE", "x"},
		{"", "text", "x$mat", "error TYPE", "error TYPE"},
		{"boolean words count for any string", "long", "$word", "0", "error TYPE"},
		{"", "long", "$sc", "error VALUE", "error TYPE"},
		{"", "double", "$word", "error TYPE", "error TYPE"},
		{"named tuple elements work", "long", "$tup.first", "4", "error TYPE"},
		{"", "long", "$tup[0]", "4", "4"},
		{"", "long", "$tup.other", "error TYPE", "error TYPE"},
		{"text of an unsigned number", "text", "$u64", "18446744073709551615", "1.8446744073709552e+19"},
	} {
		if got := outcome(s, expr.Documented, c.reading, c.text); got != c.documented {
			t.Errorf("%s: %s of %q in the documented dialect is %q, want %q", c.why, c.reading, c.text, got, c.documented)
		}
		if got := outcome(s, expr.Upstream, c.reading, c.text); got != c.upstream {
			t.Errorf("%s: %s of %q upstream is %q, want %q", c.why, c.reading, c.text, got, c.upstream)
		}
	}
}

// TestSame lists texts that both dialects read alike.
func TestSame(t *testing.T) {
	s := stdScope(t)
	for _, c := range []struct{ reading, text, want string }{
		{"long", "1 + 2 * 3", "7"},
		{"long", "(1 + 2) * 3", "9"},
		{"long", "10 - 4 - 3", "3"},
		{"long", "100 / 7 / 2", "7"},
		{"long", "3 > 2 > 1", "0"},
		{"long", "1 | 0 & 0", "1"},
		{"long", "0 = 1 < 2", "0"},
		{"long", "2--3", "5"},
		{"long", "2*-3", "-6"},
		{"long", "1 + (2 + (3 + (4 + (5 + (6 + 7)))))", "28"},
		{"long", "$arr[$arr[0] / 10]", "20"},
		{"long", "$mat[1][2]", "6"},
		{"long", "${ mat [ 1 ] [ 2 ] }", "6"},
		{"double", "$recs[1].q", "2.5"},
		{"double", "$recs [1] . q", "2.5"},
		{"long", "$parr[2]", "9"},
		{"text", "${i}.h5", "5.h5"},
		{"text", "$i.h5", "error TYPE"},
		{"text", "$i.", "parse VALUE"},
		{"text", "price: $5", "parse VALUE"},
		{"text", "${arr}[1]x${i", "parse VALUE"},
		{"text", "$(1 + )", "parse VALUE"},
		{"text", "-$i", "-5"},
		{"text", "1<=2", "1<=2"},
		{"text", "99999999999999999999", "99999999999999999999"},
		{"long", "$(1+2)", "error VALUE"},
		{"long", "$pint", "error TYPE"},
		{"long", "$pint[0]", "error TYPE"},
		{"long", "$arr[4]", "error VALUE"},
		{"long", "$arr[-1]", "error VALUE"},
		{"long", "$arr[$unset]", "error PERMISSION"},
		{"long", "$arr[$unset] + 1", "error PERMISSION"},
		{"long", "$unset[0]", "error TYPE"},
		{"long", "$wo + 1", "error TYPE"},
		{"long", "$rec.c", "error VALUE"},
		{"long", "$rec[0]", "error TYPE"},
		{"long", "$rec", "error TYPE"},
		{"long", "$unset", "error PERMISSION"},
		{"long", "$unset + 1", "error TYPE"},
		{"long", "$wo", "error PERMISSION"},
		{"long", "$unshared", "error VALUE"},
		{"long", "$nobody", "error VALUE"},
		{"long", "$sc + 1", "error TYPE"},
	} {
		for _, d := range []expr.Dialect{expr.Documented, expr.Upstream} {
			if got := outcome(s, d, c.reading, c.text); got != c.want {
				t.Errorf("%s of %q in dialect %d is %q, want %q", c.reading, c.text, d, got, c.want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	s := stdScope(t)
	for _, c := range []struct{ text, at, msg string }{
		{"$i / $zero + 1", "$i / $zero", "division by zero: `5 / 0`"},
		{"1 + $most  *  2", "$most  *  2", "`9223372036854775807 * 2` does not fit a 64-bit integer"},
		{"1.5 % 2", "1.5 % 2", "`1.5 % 2` is a remainder of floats, `%` needs integers"},
		{"x $arr[2 + 7] y", "[2 + 7]", "index 9 is outside `$arr`, which has 4 elements"},
		{"${rec.c}", ".c", "`${rec}` has no member `c`: it has a, b"},
		{"x${arr[9]}", "[9]", "index 9 is outside `${arr}`, which has 4 elements"},
		{"data-$i.h5", ".h5", "`$i` is of type int32 and has no members; write `${…}` if the dot is text"},
		{"2 * $rec", "$rec", "`$rec` is a record, a number is needed"},
		{"99999999999999999999", "99999999999999999999", "the text `99999999999999999999` is not an integer: it does not fit 64 bits"},
		{"$nobody + 1", "$nobody", "`nobody` has no value: it is not shared"},
		{"${unset}", "${unset}", "`unset` was never given a value"},
		{"x${d:x}", "x", "`x` formats integers, the value is 1.5"},
		{"a $ b", " ", "expected a name after `$`, found ` `; write `\\$` for a literal `$`"},
		{"$i.", "", "expected a member's name after `.`, found the end of the text; put the reference in braces, `${…}`, if the dot is literal text"},
		{"a${i b", "b", "expected `}` to end the reference to `i`, found `b`"},
		{"a$(1 + )", ")", "expected a number, a reference or `(`, found `)`"},
		{"a$(1 2)", "2", "expected an operator or `)`, found `2`"},
		{"a$(08)", "8", "expected an operator or `)`, found `8`"},
		{"a$(1:2)", ":", "expected an operator or `)`, found `:`"},
		{`C:\dir`, `\d`, "a backslash is allowed only before `\\` and `$`: write `\\\\` for a literal backslash"},
		{"$i <= 3", "$i <= 3", "the text `5 <= 3` is not an integer: `<=` is not an operator, so the whole value is text; write: `($i < 3 | $i = 3)`"},
	} {
		p, err := expr.Compile(c.text, expr.Documented)
		if err == nil {
			if _, err = p.Bind(s).Text(); err == nil {
				_, err = p.Bind(s).Long()
			}
		}
		e, ok := err.(*expr.Error)
		if !ok {
			t.Errorf("%q: error %v", c.text, err)
			continue
		}
		if at := c.text[e.Offset:e.End]; at != c.at || e.Msg != c.msg {
			t.Errorf("%q: at %q: %s\nwant at %q: %s", c.text, at, e.Msg, c.at, c.msg)
		}
	}
}
