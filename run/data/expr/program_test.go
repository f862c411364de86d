package expr_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

func compile(t testing.TB, text string, d expr.Dialect) *expr.Program {
	t.Helper()
	p, err := expr.Compile(text, d)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return p
}

func TestForm(t *testing.T) {
	for text, want := range map[string]expr.Form{
		"42": expr.IntLiteral, " ( 42 ) ": expr.IntLiteral, "1.": expr.FloatLiteral, "$i": expr.Reference, "(${i:d})": expr.Reference,
		"$i+0": expr.Operation, "": expr.Text, "  ": expr.Text, "a$i": expr.Text, "$(1)": expr.Text, "$i:d": expr.Text, "yes": expr.Text,
	} {
		if got := compile(t, text, expr.Documented).Form(); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	if v, ok := compile(t, "0x10", expr.Documented).Const(); !ok || v != expr.Int(16) {
		t.Errorf("constant is %v, %v, want 16", v, ok)
	}
	if s, ok := compile(t, `a\$b`, expr.Documented).Literal(); !ok || s != "a$b" {
		t.Errorf("literal is %q, %v, want %q", s, ok, "a$b")
	}
	if _, ok := compile(t, "a$i", expr.Documented).Literal(); ok {
		t.Error("a text with a reference is a literal")
	}
}

func TestRefs(t *testing.T) {
	text := "x_${ arr[$i + 1] [2].name :05d}_$j .k"
	var got []string
	for r := range compile(t, text, expr.Documented).Refs() {
		line := fmt.Sprintf("%s at %q name %q", r.Name, text[r.Offset:r.End], text[r.NameOffset:r.NameOffset+len(r.Name)])
		for _, s := range r.Path {
			line += fmt.Sprintf(" %q", text[s.Offset:s.End])
			if s.Const {
				line += fmt.Sprint("=", s.Index)
			}
		}
		if r.HasSpec {
			line += " :" + r.Spec
		}
		got = append(got, line)
	}
	want := []string{
		`arr at "${ arr[$i + 1] [2].name :05d}" name "arr" "[$i + 1]" "[2]"=2 ".name" :05d`,
		`i at "$i" name "i"`,
		`j at "$j" name "j"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("references\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLintOperators(t *testing.T) {
	s := stdScope(t)
	for _, c := range []struct{ text, signs, use string }{
		{"$i <= 3", "<=", "($i < 3 | $i = 3)"},
		{"$i>=3", ">=", "($i > 3 | $i = 3)"},
		{"$i == 3", "==", "$i = 3"},
		{"$i != 3 + 2", "!=", "(($i = 3 + 2) = 0)"},
		{"$i>3&&$i<10", "&&", "$i > 3 & $i < 10"},
		{"1||0", "||", "1 | 0"},
		{"!$zero", "!", "($zero = 0)"},
		{"-$i", "-", "(0 - $i)"},
		{"2 * -($i)", "-", "2 * (0 - ($i))"},
		{"- 3", "-", "(0 - 3)"},
		{"$i and $i>3", "and", "$i & $i > 3"},
		{"1 or(0)", "or", "1 | (0)"},
		{"1 oracle", "", ""},
		{"!($i == 3) && $i <= 7", "! == &&  <=", "(($i = 3) = 0) & ($i < 7 | $i = 7)"},
		{"2**3", "**", ""},
		{"$i ^ 2", "^", ""},
		{"~$i", "~", ""},
		// These texts look like operations but are meant as texts: there is no lint.
		{"a <= $i", "", ""},
		{"$i/file", "", ""},
		{"100*${i}%", "", ""},
		{"$i - $neg", "", ""},
		{"$i apples", "", ""},
		{"--", "", ""},
		{"5 != apples", "", ""},
	} {
		p := compile(t, c.text, expr.Documented)
		var signs []string
		for _, l := range p.Lints() {
			if l.Code != expr.NotAnOperator {
				continue
			}
			signs = append(signs, c.text[l.Offset:l.End])
			if l.Use != c.use || !strings.Contains(l.Msg, l.Use) {
				t.Errorf("%q: use %q in %q, want %q", c.text, l.Use, l.Msg, c.use)
			}
		}
		if want := strings.Fields(c.signs); !slices.Equal(signs, want) {
			t.Errorf("%q: found %q, want %q", c.text, signs, want)
		}
		if c.use != "" {
			q := compile(t, c.use, expr.Documented)
			if _, err := q.Bind(s).Long(); !q.Numeric() || err != nil {
				t.Errorf("%q: the spelling %q does not work: %v", c.text, c.use, err)
			}
		}
	}
}

func TestLintDialects(t *testing.T) {
	for text, at := range map[string]string{
		"$i apples": " ", "a$i:b": ":", `\$i`: `\$`, "off": "off", "10 % $rec.a": "10", "1e3": "1e3", "nan + $rec.a": "nan + $rec.a",
		"$i + 1": "", "${i:d} + 1": "", `a\\b`: "", "1.5 + $rec.a": "", "x$i-y": "",
	} {
		got := ""
		for _, l := range compile(t, text, expr.Documented).Lints() {
			if l.Code == expr.DialectsDiffer {
				got += text[l.Offset:l.End]
			}
		}
		if got != at {
			t.Errorf("%q: differs at %q, want %q", text, got, at)
		}
	}
}

func TestCompileReference(t *testing.T) {
	s := stdScope(t)
	for text, want := range map[string]string{
		"i": "5", " i:03d": "005", "arr[1]": "20", "rec . a ": "7", "": "error", "$i": "error", "i}": "error", "i + 1": "error", "2": "error",
	} {
		p, err := expr.CompileReference(text, expr.Documented)
		got := "error"
		if err == nil {
			if got, err = p.Bind(s).Text(); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestBounds checks the limits on the size and depth of texts and results.
func TestBounds(t *testing.T) {
	s := stdScope(t)
	deep := strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000)
	for _, text := range []string{deep, strings.Repeat("$i[", 100000), "x$" + deep} {
		if _, err := expr.Compile(text, expr.Documented); err == nil {
			t.Errorf("%.20q… of %d bytes is accepted", text, len(text))
		}
	}
	long := "1" + strings.Repeat("+1", 100000)
	if n, err := compile(t, long, expr.Upstream).Bind(s).Long(); n != 100001 || err != nil {
		t.Errorf("a long sum is %d, %v", n, err)
	}
	nested := strings.Repeat("1+(", 150) + "1" + strings.Repeat(")", 150)
	if n, err := compile(t, nested, expr.Documented).Bind(s).Long(); n != 151 || err != nil {
		t.Errorf("a nested sum is %d, %v", n, err)
	}
	bomb := "x" + strings.Repeat("${i:9999}", 10000)
	if _, err := compile(t, bomb, expr.Documented).Bind(s).Text(); err == nil {
		t.Error("a text of 100 MB is made")
	}
	if _, err := compile(t, strings.Repeat("$i<=", 200)+"1", expr.Documented).Bind(s).Long(); err == nil {
		t.Error("a chain of `<=` is a number")
	}
}

func TestCopy(t *testing.T) {
	s := stdScope(t)
	for _, c := range []struct{ value, typ, want string }{
		{"300", "int8", "2c"},
		{"-1", "uint16", "ffff"},
		{"1.5", "float", "0000c03f"},
		{"$neg + 0", "uint8", "f9"},
		{"$d * 2", "int64", "0300000000000000"},
		{"$i", "float", "05000000"},
		{"$dbig + 0", "int8", "00"},
		{"$dbig + 0", "int", "00000080"},
		{"0 - $dbig", "uint16", "0000"},
		{"$big + 0.5", "int", "00000080"},
		{"$big + 0.5", "uint32", "00f2052a"},
		{"$dbig + 0", "int64", "0000000000000080"},
		{"$dbig + 0", "uint64", "0000000000000000"},
		{"1.5e19 + 0", "uint64", "0000dcce86b42ad0"},
		{"0.5 - 1", "uint8", "00"},
		{"$rec.b", "int", "02000000"},
		{"$arr", "{type: array, subtype: int, size: 4}", "0a000000140000001e00000028000000"},
		{"hi$i", "{type: array, subtype: char, size: 4}", "68693500"},
		{"hello", "{type: array, subtype: char, size: 5}", "error"},
		{"hello", "int", "error"},
		{"42", "double", "error"},
		{"1.5", "int", "error"},
		{"$i", "int64", "error"},
		{"$unset", "int", "error"},
		{"$sc + 1", "int", "error"},
		{"[1, 2, 3]", "{type: array, subtype: int8, size: 3}", "010203"},
		{"[1, 2]", "{type: array, subtype: int8, size: 3}", "error"},
		{"[1, 2, 3, 4]", "{type: array, subtype: int8, size: 3}", "error"},
		{"[1, 2.5, 3]", "{type: tuple, elements: [int8, float]}", "error"},
		{"[1, 2]", "int", "error"},
		{"{b: 2, a: 1}", "{type: struct, members: [{a: int8}, {b: int8}]}", "0102"},
		{"{c: 2}", "{type: struct, members: [{a: int8}]}", "error"},
		{"{a: 2}", "int", "error"},
		{"{a: '$nobody'}", "{type: struct, members: [{a: int}]}", "error"},
		{"$i + 1", "{type: array, subtype: int, size: 1}", "error"},
		{"$i + 1", "byte", "error"},
		{"$rec.a", "byte", "error"},
		{"$mat[0]", "{type: array, subtype: int, size: 3}", "error"},
		{"$mat[0]", "int", "error"},
		{"x$nobody", "{type: array, subtype: char, size: 9}", "error"},
		{"hello", "{type: array, subtype: char, size: 6}", "68656c6c6f00"},
		{"hi", "{type: array, subtype: byte, size: 3}", "686900"},
		{"hi", "{type: array, subtype: int16, size: 3}", "error"},
		{"$u64 + 0.0", "float", "0000805f"},
		{"$u64", "uint64", "ffffffffffffffff"},
		{"[1, '$nobody']", "{type: array, subtype: int, size: 2}", "error"},
	} {
		typ := typeOf(t, yamlNode(t, c.typ))
		d := expr.Datum{Type: typ, Bytes: make([]byte, typ.Size)}
		got := "error"
		if err := compileNode(t, yamlNode(t, c.value), expr.Documented).Bind(s).Copy(d); err == nil {
			got = fmt.Sprintf("%x", d.Bytes)
		}
		if got != c.want {
			t.Errorf("%s as %s is %s, want %s", c.value, c.typ, got, c.want)
		}
	}
	if err := compile(t, "1", expr.Documented).Bind(s).Copy(expr.Datum{Type: expr.Scalar(expr.Int64), Bytes: make([]byte, 4)}); err == nil {
		t.Error("a destination that is too small is written")
	}
}

// TestCopyErrors checks the errors for values that do not fit, with their classes.
func TestCopyErrors(t *testing.T) {
	s := stdScope(t)
	opaque := &expr.Type{Kind: expr.Opaque, Size: 16, Align: 16}
	unsigned := &expr.Type{Kind: expr.Opaque, Size: 16, Align: 16, Unsigned: true}
	outside := &expr.Type{Kind: expr.Record, Size: 4, Align: 4, Members: []expr.Member{{Name: "a", Offset: 2, Type: expr.Scalar(expr.Int32)}}}
	before := &expr.Type{Kind: expr.Record, Size: 4, Align: 4, Members: []expr.Member{{Name: "a", Offset: -4, Type: expr.Scalar(expr.Int32)}}}
	for _, c := range []struct {
		value          string
		typ            *expr.Type
		msg, original  string
		status, assign expr.Status
	}{
		{"3", opaque, "the integer `3` cannot be stored where a value is 16 bytes without a value", "Cannot copy Int_literal as a non integer datatype->", expr.ValueError, expr.ValueError},
		{"3", unsigned, "the integer `3` cannot be stored where a value is 16 bytes without a value", "Unknown size of integer datatype", expr.TypeError, expr.TypeError},
		{"3", expr.Scalar(expr.Float32), "the integer `3` cannot be stored where a value is of type float32; write it with a dot", "Cannot copy Int_literal as a non integer datatype->", expr.ValueError, 0},
		{"2.5", expr.Scalar(expr.Int32), "the float `2.5` cannot be stored where a value is of type int32", "Cannot copy Float_literal as a non float datatype.", expr.ValueError, expr.ValueError},
		{"$i + 1", opaque, "the number 6 cannot be stored where a value is 16 bytes without a value", "Cannot copy operation expression value: unknown type", expr.TypeError, expr.TypeError},
		{"$i + 1", outside, "the number 6 cannot be stored where a value is a record", "Cannot copy operation expression value to non scalar datatype", expr.ValueError, expr.ValueError},
		{"$rec.a", opaque, "`$rec.a` cannot be stored where a value is 16 bytes without a value", "Cannot copy reference expression value: non scalar datatype for indexed reference", expr.ValueError, expr.ValueError},
		{"$rec.a", unsigned, "`$rec.a` cannot be stored where a value is 16 bytes without a value", "Unknown size of integer datatype", expr.TypeError, expr.TypeError},
		{"$mat[0]", expr.Scalar(expr.Int32), "`$mat[0]` is an array of 3 int32, a number is needed", "", expr.TypeError, expr.TypeError},
		{"$i", expr.Scalar(expr.Int64), "`$i` has 4 bytes, the destination 8; write `$i + 0` to convert a number", "Cannot copy reference expression value: reference buffersize (4) != type bufferize (8)", expr.ValueError, expr.ValueError},
		{"$wo", expr.Scalar(expr.Int32), "`wo` may not be read now: it is shared without the right to read, or being written", "Unable to grant access for value reference", expr.ValueError, expr.ValueError},
		{"{a: 1}", outside, "the member at byte 2 is outside its memory of 4 bytes", "", expr.ValueError, expr.ValueError},
		{"{a: 1}", before, "the member at byte -4 is outside its memory of 4 bytes", "", expr.ValueError, expr.ValueError},
		{"{b: 1}", outside, "the record has no member `b`: it has a", "Trying to reference non-existing member: b", expr.ValueError, expr.ValueError},
		{"[1, 2]", outside, "a sequence cannot be stored where a value is a record", "Sequence literal cannot copy a value whose type is neither array nor tuple", expr.ValueError, expr.ValueError},
		{"{a: 1}", opaque, "a mapping cannot be stored where a value is 16 bytes without a value", "Map literal cannot copy value of not record datatype", expr.ValueError, expr.ValueError},
		{"[1, 2, 3]", s.Cell("arr").Datum.Type, "3 items are too few for an array of 4 int32", "Array literal copy incomplete: copied 12 B of 16 B", expr.ValueError, expr.ValueError},
		{"[1, 2, 3, 4, 5]", s.Cell("arr").Datum.Type, "5 items are too many for an array of 4 int32 of 4", "Array literal copy incomplete: copied 20 B of 16 B", expr.ValueError, expr.ValueError},
		{"[1, 2.5, 3]", s.Cell("tup").Datum.Type, "3 items are too many for a tuple of 2", "", expr.ValueError, expr.ValueError},
		{"hello", &expr.Type{Kind: expr.Array, Size: 5, Align: 1, Elem: expr.Scalar(expr.Uint8), Len: 5, Count: 5}, "the text `hello` needs 6 bytes with its end, the array has 5", "", expr.ValueError, expr.ValueError},
		{"hello", outside, "the text `hello` cannot be stored where a value is a record", "Cannot copy String_literal as a non chars array datatype.", expr.ValueError, expr.ValueError},
	} {
		b := compileNode(t, yamlNode(t, c.value), expr.Documented).Bind(s)
		e, _ := b.Copy(expr.Datum{Type: c.typ, Bytes: make([]byte, c.typ.Size)}).(*expr.Error)
		if e == nil || e.Msg != c.msg || e.Upstream != c.original || e.Status != c.status {
			t.Errorf("%s\n got %+v\nwant %v %s, %s", c.value, e, c.status, c.msg, c.original)
		}
		var status expr.Status
		if e, _ := b.Assign(expr.Datum{Type: c.typ, Bytes: make([]byte, c.typ.Size)}).(*expr.Error); e != nil {
			status = e.Status
		}
		if status != c.assign {
			t.Errorf("%s assigned: %v, want %v", c.value, status, c.assign)
		}
	}
	short := expr.Datum{Type: expr.Scalar(expr.Int64), Bytes: make([]byte, 7)}
	for _, d := range []expr.Datum{short, {}} {
		b := compile(t, "1", expr.Documented).Bind(s)
		if b.Copy(d) == nil || b.Assign(d) == nil {
			t.Error("a destination that is too small is written")
		}
	}
}

// TestEqualTypes compares the structure of types.
func TestEqualTypes(t *testing.T) {
	texts := []string{
		"int", "uint32", "double", "{type: array, subtype: int, size: 3}", "{type: array, subtype: float, size: 3}", "{type: array, subtype: int, size: 3, subsize: 2}",
		"{type: array, subtype: int, size: 3, subsize: 2, start: 1}", "{type: pointer, subtype: int}", "{type: pointer, subtype: float}",
		"{type: struct, members: [{a: int}, {b: int}]}", "{type: struct, members: [{a: int}, {c: int}]}", "{type: struct, members: [{a: int}, {b: float}]}",
		"{type: struct, members: [{a: int}]}", "{type: tuple, elements: [int, int]}", "byte", "{type: record, buffersize: 12, members: {a: {disp: 0, type: int}, b: {disp: 8, type: int}}}",
		"{type: record, buffersize: 12, members: {a: {disp: 0, type: int}, b: {disp: 4, type: int}}}",
	}
	for i, a := range texts {
		for j, b := range texts {
			if got := typeOf(t, yamlNode(t, a)).Equal(typeOf(t, yamlNode(t, b))); got != (i == j) {
				t.Errorf("%s and %s: equal %v, want %v", a, b, got, (i == j))
			}
		}
		var none *expr.Type
		if typeOf(t, yamlNode(t, a)).Equal(nil) || none.Equal(typeOf(t, yamlNode(t, a))) {
			t.Errorf("%s is no type", a)
		}
	}
}

// TestAppendText checks that the text is appended to the given slice.
func TestAppendText(t *testing.T) {
	s := stdScope(t)
	if got, err := compile(t, "x$i", expr.Documented).Bind(s).AppendText([]byte("> ")); string(got) != "> x5" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := compile(t, "$nobody", expr.Documented).Bind(s).AppendText(nil); err == nil {
		t.Error("what has no value has a text")
	}
	for _, value := range []string{"{a: 1}", "[a, '$nobody']"} {
		if _, err := compileNode(t, yamlNode(t, value), expr.Documented).Bind(s).Text(); err == nil {
			t.Errorf("%s has a text, want one", value)
		}
	}
	if _, err := expr.Compile(strings.Repeat("1", 1<<20), expr.Documented); err != nil {
		t.Error(err)
	}
	if _, err := expr.Compile(strings.Repeat("1", 1<<20+1), expr.Documented); err == nil || !strings.Contains(err.Error(), "is too long") {
		t.Errorf("got %v", err)
	}
}

// TestPointerErrors checks the errors for the memory that a pointer leads to.
func TestPointerErrors(t *testing.T) {
	s := stdScope(t)
	clear(s.pointees)
	if _, err := compile(t, "$parr[1]", expr.Documented).Bind(s).Long(); err == nil || err.Error() != "the pointer `$parr` cannot be followed: it points nowhere" {
		t.Errorf("got %v", err)
	}
	s.pointees[&s.Cell("parr").Datum.Bytes[0]] = expr.Datum{}
	if _, err := compile(t, "$parr[1]", expr.Documented).Bind(s).Long(); err == nil || err.Error() != "`$parr` has no type" {
		t.Errorf("got %v", err)
	}
	wide := &expr.Type{Kind: expr.Array, Size: 8, Elem: &expr.Type{Kind: expr.Opaque, Size: 1 << 40}, Len: 1 << 40, Count: 1 << 40}
	*s.Cell("wide") = expr.Cell{State: expr.Ready, Datum: expr.Datum{Type: wide, Bytes: make([]byte, 8)}}
	if _, err := compile(t, "$wide[1099511627775]", expr.Documented).Bind(s).Long(); err == nil || err.Error() != "index 1099511627775 is outside the memory of `$wide`" {
		t.Errorf("got %v", err)
	}
	if _, err := compile(t, "$wide[1]", expr.Documented).Bind(s).Long(); err == nil || !strings.Contains(err.Error(), "are outside its memory of 8 bytes") {
		t.Errorf("got %v", err)
	}
}

// TestAssign checks that typed-in numbers are converted to every kind that can hold them.
func TestAssign(t *testing.T) {
	s := stdScope(t)
	for _, c := range []struct{ value, typ, want string }{
		{"3", "double", "0000000000000840"},
		{"3", "float", "00004040"},
		{"0.1", "float", "cdcccc3d"},
		{"3.0", "int8", "03"},
		{"3.5", "int8", "error"},
		{"300", "int8", "error"},
		{"-129", "int8", "error"},
		{"255", "uint8", "ff"},
		{"256", "uint8", "error"},
		{"-128", "uint8", "80"},
		{"-129", "uint8", "error"},
		{"5000000000", "int", "error"},
		{"-1", "uint64", "ffffffffffffffff"},
		{"18446744073709551615", "uint64", "ffffffffffffffff"},
		{"0xfffffffffffffffe", "uint64", "feffffffffffffff"},
		{"18446744073709551616", "uint64", "error"},
		{"18446744073709551615", "int64", "error"},
		{"[1, 300]", "{type: array, subtype: uint8, size: 2}", "error"},
		{"1e3", "int", "e8030000"},
		{"[1, 2.5]", "{type: array, subtype: float, size: 2}", "0000803f00002040"},
		{"{a: 1, b: 2}", "{type: struct, members: [{a: float}, {b: float}]}", "0000803f00000040"},
		{"$i", "double", "error"},
		{"3", "{type: array, subtype: int, size: 1}", "error"},
	} {
		typ := typeOf(t, yamlNode(t, c.typ))
		d := expr.Datum{Type: typ, Bytes: make([]byte, typ.Size)}
		got := "error"
		if err := compileNode(t, yamlNode(t, c.value), expr.Documented).Bind(s).Assign(d); err == nil {
			got = fmt.Sprintf("%x", d.Bytes)
		}
		if got != c.want {
			t.Errorf("%s as %s is %s, want %s", c.value, c.typ, got, c.want)
		}
	}
}

// TestItems checks the memory that sequences and mappings produce.
func TestItems(t *testing.T) {
	s := stdScope(t)
	for _, c := range []struct{ value, want string }{
		{"[]", "null"},
		{"{}", "record 0/1"},
		{"[1, 2]", "array 16/8"},
		{"[1, 2.5]", "tuple 16/8"},
		{"['$i', 1]", "tuple 16/8"},
		{"[[1, 2], [3, 4]]", "array 32/8"},
		{"[abc, de]", "tuple 7/1"},
		{"{a: '$i', b: x}", "record 8/4"},
		{"{a: 1, a: 2.5}", "record 8/8"},
		{"['$unset']", "error"},
		{"['$nobody']", "error"},
	} {
		got := "null"
		d, err := compileNode(t, yamlNode(t, c.value), expr.Documented).Bind(s).Ref()
		if err != nil {
			got = "error"
		} else if d.Type != nil {
			got = fmt.Sprintf("%v %d/%d", d.Type.Kind, d.Type.Size, d.Type.Align)
		}
		if got != c.want {
			t.Errorf("%s is %s, want %s (%v)", c.value, got, c.want, err)
		}
	}
	if text, err := compileNode(t, yamlNode(t, "[a, '$i', [b, 1.5]]"), expr.Documented).Bind(s).Text(); text != "a5b1.5" || err != nil {
		t.Errorf("text of a sequence is %q, %v", text, err)
	}
}

// TestBigEndian reads and writes big-endian numbers.
func TestBigEndian(t *testing.T) {
	s := newScope()
	typ := typeOf(t, yamlNode(t, "{type: struct, members: [{a: int16}, {b: uint32}, {c: double}]}"))
	d := expr.Datum{Type: typ, Bytes: make([]byte, typ.Size), Big: true}
	if err := compileNode(t, yamlNode(t, "{a: -2, b: 7, c: 1.5}"), expr.Documented).Bind(s).Copy(d); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%x", d.Bytes), "fffe0000"+"00000007"+"3ff8000000000000"; got != want {
		t.Errorf("memory is %s, want %s", got, want)
	}
	*s.Cell("r") = expr.Cell{State: expr.Ready, Datum: d}
	if got := outcome(s, expr.Documented, "text", "$r.a $r.b $r.c"); got != "-2 7 1.5" {
		t.Errorf("read as %q, want %q", got, "-2 7 1.5")
	}
}

// TestFetch checks that the Fetch function of an empty cell can fill it when an
// expression needs it.
func TestFetch(t *testing.T) {
	s := newScope()
	s.Cell("lazy").Fetch = func() { s.set(t, "lazy", expr.Scalar(expr.Int32), "8") }
	b := compile(t, "$lazy + 1", expr.Documented).Bind(s)
	if v, err := b.Long(); v != 9 || err != nil {
		t.Errorf("value %d, %v", v, err)
	}
}

// TestShortMemory checks that a type larger than its memory is an error and not a crash.
func TestShortMemory(t *testing.T) {
	s := stdScope(t)
	for _, name := range []string{"i", "d", "sc", "arr", "mat", "rec", "tup", "parr"} {
		c := s.Cell(name)
		c.Datum.Bytes = c.Datum.Bytes[:1]
	}
	for _, text := range []string{"$i", "$d + 1", "$arr[1]", "$mat[1][1]", "$rec.b", "$tup[1]", "$sc", "$arr", "x$i"} {
		for _, reading := range []string{"long", "double", "text"} {
			outcome(s, expr.Documented, reading, text)
			outcome(s, expr.Upstream, reading, text)
		}
	}
}
