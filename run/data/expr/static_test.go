package expr_test

import (
	"fmt"
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// TestStatic shows what is known of an expression from types alone.
func TestStatic(t *testing.T) {
	s := stdScope(t)
	open := *s.Cell("arr").Datum.Type
	open.Count = -1
	types := func(name string) *expr.Type {
		if name == "open" {
			return &open
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
		{"$tup[1]", "float64"},
		{"$sc", "array"},
		{"x${i:05d}_${sc:>3s}", "array"},
		{"${i:.2f}", "int32"},
		{"$open[9]", "int32"},
		{"$rec + 1", "null `$rec`: `$rec` is a record, a number is needed"},
		{"$i * ($d % 2)", "null `$d % 2`: `$d % 2` is a remainder of floats, `%` needs integers"},
		{"$arr[4]", "null `[4]`: index 4 is outside `$arr`, which has 4 elements"},
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
		k, errs := compile(t, c.text, expr.Documented).Static(types)
		got := k.String()
		for _, e := range errs {
			got += fmt.Sprintf(" `%s`: %s", c.text[e.Offset:e.End], e.Msg)
		}
		if got != c.want {
			t.Errorf("%q is %s\nwant %s", c.text, got, c.want)
		}
	}
	items := expr.NewSequence(expr.Documented, compile(t, "$rec + 1", expr.Documented), compile(t, "1", expr.Documented))
	if k, errs := items.Static(types); k != expr.Array || len(errs) != 1 {
		t.Errorf("sequence is %v with %v", k, errs)
	}
}
