package tensor

import (
	"fmt"
	"math"
)

// Convert returns the array with its elements converted to another kind. Fractions may be
// rounded to fewer bits; apart from that, a value that the kind cannot represent is an
// error. If the array already has the kind, Convert returns the array itself.
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
		case v != math.Trunc(v): // the value has a fraction, or is NaN
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

// keeps reports whether the i-th element fits into the kind, if that is an integer kind
// of 64 bits. At cannot tell, because it rounds large integers.
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
