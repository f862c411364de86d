package tensor

import (
	"fmt"
	"math"
)

// Convert returns the array with elements of another kind. Every element keeps its value,
// except that a fraction may be rounded to fewer bits; a value that does not fit is an
// error. If the array has the kind already, Convert returns the array itself.
func (t *Tensor) Convert(kind Kind) (*Tensor, error) {
	if t.Kind == kind {
		return t, nil
	}
	out := New(kind, t.Shape...)
	if kind.IsFloat() {
		var row [256]float64
		for i, n := 0, t.Count(); i < n; i += len(row) {
			part := row[:min(len(row), n-i)]
			t.Floats(part, i)
			out.SetFloats(i, part)
		}
		return out, nil
	}
	low, high := kind.Range()
	for i := range t.Count() {
		v := t.At(i)
		switch {
		case v != math.Trunc(v): // also NaN
			return nil, fmt.Errorf("%v is not a whole number", v)
		case v < low || v > high || !t.keeps(i, kind):
			return nil, fmt.Errorf("%s does not fit into %v", t.AppendText(nil, i), kind)
		}
		if t.Kind.IsFloat() {
			out.SetInt(i, kind.nearest(v))
		} else {
			out.SetInt(i, t.Int(i))
		}
	}
	return out, nil
}

// keeps decides the cases in which At rounds: whether a 64-bit integer fits into the
// other 64-bit kind.
func (t *Tensor) keeps(i int, kind Kind) bool {
	wide := func(k Kind) bool { return k == Int64 || k == Uint64 }
	switch {
	case !wide(kind):
		return true
	case wide(t.Kind):
		return t.Int(i) >= 0
	case kind == Uint64:
		return t.At(i) < math.Ldexp(1, 64)
	}
	return t.At(i) < math.Ldexp(1, 63)
}
