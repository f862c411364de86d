package expr_test

import (
	"fmt"
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// TestStatic checks what the types alone determine of an expression.
func TestStatic(t *testing.T) {
	s := stdScope(t)
	open := *s.Cell("arr").Datum.Type
	open.Count = -1
	many := expr.Type{Kind: expr.Record}
	for i := range 14 {
		many.Members = append(many.Members, expr.Member{Name: fmt.Sprint("m", i), Type: expr.Scalar(expr.Int8)})
	}
	types := func(name string) *expr.Type {
		switch name {
		case "open":
			return &open
		case "many":
			return &many
		case "bytes":
			return &expr.Type{Kind: expr.Opaque, Size: 16, Align: 16}
		}
		return s.Cell(name).Datum.Type
	}
	for _, c := range []struct{ text, want string }{
		{"42", "int64"},
		{"1.", "float64"},
		{"$i", "int32"},
		{"$i + 1", "int64"},
		{"$i + $d", "float64"},
		{"$i + $nobody", "null"},
		{"$nobody > 3 & 1", "uint8"},
		{"$parr[1]", "int32"},
		{"$recs[$i].q", "float32"},
		{"$tup[0]", "int32"},
		{"$tup[1]", "float64"},
		{"$tup[$i]", "null"},
		{"$tup[2]", "null `[2]`: index 2 is outside `$tup`, which has 2 elements"},
		{"$tup[-1]", "null `[-1]`: index -1 is outside `$tup`, which has 2 elements"},
		{"$arr[0]", "int32"},
		{"$arr[3]", "int32"},
		{"$pint[0]", "null `[0]`: `$pint` is of type int32 and has no elements"},
		{"$rec[0]", "null `[0]`: `$rec` is a record and has no elements"},
		{"$many.none", "null `.none`: `$many` has no member `none`: it has m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 and 2 more"},
		{"$bytes + 1", "null `$bytes`: `$bytes` is 16 bytes without a value, a number is needed"},
		{"$open + 1", "null `$open`: `$open` is an array of int32, a number is needed"},
		{"$mat + 1", "null `$mat`: `$mat` is an array of 2 arrays, a number is needed"},
		{"$pint + 1", "null `$pint`: `$pint` is a pointer, a number is needed"},
		{"$arr[$sc]", "int32"},
		{"x$(1.5 % 2)", "array `1.5 % 2`: `1.5 % 2` is a remainder of floats, `%` needs integers"},
		{"${d:.2f}", "float64"},
		{"$sc", "array"},
		{"x${i:05d}_${sc:>3s}", "array"},
		{"${i:.2f}", "int32"},
		{"$open[9]", "int32"},
		{"$rec + 1", "null `$rec`: `$rec` is a record, a number is needed"},
		{"$i * ($d % 2)", "null `$d % 2`: `$d % 2` is a remainder of floats, `%` needs integers"},
		{"$arr[4]", "null `[4]`: index 4 is outside `$arr`, which has 4 elements"},
		{"${arr[4]}", "null `[4]`: index 4 is outside `${arr}`, which has 4 elements"},
		{"$open[-1]", "null `[-1]`: index -1 is outside `$open`"},
		{"$rec.c", "null `.c`: `$rec` has no member `c`: it has a, b"},
		{"$tup.c", "null `.c`: `$tup` has no element `c`: it has first"},
		{"$i.h5", "null `.h5`: `$i` is of type int32 and has no members; write `${…}` if the dot is text"},
		{"$i[0]", "null `[0]`: `$i` is of type int32 and has no elements"},
		{"$arr[$rec]", "int32 `$rec`: `$rec` is a record, a number is needed"},
		{"x$arr", "array `$arr`: `$arr` is an array of 4 int32, which has no text"},
		{"${sc:d}", "array `d`: the format spec does not fit `${sc:d}`, which is a string of 6 bytes"},
		{"${i:.2d}", "int32 `.2d`: the format spec does not fit `${i:.2d}`, which is of type int32"},
	} {
		if got := static(t, c.text, expr.Documented, types); got != c.want {
			t.Errorf("%q is %s\nwant %s", c.text, got, c.want)
		}
	}
	items := expr.NewSequence(expr.Documented, compile(t, "$rec + 1", expr.Documented), compile(t, "1", expr.Documented))
	if k, errs := items.Static(types); k != expr.Array || len(errs) != 1 {
		t.Errorf("sequence is %v with %v", k, errs)
	}
	pairs := expr.NewMapping(expr.Documented, []string{"a", "b", "a"}, []*expr.Program{
		compile(t, "$rec + 1", expr.Documented), compile(t, "$arr[4]", expr.Documented), compile(t, "$rec + 2", expr.Documented)})
	if k, errs := pairs.Static(types); k != expr.Record || len(errs) != 2 {
		t.Errorf("mapping is %v with %v", k, errs)
	}
}

// static returns the kind of an expression and its errors.
func static(t *testing.T, text string, d expr.Dialect, types func(string) *expr.Type) string {
	t.Helper()
	k, errs := compile(t, text, d).Static(types)
	got := k.String()
	for _, e := range errs {
		got += fmt.Sprintf(" `%s`: %s", text[e.Offset:e.End], e.Msg)
	}
	return got
}

// TestStaticUpstream checks the kinds that differ in upstream's dialect.
func TestStaticUpstream(t *testing.T) {
	s := stdScope(t)
	types := func(name string) *expr.Type { return s.Cell(name).Datum.Type }
	for _, c := range []struct{ text, want string }{
		{"$i + $i", "int32"},
		{"$i + $big", "int64"},
		{"$u16 + $u16", "int32"},
		{"$u32 + $i", "uint32"},
		{"$f + $i", "float32"},
		{"$tup.first", "null `.first`: `$tup` has no element `first`: it has first"},
		{"x$arr", "array"},
		{"x$rec", "array `$rec`: `$rec` is a record, which has no text"},
		{"$arr[$sc]", "int32 `$sc`: `$sc` is a string of 6 bytes, a number is needed"},
		{"${d:x}", "float64"},
	} {
		if got := static(t, c.text, expr.Upstream, types); got != c.want {
			t.Errorf("%q is %s\nwant %s", c.text, got, c.want)
		}
	}
}
